//! Converts talk: its terms, and messages between seats.

use super::deal::parse_deal_bytes;
use super::game::parse_row;
use super::{RequestField, pb, play::whole_millis};
use lastnim_core::game::{Pact, SeatCount, SeatSet};
use lastnim_core::referee::{
    Audience, DealHash, OfferId, OfferedPact, OpenedContent, SubmittedContent, TalkContent, TalkMessage,
    TalkPrivacy, TalkTerms, TalkView,
};
use pb::talk_content::Content;
use std::time::Duration;

impl From<&TalkTerms> for pb::Talk {
    fn from(talk: &TalkTerms) -> Self {
        Self {
            rounds: talk.rounds,
            round_ms: whole_millis(talk.round_time),
            text_chars: talk.text_chars,
            privacy: pb::TalkPrivacy::from(talk.privacy).into(),
            pacts: talk.pacts,
        }
    }
}

/// Reads the terms of talk without checking them. Zeros become the defaults, except for the number of rounds.
pub(crate) fn parse_talk(talk: &pb::Talk, field: RequestField<'_>) -> Option<TalkTerms> {
    let default = TalkTerms::default();
    let privacy: Option<TalkPrivacy> = field.member("privacy").optional_enum(talk.privacy)?;
    Some(TalkTerms {
        rounds: talk.rounds,
        round_time: match talk.round_ms {
            0 => default.round_time,
            ms => Duration::from_millis(ms.into()),
        },
        text_chars: if talk.text_chars == 0 { default.text_chars } else { talk.text_chars },
        privacy: privacy.unwrap_or(default.privacy),
        pacts: talk.pacts,
    })
}

impl From<&TalkContent> for pb::TalkContent {
    fn from(content: &TalkContent) -> Self {
        let content = match content {
            TalkContent::Text(text) => Content::Text(text.clone()),
            TalkContent::Claim(row) => Content::Claim(row.into()),
            TalkContent::Offer(pact) => Content::Offer(pact.into()),
            &TalkContent::Accept(offer) => Content::Accept(offer.into()),
        };
        Self { content: Some(content) }
    }
}

/// Reads the content of a bot's message; `None` if there is no content of a kind that this server knows.
pub(crate) fn submitted_content(content: Option<pb::TalkContent>) -> Option<SubmittedContent> {
    Some(match content?.content? {
        Content::Text(text) => SubmittedContent::Text(text),
        Content::Claim(row) => SubmittedContent::Claim(row.offsets.into_iter().map(u64::from).collect()),
        Content::Offer(pact) => SubmittedContent::Offer(pact_terms(&pact)),
        Content::Accept(pb::OfferId { seat, round, number }) => {
            SubmittedContent::Accept { seat, round, number }
        }
    })
}

fn addressees(audience: Audience) -> Vec<u32> {
    match audience {
        Audience::Everyone => Vec::new(),
        Audience::Seats { seats, .. } => seats.iter().map(u32::from).collect(),
    }
}

/// Writes a message, for a seat that sent or heard it.
impl From<&TalkMessage> for pb::TalkMessage {
    fn from(message: &TalkMessage) -> Self {
        Self {
            seat: message.seat.into(),
            round: message.round,
            number: message.number,
            to: addressees(message.audience),
            content: message.content().map(Into::into),
        }
    }
}

impl From<&TalkView> for pb::TalkState {
    fn from(view: &TalkView) -> Self {
        Self {
            round: view.round,
            left_ms: view.left.map_or(0, whole_millis),
            ended: view.is_done,
            messages: view.messages.iter().map(Into::into).collect(),
            pacts: view.pacts.iter().map(Into::into).collect(),
        }
    }
}

impl From<&Pact> for pb::Pact {
    fn from(pact: &Pact) -> Self {
        let members = pact.members().iter().map(|member| pb::PactMember {
            seat: member.seat.into(),
            relations: member
                .relations()
                .map(|(before, after)| pb::PactRelation { before: before.into(), after: after.into() })
                .collect(),
        });
        Self { members: members.collect() }
    }
}

/// Returns the members of a pact, each with its relations, as numbers.
fn pact_terms(pact: &pb::Pact) -> Vec<(usize, Vec<(usize, usize)>)> {
    let members = pact.members.iter().map(|member| {
        let relations = member.relations.iter();
        let relations = relations.map(|relation| (relation.before as usize, relation.after as usize));
        (member.seat as usize, relations.collect())
    });
    members.collect()
}

impl From<OfferId> for pb::OfferId {
    fn from(offer: OfferId) -> Self {
        Self { seat: offer.seat.into(), round: offer.round, number: offer.number }
    }
}

impl From<&OfferedPact> for pb::OfferedPact {
    fn from(offered: &OfferedPact) -> Self {
        Self {
            offer: Some(offered.offer.into()),
            pact: Some((&offered.pact).into()),
            accepted: offered.accepted.iter().map(u32::from).collect(),
            signed: offered.is_signed(),
        }
    }
}

/// Writes a message for everybody, without its content if it is private.
impl From<&TalkMessage> for pb::SaidEvent {
    fn from(message: &TalkMessage) -> Self {
        let shown = message.public_content();
        Self {
            seat: message.seat.into(),
            round: message.round,
            number: message.number,
            to: addressees(message.audience),
            published: matches!(message.audience, Audience::Seats { published: true, .. }),
            commitment: message.commitment.as_bytes().to_vec(),
            content: shown.map(|opened| (&opened.content).into()),
            salt: shown.map(|opened| opened.salt.as_bytes().to_vec()).unwrap_or_default(),
        }
    }
}

/// Reads a message of a record.
pub fn parse_said(said: &pb::SaidEvent, seats: SeatCount, field: RequestField<'_>) -> Option<TalkMessage> {
    let seat = field.member("seat").ok_or_report(seats.seat(said.seat as usize));
    let seat_at = |&seat: &u32, at: RequestField<'_>| at.ok_or_report(seats.seat(seat as usize));
    let to: Option<Vec<_>> = field.member("to").parse_each(&said.to, seat_at);
    let commitment = parse_deal_bytes(&said.commitment, field.member("commitment"));
    let content =
        said.content.as_ref().map(|content| parse_talk_content(content, seats, field.member("content")));
    let opened = match content {
        None => None,
        Some(content) => {
            let salt = parse_deal_bytes(&said.salt, field.member("salt")).map(DealHash::from_bytes);
            Some(OpenedContent { salt: salt?, content: content? })
        }
    };
    let to: SeatSet = to?.into_iter().collect();
    Some(TalkMessage {
        seat: seat?,
        round: said.round,
        number: said.number,
        audience: if to.is_empty() {
            Audience::Everyone
        } else {
            Audience::Seats { seats: to, published: said.published }
        },
        commitment: DealHash::from_bytes(commitment?),
        opened,
    })
}

/// Reads what a message says.
pub fn parse_talk_content(
    content: &pb::TalkContent,
    seats: SeatCount,
    field: RequestField<'_>,
) -> Option<TalkContent> {
    Some(match field.require(content.content.as_ref())? {
        Content::Text(text) => TalkContent::Text(text.clone()),
        Content::Claim(row) => TalkContent::Claim(parse_row(row, seats, field.member("claim"))?),
        Content::Offer(pact) => {
            let pact = Pact::parse(seats, &pact_terms(pact));
            TalkContent::Offer(field.member("offer").ok_or_report(pact)?)
        }
        &Content::Accept(pb::OfferId { seat, round, number }) => {
            let seat = field.member("accept").ok_or_report(seats.seat(seat as usize))?;
            TalkContent::Accept(OfferId { seat, round, number })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::parse_record;
    use crate::record_text::write_record_text;
    use lastnim_core::game::{BySeat, MatchId, Piles};
    use lastnim_core::referee::{
        MatchSetup, Record, Referee, RefereeInput, SeatAction, SubmittedMessage, Timestamp,
    };

    /// Plays a match in which seat 0 says "for all" to everyone, "for one" to seat 2, claims a row to seat 1, and offers
    /// seat 2 a pact, which seat 2 accepts.
    fn record(privacy: TalkPrivacy) -> Record {
        let bots: Vec<_> = ["a", "b", "c"].map(|name| name.parse().unwrap()).to_vec();
        let mut setup = MatchSetup::new(bots.try_into().unwrap(), Piles::parse(&[1]).unwrap());
        setup.terms.talk = Some(TalkTerms { rounds: 2, privacy, pacts: true, ..TalkTerms::default() });
        let (seats, now) = (setup.seats(), Timestamp::from_micros(1));
        let id = MatchId::new(1, &[1; 10]);
        let (mut referee, _) = Referee::begin(id, setup, BySeat::filled(seats, &true), now);
        let text = |words: &str| SubmittedContent::Text(words.to_owned());
        let said = [
            (vec![], text("for all")),
            (vec![2], text("for one")),
            (vec![1], SubmittedContent::Claim(vec![2, 0, 1])),
            (vec![], SubmittedContent::Offer(vec![(0, vec![(1, 0), (0, 2)]), (2, vec![])])),
        ];
        let said = (0..).zip(said).map(|(number, (to, content))| {
            let message = SubmittedMessage { round: 0, number, to, content: Some(content) };
            (0, SeatAction::Say(Box::new(message)))
        });
        let end = (0..3).map(|seat| (seat, SeatAction::EndTalk { round: 0 }));
        let content = Some(SubmittedContent::Accept { seat: 0, round: 0, number: 3 });
        let accept = SubmittedMessage { round: 1, number: 0, to: Vec::new(), content };
        let said = said.chain(end).chain([(2, SeatAction::Say(Box::new(accept)))]);
        let declare = SeatAction::Declare { offsets: vec![0, 1, 2], note_hash: Ok(None) };
        let declared = (0..3).map(|seat| (seat, declare.clone()));
        for (seat, action) in said.chain(declared).chain([(0, SeatAction::take(0, 1, None))]) {
            let seat = seats.seat(seat).unwrap();
            let _ = referee.handle_input(RefereeInput::Act { seat, action }, now);
        }
        assert!(referee.record().state().end().is_some());
        referee.into_record()
    }

    #[test]
    fn a_record_shows_private_messages_only_if_they_are_published() {
        for (privacy, is_shown) in [(TalkPrivacy::Private, false), (TalkPrivacy::Published, true)] {
            let record = record(privacy);
            let message = pb::MatchRecord::from(&record);
            let contents: Vec<_> = message
                .events
                .iter()
                .filter_map(|timed| match &timed.event {
                    Some(pb::record_event::Event::Said(said)) => {
                        Some((said.content.is_some(), said.salt.len()))
                    }
                    _ => None,
                })
                .collect();
            let private = (is_shown, if is_shown { 32 } else { 0 });
            assert_eq!(contents, [(true, 32), private, private, private, private]);
            let parsed = parse_record(&message).unwrap();
            assert_eq!(parsed.hashes(), record.hashes(), "what is not shown changes no hash");
            assert_eq!(pb::MatchRecord::from(&parsed), message);
            let text = write_record_text(&record, None);
            assert!(text.contains("for all"));
            assert_eq!(
                (text.contains("for one"), text.contains("claim 2 0 1")),
                (is_shown, is_shown),
                "{text}"
            );
            let pact = ["offer 0: 0>2, 1>0; 2:", "accept seat 0 round 0 number 3"];
            assert!(pact.iter().all(|words| text.contains(words) == is_shown), "{text}");
            assert_eq!(parsed.state().pacts().len(), usize::from(is_shown));
            assert!(parsed.state().pacts().iter().all(OfferedPact::is_signed));
        }
    }

    #[test]
    fn a_changed_message_is_refused() {
        let refusal = |change: &dyn Fn(&mut pb::SaidEvent)| {
            let mut message = pb::MatchRecord::from(&record(TalkPrivacy::Published));
            if let Some(pb::record_event::Event::Said(said)) = &mut message.events[2].event {
                change(said);
            }
            parse_record(&message).unwrap_err().to_string()
        };
        let content = |said: &mut pb::SaidEvent| {
            said.content = Some(pb::TalkContent { content: Some(Content::Text("other".to_owned())) });
        };
        assert!(refusal(&content).contains("does not match its commitment"));
        let hash = refusal(&|said| said.to = vec![1]);
        assert_eq!(hash, "event 2: its hash does not match the events up to it");
        assert_eq!(refusal(&|said| said.salt = vec![0; 3]), "events[2].salt: 3 bytes: expected 32");
        assert_eq!(refusal(&|said| said.to = vec![3]), "events[2].to[0]: seat 3: expected 0 to 2");
    }
}
