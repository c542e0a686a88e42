//! The events of a match, as text.

use super::{
    matches::end_reason_text,
    tournament_settings::word_text,
    words::{enum_phrase, enum_word, join_items, matrix_text},
};
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb::{self, record_event::Event, talk_content::Content};

/// The names of the bots of a match, by seat.
#[derive(Debug, Default)]
pub struct SeatNames(Vec<String>);

impl SeatNames {
    /// Returns the names in a setup.
    pub fn of_setup(setup: &pb::MatchSetup) -> Self {
        Self(setup.bots.clone())
    }

    pub(super) fn name_of_seat(&self, seat: u32) -> String {
        match self.0.get(seat as usize) {
            Some(bot) => format!("seat {seat} ({bot})"),
            None => format!("seat {seat}"),
        }
    }
}

impl SeatNames {
    /// Names the bot of a seat, or the seat if its bot is not known.
    fn short_name(&self, seat: u32) -> String {
        self.0.get(seat as usize).cloned().unwrap_or_else(|| self.name_of_seat(seat))
    }

    /// Names the bots in the order of a row, the most preferred winner first.
    fn order_text(&self, seat: u32, row: &pb::Row) -> String {
        let seats = self.0.len().max(1);
        let name = |offset: &u32| self.short_name(((seat as usize + *offset as usize) % seats) as u32);
        join_items(row.offsets.iter().map(name), ", then ")
    }
}

/// Describes an event in one line.
pub fn event_line(event: &Event, players: &SeatNames) -> String {
    match event {
        Event::Created(setup) => format!(
            "{} play on piles {}; {} moves first; the winner is {}",
            setup.bots.join(", "),
            join_items(&setup.piles, ","),
            SeatNames::of_setup(setup).name_of_seat(setup.first),
            word_text("ending", &enum_word(setup.ending().as_str_name(), "ENDING_"))
        ),
        Event::Declared(declared) => {
            let row = declared.row.as_ref().map(|row| players.order_text(declared.seat, row));
            let row = row.unwrap_or_default();
            let seat = players.name_of_seat(declared.seat);
            let why = match declared.defaulted() {
                pb::RowDefault::Unspecified => return format!("{seat} declared that it wants {row}"),
                pb::RowDefault::Late => "it did not declare in time",
                pb::RowDefault::Invalid => "the row that it declared was not valid",
                pb::RowDefault::Forfeited => "the seat was forfeited",
            };
            format!("{seat} has the standard row, {row}: {why}")
        }
        Event::Said(said) => {
            let seat = players.name_of_seat(said.seat);
            let content = said.content.as_ref().and_then(|content| content.content.as_ref());
            let what = match content {
                None => "a private message".to_owned(),
                Some(Content::Text(text)) => format!("{text:?}"),
                Some(Content::Claim(row)) => format!("that it wants {}", players.order_text(said.seat, row)),
                Some(Content::Offer(pact)) => format!("that it offers a pact: {}", pact_text(pact, players)),
                Some(Content::Accept(offer)) => format!(
                    "that it accepts the pact in message {} of {} in round {}",
                    shown_number(offer.number),
                    players.name_of_seat(offer.seat),
                    shown_number(offer.round)
                ),
            };
            match said.to.as_slice() {
                [] => format!("{seat} said {what}"),
                to => {
                    let to = to.iter().map(|&seat| players.name_of_seat(seat));
                    format!("{seat} said {what} to {}", join_items(to, ", "))
                }
            }
        }
        Event::TalkEnded(ended) => {
            let seat = players.name_of_seat(ended.seat);
            format!("{seat} ended its talk in round {}", shown_number(ended.round))
        }
        Event::Heard(heard) => format!("round {} of the talk ended", shown_number(heard.round)),
        Event::Dealt(dealt) => {
            let rows = dealt.rows.iter().flat_map(|matrix| &matrix.rows);
            format!("the seats really want {}", matrix_text(rows))
        }
        Event::Revealed(revealed) => {
            let rows = revealed.alliance_matrix.iter().flat_map(|matrix| &matrix.rows);
            format!("the rows are {}", matrix_text(rows))
        }
        Event::Took(took) => {
            let (seat, counters) = (players.name_of_seat(took.seat), took.take);
            let number = shown_number(took.ply);
            if took.steward {
                format!("take {number}: the steward took {counters} for {seat}")
            } else {
                format!("take {number}: {seat} took {counters}, in {} ms", took.charged_us / 1_000)
            }
        }
        Event::Struck(struck) => format!(
            "take {}: a strike for {}: {}",
            shown_number(struck.ply),
            players.name_of_seat(struck.seat),
            enum_phrase(struck.reason().as_str_name(), "REFUSAL_REASON_")
        ),
        Event::Forfeited(forfeited) => format!(
            "{} is forfeited: {}; the steward takes over",
            players.name_of_seat(forfeited.seat),
            enum_phrase(forfeited.reason().as_str_name(), "FORFEIT_REASON_")
        ),
        Event::Ended(ended) => {
            let reason = end_reason_text(ended.reason());
            match ended.winner {
                Some(winner) => format!("{reason}: {} won", players.name_of_seat(winner)),
                None => reason.to_owned(),
            }
        }
    }
}

/// Says what each member of a pact promises.
fn pact_text(pact: &pb::Pact, players: &SeatNames) -> String {
    let relation = |each: &pb::PactRelation| {
        format!("{} before {}", players.short_name(each.before), players.short_name(each.after))
    };
    let members = pact.members.iter().map(|member| {
        let relations: Vec<_> = member.relations.iter().map(relation).collect();
        let promise = if relations.is_empty() { "nothing".to_owned() } else { relations.join(" and ") };
        format!("{} declares {promise}", players.name_of_seat(member.seat))
    });
    members.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn players() -> SeatNames {
        SeatNames(vec!["ann".into(), "bob".into()])
    }

    fn line(event: &Event) -> String {
        event_line(event, &players())
    }

    #[test]
    fn a_line_describes_the_terms_of_a_pact() {
        let relations = [(1, 2), (0, 2)].map(|(before, after)| pb::PactRelation { before, after }).to_vec();
        let pact = pb::Pact {
            members: vec![
                pb::PactMember { seat: 0, relations },
                pb::PactMember { seat: 1, relations: vec![] },
            ],
        };
        let said_event = |content| {
            let content = Some(pb::TalkContent { content: Some(content) });
            line(&Event::Said(pb::SaidEvent { seat: 1, to: vec![0], content, ..Default::default() }))
        };
        assert_eq!(
            said_event(Content::Offer(pact)),
            "seat 1 (bob) said that it offers a pact: seat 0 (ann) declares bob before seat 2 and ann before seat 2; seat 1 (bob) declares nothing to seat 0 (ann)"
        );
        assert_eq!(
            said_event(Content::Accept(pb::OfferId { seat: 0, round: 0, number: 2 })),
            "seat 1 (bob) said that it accepts the pact in message 3 of seat 0 (ann) in round 1 to seat 0 (ann)"
        );
    }

    #[test]
    fn an_event_is_described_in_one_line() {
        let setup =
            pb::MatchSetup { bots: players().0, piles: vec![3, 4], ending: 2, ..pb::MatchSetup::default() };
        assert_eq!(
            line(&Event::Created(setup)),
            "ann, bob play on piles 3,4; seat 0 (ann) moves first; the winner is the seat that moved last"
        );
        let row = pb::Row { offsets: vec![0, 1] };
        let late = pb::DeclaredEvent {
            seat: 1,
            row: Some(row.clone()),
            defaulted: pb::RowDefault::Late.into(),
            ..Default::default()
        };
        assert_eq!(
            line(&Event::Declared(late)),
            "seat 1 (bob) has the standard row, bob, then ann: it did not declare in time"
        );
        let matrix = pb::AllianceMatrix { rows: vec![row.clone(), row] };
        let revealed = pb::RevealedEvent { alliance_matrix: Some(matrix) };
        assert_eq!(line(&Event::Revealed(revealed)), "the rows are 0 1; 0 1");
        let took = pb::TookEvent { ply: 3, seat: 1, take: 2, charged_us: 1_999, ..pb::TookEvent::default() };
        assert_eq!(line(&Event::Took(took.clone())), "take 4: seat 1 (bob) took 2, in 1 ms");
        assert_eq!(
            line(&Event::Took(pb::TookEvent { steward: true, ..took })),
            "take 4: the steward took 2 for seat 1 (bob)"
        );
        let struck = pb::StruckEvent { seat: 0, ply: 3, reason: pb::RefusalReason::NotYourTurn.into() };
        assert_eq!(line(&Event::Struck(struck)), "take 4: a strike for seat 0 (ann): not your turn");
        let forfeited = pb::ForfeitedEvent { seat: 7, reason: pb::ForfeitReason::NoShow.into() };
        assert_eq!(
            line(&Event::Forfeited(forfeited)),
            "seat 7 is forfeited: no show; the steward takes over"
        );
        let ended = pb::EndedEvent { reason: pb::EndReason::PlyLimit.into(), winner: Some(0) };
        assert_eq!(line(&Event::Ended(ended)), "limit of takes reached: seat 0 (ann) won");
        let cancelled = pb::EndedEvent { reason: pb::EndReason::Cancelled.into(), winner: None };
        assert_eq!(line(&Event::Ended(cancelled)), "cancelled");
    }
}
