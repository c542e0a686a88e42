//! What a match says about the strength of its bots.

use crate::{MatchResult, SeatLoss};
use lastnim_core::game::{BotName, Seat};

/// What a match says about the strength of its bots: who sat at the table, and whose the win was.
///
/// The table is a set: neither the seats nor the order of those that did not win mean anything to a rating.
///
/// A seat that never showed up is left out of the table: it costs the match, not the rating. A seat that was lost in any
/// other way stays, and has lost. Where the steward won for such a seat and only one bot kept its own, that one has the win;
/// where several did, nobody knows whose it would have been, and the match says nothing. Nor does it where the steward won
/// for a seat that never showed up, or no seat was kept. By the model, leaving a match out because of who won for a seat that
/// was lost does not favour any of the others: to share the win among them would pull them together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatedMatch<'a> {
    table: Vec<&'a BotName>,
    winner: &'a BotName,
}

impl<'a> RatedMatch<'a> {
    /// Returns what a match says; nothing if it was cancelled, fewer than two bots showed up, or it is not known which of
    /// them won.
    pub fn of_result(result: &'a MatchResult) -> Option<Self> {
        let outcome = result.outcome.as_ref()?;
        let lost = |seat: Seat| outcome.seats[seat].lost;
        let bots = |wanted: &dyn Fn(Seat) -> bool| {
            let mut bots: Vec<_> =
                result.bots.enumerate().filter(|(seat, _)| wanted(*seat)).map(|(_, bot)| bot).collect();
            bots.sort_unstable();
            bots
        };
        let table = bots(&|seat| lost(seat) != Some(SeatLoss::NoShow));
        let winner = match lost(outcome.winner) {
            None => &result.bots[outcome.winner],
            Some(SeatLoss::Forfeited) => match *bots(&|seat| lost(seat).is_none()) {
                [only] => only,
                _ => return None,
            },
            Some(SeatLoss::NoShow) => return None,
        };
        // In the order of the names, all are one if the first and the last are.
        (table.first() != table.last()).then_some(Self { table, winner })
    }

    /// Returns the bots at the table, two or more, in the order of their names.
    pub fn table(&self) -> &[&'a BotName] {
        &self.table
    }

    /// Returns the bot that won.
    pub fn winner(&self) -> &'a BotName {
        self.winner
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{rating::testing, testing::field};
    use SeatLoss::{Forfeited, NoShow};

    /// Plays bot0, bot1, ... with seat 0 as the winner; writes the table and the winner as numbers.
    fn said(lost: &[Option<SeatLoss>]) -> Option<(String, String)> {
        let mut result = testing::result(0, &field(lost.len()), 0);
        let outcome = result.outcome.as_mut().unwrap();
        for seat in outcome.seats.seats().iter() {
            outcome.seats[seat].lost = lost[seat.index()];
        }
        let numbers = |bots: &[&BotName]| bots.iter().map(|bot| &bot.as_str()[3..]).collect::<String>();
        RatedMatch::of_result(&result).map(|said| (numbers(said.table()), numbers(&[said.winner()])))
    }

    #[test]
    fn lost_seats_are_told_apart() {
        for (lost, expected) in [
            ([None, None, None], Some(("012", "0"))),
            ([None, Some(NoShow), None], Some(("02", "0"))),
            ([None, Some(Forfeited), None], Some(("012", "0"))),
            ([None, Some(NoShow), Some(NoShow)], None),
            ([None, Some(NoShow), Some(Forfeited)], Some(("02", "0"))),
            // The steward won.
            ([Some(Forfeited), None, None], None),
            ([Some(Forfeited), Some(Forfeited), None], Some(("012", "2"))),
            ([Some(Forfeited), Some(NoShow), None], Some(("02", "2"))),
            ([Some(Forfeited), Some(Forfeited), Some(Forfeited)], None),
            ([Some(Forfeited), Some(NoShow), Some(NoShow)], None),
            ([Some(NoShow), None, None], None),
            ([Some(NoShow), Some(Forfeited), None], None),
        ] {
            let expected = expected.map(|(table, winners)| (table.to_owned(), winners.to_owned()));
            assert_eq!(said(&lost), expected, "{lost:?}");
        }
    }

    #[test]
    fn seats_do_not_matter_and_cancelled_matches_say_nothing() {
        let mut bots = field(4);
        let won_by_bot2 = testing::result(0, &bots, 2);
        bots.reverse();
        let from_another_seat = testing::result(0, &bots, 1);
        assert_eq!(RatedMatch::of_result(&won_by_bot2), RatedMatch::of_result(&from_another_seat));
        assert!(RatedMatch::of_result(&MatchResult { outcome: None, ..won_by_bot2 }).is_none());
    }
}
