//! The information that a match gives about the strengths of its bots.

use crate::{MatchResult, SeatLoss};
use lastnim_core::game::{BotName, Seat};

/// The information that a match gives about the strengths of its bots: which bots were at the table, and which of them
/// won.
///
/// The table is a set: ratings ignore the seats and the order of the losers.
///
/// A no-show is left out of the table: it loses the match, but its rating does not change. A bot that forfeited its
/// seat in any other way stays at the table as a loser. If the steward won in such a seat and only one bot kept its own
/// seat, that bot gets the win. If several bots kept their seats, it is unknown which of them would have won, and the
/// match is ignored. It is also ignored if the steward won for a no-show, or if no bot kept its seat. Under the model,
/// ignoring such a match favours none of the remaining bots; sharing the win among them would make their ratings too
/// similar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatedMatch<'a> {
    table: Vec<&'a BotName>,
    winner: &'a BotName,
}

impl<'a> RatedMatch<'a> {
    /// Returns the information that a match gives; `None` if it was cancelled, fewer than two bots attended, or it is
    /// unknown which of them won.
    pub fn of_result(result: &'a MatchResult) -> Option<Self> {
        let outcome = result.outcome.as_ref()?;
        let is_lost = |seat: Seat| outcome.seats[seat].lost;
        let bots = |wanted: &dyn Fn(Seat) -> bool| {
            let mut bots: Vec<_> =
                result.bots.enumerate().filter(|(seat, _)| wanted(*seat)).map(|(_, bot)| bot).collect();
            bots.sort_unstable();
            bots
        };
        let table = bots(&|seat| is_lost(seat) != Some(SeatLoss::NoShow));
        let winner = match is_lost(outcome.winner) {
            None => &result.bots[outcome.winner],
            Some(SeatLoss::Forfeited) => match *bots(&|seat| is_lost(seat).is_none()) {
                [only] => only,
                _ => return None,
            },
            Some(SeatLoss::NoShow) => return None,
        };
        // The bots are sorted, so they are all the same bot if the first and the last are the same.
        (table.first() != table.last()).then_some(Self { table, winner })
    }

    /// Returns the bots at the table, two or more, in the order of names.
    pub fn table(&self) -> &[&'a BotName] {
        &self.table
    }

    /// Returns the winner.
    pub fn winner(&self) -> &'a BotName {
        self.winner
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{rating::testing, testing::field};
    use SeatLoss::{Forfeited, NoShow};

    /// Creates the result of a match between bot0, bot1, ... that seat 0 won; returns the bots at the table and the
    /// winner, both as digits.
    fn rated_table_and_winner(lost: &[Option<SeatLoss>]) -> Option<(String, String)> {
        let mut result = testing::match_of_group(0, &field(lost.len()), 0);
        let outcome = result.outcome.as_mut().unwrap();
        for seat in outcome.seats.seats().iter() {
            outcome.seats[seat].lost = lost[seat.index()];
        }
        let numbers = |bots: &[&BotName]| bots.iter().map(|bot| &bot.as_str()[3..]).collect::<String>();
        RatedMatch::of_result(&result).map(|rated| (numbers(rated.table()), numbers(&[rated.winner()])))
    }

    #[test]
    fn forfeited_seats_and_no_shows_are_rated_differently() {
        for (lost, expected) in [
            ([None, None, None], Some(("012", "0"))),
            ([None, Some(NoShow), None], Some(("02", "0"))),
            ([None, Some(Forfeited), None], Some(("012", "0"))),
            ([None, Some(NoShow), Some(NoShow)], None),
            ([None, Some(NoShow), Some(Forfeited)], Some(("02", "0"))),
            // In all further cases, seat 0 is lost, so the steward won in that seat.
            ([Some(Forfeited), None, None], None),
            ([Some(Forfeited), Some(Forfeited), None], Some(("012", "2"))),
            ([Some(Forfeited), Some(NoShow), None], Some(("02", "2"))),
            ([Some(Forfeited), Some(Forfeited), Some(Forfeited)], None),
            ([Some(Forfeited), Some(NoShow), Some(NoShow)], None),
            ([Some(NoShow), None, None], None),
            ([Some(NoShow), Some(Forfeited), None], None),
        ] {
            let expected = expected.map(|(table, winners)| (table.to_owned(), winners.to_owned()));
            assert_eq!(rated_table_and_winner(&lost), expected, "{lost:?}");
        }
    }

    #[test]
    fn seats_do_not_matter_and_cancelled_matches_do_not_count() {
        let mut bots = field(4);
        let won_by_bot2 = testing::match_of_group(0, &bots, 2);
        bots.reverse();
        let other_seat_won = testing::match_of_group(0, &bots, 1);
        assert_eq!(RatedMatch::of_result(&won_by_bot2), RatedMatch::of_result(&other_seat_won));
        assert!(RatedMatch::of_result(&MatchResult { outcome: None, ..won_by_bot2 }).is_none());
    }
}
