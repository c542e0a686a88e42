//! What the seats said to each other before they declared their rows, and the pacts that they signed.

use super::sentence::{Seats, Sentence};
use crate::replay::Replay;
use crate::seat_sign::seat_class;
use askama::Template;
use lastnim_core::game::{PactMember, Row, Seat};
use lastnim_core::referee::{Audience, OfferId, OfferedPact, TalkContent, TalkMessage};
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb;
use lastnim_report::render::write_template;
use lastnim_report::words::count_with_noun;

/// The maximum number of messages for which the messages of all rounds are shown at first. With more, they are shown
/// when a visitor opens a round.
const MAX_OPEN_MESSAGES: usize = 24;

/// The conversation of a match, as far as everybody may know it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conversation<'a> {
    pub replay: &'a Replay,
    pub seats: &'a Seats,
}

#[derive(Template)]
#[template(path = "match/conversation.html")]
struct ConversationView {
    intro: String,
    rounds: Vec<RoundView>,
    pacts: Vec<PactView>,
}

struct RoundView {
    number: usize,
    summary: String,
    is_open: bool,
    messages: Vec<MessageView>,
}

struct MessageView {
    class: String,
    sentence: String,
    /// The words of a text; `None` for other messages.
    text: Option<String>,
}

struct PactView {
    /// Says who has signed it.
    sentence: String,
    /// What each member promised, and whether it kept its promise.
    promises: Vec<String>,
}

impl<'a> Conversation<'a> {
    /// Writes the conversation; empty if the seats of the match do not talk.
    pub(crate) fn html(self) -> String {
        let Some(talk) = &self.replay.setup.talk else { return String::new() };
        let offered = self.offered_pacts();
        write_template(&ConversationView {
            intro: self.intro(talk),
            rounds: (0..self.replay.rounds_heard).map(|round| self.round(round, &offered)).collect(),
            pacts: (1..).zip(&offered).map(|(number, offered)| self.pact(number, offered)).collect(),
        })
    }

    fn intro(self, talk: &pb::Talk) -> String {
        let rounds = count_with_noun(talk.rounds, "round", "rounds");
        let private = match talk.privacy() {
            pb::TalkPrivacy::Open => "Everybody reads every message.",
            pb::TalkPrivacy::Published => "Private messages are shown when the match has a winner.",
            pb::TalkPrivacy::Unspecified | pb::TalkPrivacy::Private => "Private messages stay private.",
        };
        let now = match open_round(self.replay) {
            Some(round) => format!(" Round {round} is open."),
            None => String::new(),
        };
        format!(
            "The seats talk in {rounds} before they say whom they want to see win. All messages of a round arrive at its end. {private}{now}"
        )
    }

    fn round(self, round: u32, offered: &[OfferedPact]) -> RoundView {
        let messages = self.messages_by_seat().into_iter().filter(|message| message.round == round);
        let messages: Vec<_> = messages.map(|message| self.message(message, offered)).collect();
        RoundView {
            number: round as usize + 1,
            summary: match messages.len() {
                0 if hides_messages(self.replay) => "no message to everyone".to_owned(),
                0 => "nobody said anything".to_owned(),
                count => count_with_noun(count, "message", "messages"),
            },
            is_open: self.replay.messages.len() <= MAX_OPEN_MESSAGES,
            messages,
        }
    }

    /// Returns the messages by round and sender. All messages of a round arrive together, so their order in time does
    /// not matter.
    fn messages_by_seat(self) -> Vec<&'a TalkMessage> {
        let mut messages: Vec<_> = self.replay.messages.iter().collect();
        messages.sort_by_key(|message| (message.round, message.seat, message.number));
        messages
    }

    fn offered_pacts(self) -> Vec<OfferedPact> {
        OfferedPact::collect(self.messages_by_seat().into_iter().filter_map(TalkMessage::place_and_content))
    }

    fn message(self, message: &TalkMessage, offered: &[OfferedPact]) -> MessageView {
        let sender = Sentence::default().seat(message.seat.index());
        let name_audience = |said: Sentence| match message.audience {
            Audience::Everyone => said.text("everyone"),
            Audience::Seats { seats, .. } => said.seats(seats.iter(), ", ", " and "),
        };
        let number_of = |id: OfferId| 1 + offered.iter().take_while(|pact| pact.offer != id).count();
        let sentence = match message.content() {
            None => name_audience(sender.text(" sent a private message to ")).text("."),
            Some(TalkContent::Text(_)) => name_audience(sender.text(" said to ")).text(":"),
            Some(TalkContent::Claim(row)) => {
                let winners = row
                    .offsets()
                    .iter()
                    .map(|&offset| row.seats().seat_at_offset(message.seat, offset.into()));
                let said = name_audience(sender.text(" told ")).text(" that it wants ");
                self.comparison(said.seats(winners, ", then ", ", then ").text(" to win."), message.seat, row)
            }
            Some(TalkContent::Offer(pact)) => {
                let number =
                    number_of(OfferId { seat: message.seat, round: message.round, number: message.number });
                let others =
                    pact.members().iter().map(|member| member.seat).filter(|&seat| seat != message.seat);
                sender.text(format!(" offered pact {number} to ")).seats(others, ", ", " and ").text(".")
            }
            Some(&TalkContent::Accept(offer)) => sender.text(format!(" accepted pact {}.", number_of(offer))),
        };
        MessageView {
            class: seat_class(message.seat.index()),
            sentence: sentence.html(self.seats),
            text: match message.content() {
                Some(TalkContent::Text(text)) => Some(text.clone()),
                _ => None,
            },
        }
    }

    /// Adds whether a seat declared the row that it claimed, once that is known.
    fn comparison(self, said: Sentence, seat: Seat, claimed: &Row) -> Sentence {
        match self.declared_row(seat) {
            _ if self.replay.defaulted.contains(seat) => said,
            None => said,
            Some(declared) if declared == *claimed => said.text(" It declared the same."),
            Some(_) => said.text(" It declared something else."),
        }
    }

    fn pact(self, number: usize, offered: &OfferedPact) -> PactView {
        let members = offered.pact.members();
        let missing =
            members.iter().map(|member| member.seat).filter(|&seat| !offered.accepted.contains(seat));
        let said = Sentence::default().strong(format!("Pact {number}"));
        let said = if offered.is_signed() {
            said.text(" was signed by ").seats(members.iter().map(|member| member.seat), ", ", " and ")
        } else {
            let not_signed =
                if open_round(self.replay).is_some() { "is not signed yet" } else { "was not signed" };
            said.text(format!(" {not_signed}. Not accepted by ")).seats(missing, ", ", " and ")
        };
        PactView {
            sentence: said.text(".").html(self.seats),
            promises: members.iter().map(|member| self.promise(member, offered.is_signed())).collect(),
        }
    }

    fn promise(self, member: &PactMember, is_signed: bool) -> String {
        let who = Sentence::default().seat(member.seat.index());
        let relations: Vec<_> = member.relations().collect();
        let would = if is_signed { " promised" } else { " would promise" };
        let [first, rest @ ..] = relations.as_slice() else {
            return who.text(would).text(" nothing.").html(self.seats);
        };
        let mut said = who.text(would).text(" to prefer ").seats([first.0, first.1], " to ", " to ");
        for relation in rest {
            said = said.text(", and ").seats([relation.0, relation.1], " to ", " to ");
        }
        if is_signed && self.replay.defaulted.contains(member.seat) {
            return said.text(". It declared no valid order in time.").html(self.seats);
        }
        let declared = self.declared_row(member.seat).filter(|_| is_signed);
        let said = match declared.map(|row| member.is_kept_by(&row)) {
            None => said.text("."),
            Some(true) => said.text(". ").strong("It kept its promise."),
            Some(false) => said.text(". ").strong("It broke its promise."),
        };
        said.html(self.seats)
    }

    /// Returns the row of a seat; `None` before rows are revealed.
    fn declared_row(self, seat: Seat) -> Option<Row> {
        let row = self.replay.rows.get(seat.index())?;
        let offsets: Vec<_> = row.offsets.iter().map(|&offset| offset.into()).collect();
        Row::parse(&offsets, self.replay.seats()).ok()
    }
}

/// Returns the number of the round of talk that is open, from 1; `None` if the talk is over or the seats do not talk.
pub(crate) fn open_round(replay: &Replay) -> Option<u32> {
    let rounds = replay.setup.talk.as_ref()?.rounds;
    let is_open = replay.rounds_heard < rounds && replay.rows.is_empty() && replay.end.is_none();
    is_open.then(|| replay.rounds_heard + 1)
}

/// Returns whether the match may have private messages that the record does not show yet, since it has no winner.
fn hides_messages(replay: &Replay) -> bool {
    let talk = replay.setup.talk.as_ref();
    replay.end.is_none() && talk.is_some_and(|talk| talk.privacy() != pb::TalkPrivacy::Open)
}

/// Says that a round of talk has ended.
pub(super) fn heard_sentence(replay: &Replay, round: u32) -> Sentence {
    let count = replay.messages.iter().filter(|message| message.round == round).count();
    let messages = count_with_noun(count, "message", "messages");
    let to = if hides_messages(replay) { " to everyone" } else { "" };
    Sentence::of(format!("Round {} of the talk is over, with {messages}{to}.", shown_number(round)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pb::record_event::Event;
    use pb::talk_content::Content;

    fn record_event(event: Event) -> pb::RecordEvent {
        pb::RecordEvent { event: Some(event), ..Default::default() }
    }

    fn begin_replay(bots: &[&str], rounds: u32, privacy: pb::TalkPrivacy) -> Replay {
        let bots = bots.iter().map(ToString::to_string).collect();
        let talk = Some(pb::Talk { rounds, privacy: privacy.into(), pacts: true, ..Default::default() });
        let setup = pb::MatchSetup { bots, piles: vec![3], talk, ..Default::default() };
        Replay::begin(&record_event(Event::Created(setup))).unwrap()
    }

    fn said_event(
        (seat, round, number): (u32, u32, u32),
        to: &[u32],
        content: Option<Content>,
    ) -> pb::RecordEvent {
        record_event(Event::Said(pb::SaidEvent {
            seat,
            round,
            number,
            to: to.to_vec(),
            commitment: vec![0; 32],
            salt: content.iter().flat_map(|_| [0; 32]).collect(),
            content: content.map(|content| pb::TalkContent { content: Some(content) }),
            ..Default::default()
        }))
    }

    fn heard_event(round: u32) -> pb::RecordEvent {
        record_event(Event::Heard(pb::HeardEvent { round }))
    }

    fn revealed_event(rows: &[[u32; 3]]) -> pb::RecordEvent {
        let rows = rows.iter().map(|row| pb::Row { offsets: row.to_vec() }).collect();
        record_event(Event::Revealed(pb::RevealedEvent {
            alliance_matrix: Some(pb::AllianceMatrix { rows }),
        }))
    }

    fn conversation_html(replay: &Replay) -> String {
        Conversation { replay, seats: &Seats::of_setup(&replay.setup) }.html()
    }

    /// Returns the text of a page, with one space between words.
    fn page_words(html: &str) -> String {
        let texts = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
        texts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn text_content(words: &str) -> Content {
        Content::Text(words.to_owned())
    }

    #[test]
    fn a_match_without_talk_has_no_conversation() {
        let mut replay = begin_replay(&["ann", "bob"], 1, pb::TalkPrivacy::Open);
        replay.setup.talk = None;
        assert_eq!((conversation_html(&replay), open_round(&replay)), (String::new(), None));
    }

    #[test]
    fn a_round_is_shown_when_it_has_ended() {
        let mut replay = begin_replay(&["ann", "bob", "cleo"], 2, pb::TalkPrivacy::Private);
        assert_eq!(open_round(&replay), Some(1));
        assert!(
            page_words(&conversation_html(&replay))
                .ends_with("Private messages stay private. Round 1 is open.")
        );
        let claim = Some(Content::Claim(pb::Row { offsets: vec![1, 0, 2] }));
        for message in [
            said_event((2, 0, 0), &[], claim),
            said_event((0, 0, 0), &[], Some(text_content("hello"))),
            heard_event(0),
        ] {
            replay.push(message);
        }
        assert_eq!(
            heard_sentence(&replay, 0).plain(&Seats::of_setup(&replay.setup)),
            "Round 1 of the talk is over, with 2 messages to everyone."
        );
        let shown = page_words(&conversation_html(&replay));
        assert!(
            shown.ends_with(
                "Round 2 is open. Round 1 2 messages ann said to everyone: “hello” cleo told everyone that it wants ann, then cleo, then bob to win."
            ),
            "{shown}"
        );
        for event in [
            heard_event(1),
            revealed_event(&[[0, 1, 2], [0, 1, 2], [0, 1, 2]]),
            said_event((0, 0, 1), &[1, 2], None),
        ] {
            replay.push(event);
        }
        assert_eq!(open_round(&replay), None);
        let shown = page_words(&conversation_html(&replay));
        assert!(
            shown.ends_with(
                "ann said to everyone: “hello” ann sent a private message to bob and cleo. cleo told everyone that it wants ann, then cleo, then bob to win. It declared something else. Round 2 no message to everyone"
            ),
            "{shown}"
        );
    }

    #[test]
    fn each_member_has_kept_or_broken_a_signed_pact() {
        let relations = |pairs: &[(u32, u32)]| {
            pairs.iter().map(|&(before, after)| pb::PactRelation { before, after }).collect()
        };
        let member = |seat, pairs: &[(u32, u32)]| pb::PactMember { seat, relations: relations(pairs) };
        let all = vec![member(0, &[(2, 0), (2, 1)]), member(1, &[(2, 1)]), member(2, &[])];
        let offer = |members| Some(Content::Offer(pb::Pact { members }));
        let accept = |seat| Some(Content::Accept(pb::OfferId { seat, round: 0, number: 0 }));
        let mut replay = begin_replay(&["ann", "bob", "cleo"], 2, pb::TalkPrivacy::Open);
        let talk = [
            said_event((2, 0, 0), &[], offer(vec![member(1, &[]), member(2, &[(1, 0)])])),
            said_event((0, 0, 0), &[], offer(all)),
            heard_event(0),
            said_event((1, 1, 0), &[], accept(0)),
        ];
        for event in talk {
            replay.push(event);
        }
        let shown = page_words(&conversation_html(&replay));
        assert!(shown.contains("ann offered pact 1 to bob and cleo. cleo offered pact 2 to bob."), "{shown}");
        assert!(shown.contains("Pact 1 is not signed yet. Not accepted by cleo. ann would promise to prefer cleo to ann, and cleo to bob."), "{shown}");
        let rest = [
            said_event((2, 1, 0), &[], accept(0)),
            heard_event(1),
            revealed_event(&[[2, 1, 0], [0, 1, 2], [0, 1, 2]]),
        ];
        for event in rest {
            replay.push(event);
        }
        let shown = page_words(&conversation_html(&replay));
        assert!(shown.contains("bob accepted pact 1. cleo accepted pact 1."), "{shown}");
        assert!(
            shown.ends_with(
                "Pact 1 was signed by ann, bob and cleo. ann promised to prefer cleo to ann, and cleo to bob. It kept its promise. bob promised to prefer cleo to bob. It broke its promise. cleo promised nothing. Pact 2 was not signed. Not accepted by bob. bob would promise nothing. cleo would promise to prefer bob to ann."
            ),
            "{shown}"
        );
    }

    #[test]
    fn a_seat_that_declared_no_row_in_time_is_not_blamed() {
        let mut replay = begin_replay(&["ann", "bob"], 2, pb::TalkPrivacy::Open);
        let relations = vec![pb::PactRelation { before: 1, after: 0 }];
        let members =
            vec![pb::PactMember { seat: 0, relations }, pb::PactMember { seat: 1, relations: Vec::new() }];
        let accepted = Content::Accept(pb::OfferId { seat: 0, round: 0, number: 0 });
        let late =
            pb::DeclaredEvent { seat: 0, defaulted: pb::RowDefault::Late.into(), ..Default::default() };
        for event in [
            said_event((0, 0, 0), &[], Some(Content::Offer(pb::Pact { members }))),
            said_event((0, 0, 1), &[], Some(Content::Claim(pb::Row { offsets: vec![1, 0] }))),
            heard_event(0),
            said_event((1, 1, 0), &[], Some(accepted)),
            heard_event(1),
            record_event(Event::Declared(late)),
        ] {
            replay.push(event);
        }
        let rows = [[0, 1], [0, 1]].map(|offsets| pb::Row { offsets: offsets.to_vec() }).to_vec();
        replay.push(record_event(Event::Revealed(pb::RevealedEvent {
            alliance_matrix: Some(pb::AllianceMatrix { rows }),
        })));
        let shown = page_words(&conversation_html(&replay));
        let promised = "ann promised to prefer bob to ann. It declared no valid order in time.";
        assert!(shown.contains(promised) && !shown.contains("something else"), "{shown}");
    }

    #[test]
    fn hostile_texts_are_escaped_and_isolated() {
        let mut replay = begin_replay(&["<b>", "\"'&"], 1, pb::TalkPrivacy::Open);
        replay.push(said_event(
            (0, 0, 0),
            &[1],
            Some(text_content("\u{202e}</q></ul><script>alert(1)</script>")),
        ));
        replay.push(heard_event(0));
        let html = conversation_html(&replay);
        assert!(html.contains("“<bdi>\u{202e}&#60;/q&#62;&#60;/ul&#62;&#60;script&#62;"), "{html}");
        assert!(html.contains("&#60;b&#62;</span> said to ") && !html.contains("<b>"), "{html}");
    }

    #[test]
    fn rounds_of_a_long_conversation_are_folded() {
        let bots = ["a", "b", "c", "d", "e", "f", "g", "h"];
        for (messages, is_open) in [(0..3, true), (0..4, false)] {
            let mut replay = begin_replay(&bots, 4, pb::TalkPrivacy::Open);
            for number in messages {
                for seat in 0..8 {
                    replay.push(said_event((seat, 0, number), &[], Some(text_content("x"))));
                }
            }
            replay.push(heard_event(0));
            assert_eq!(conversation_html(&replay).contains("<details class=\"fold\" open>"), is_open);
        }
    }
}
