//! What a match says about the strength of its bots.

use crate::{
    game::{BotName, Seat},
    tournament::{MatchResult, SeatLoss},
};

/// What a match says about the strength of its bots: who sat at the table, and whose the win was.
///
/// The table is a set: neither the seats nor the order of those that did not win mean anything to a rating.
///
/// A seat that never showed up is left out of the table: it costs the match, not the rating. A seat that was lost in any
/// other way stays, and has lost. Where the steward won for such a seat, no bot earned the win, and all that is known is
/// that one of the others would have had it: they share it equally. Where the steward won for a seat that never showed
/// up, the match says nothing, and so it does where no bot is left to share: by the model, leaving a match out because
/// of who won for an absent bot does not favour any of those present.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatedMatch<'a> {
    table: Vec<&'a BotName>,
    winners: Vec<&'a BotName>,
}

impl<'a> RatedMatch<'a> {
    /// Returns what a match says; nothing if it was cancelled, fewer than two bots showed up, or none of them won.
    pub fn of(result: &'a MatchResult) -> Option<Self> {
        let outcome = result.outcome.as_ref()?;
        let lost = |seat: Seat| outcome.seats[seat].lost;
        let bots = |wanted: &dyn Fn(Seat) -> bool| {
            let mut bots: Vec<_> =
                result.bots.enumerate().filter(|(seat, _)| wanted(*seat)).map(|(_, bot)| bot).collect();
            bots.sort_unstable();
            bots
        };
        let table = bots(&|seat| lost(seat) != Some(SeatLoss::NoShow));
        let winners = match lost(outcome.winner) {
            None => vec![&result.bots[outcome.winner]],
            Some(SeatLoss::Forfeited) => bots(&|seat| lost(seat).is_none()),
            Some(SeatLoss::NoShow) => return None,
        };
        // In the order of the names, all are one if the first and the last are.
        (table.first() != table.last() && !winners.is_empty()).then_some(Self { table, winners })
    }

    /// Returns the bots at the table, two or more, in the order of their names.
    pub fn table(&self) -> &[&'a BotName] {
        &self.table
    }

    /// Returns the bots that share the win, nearly always one, in the order of their names.
    pub fn winners(&self) -> &[&'a BotName] {
        &self.winners
    }

    /// Returns which share of the win each bot at the table has.
    pub(super) fn shares(&self) -> Vec<f64> {
        let share = 1.0 / f64::from(self.winners.len() as u32);
        let shares = self.table.iter().map(|bot| if self.winners.contains(bot) { share } else { 0.0 });
        shares.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{rating::testing, testing::field};
    use SeatLoss::{Forfeited, NoShow};

    /// Plays bot0, bot1, ... with seat 0 as the winner; writes the table and the winners as numbers.
    fn said(lost: &[Option<SeatLoss>]) -> Option<(String, String)> {
        let mut result = testing::result(0, &field(lost.len()), 0);
        let outcome = result.outcome.as_mut().unwrap();
        for seat in outcome.seats.seats().iter() {
            outcome.seats[seat].lost = lost[seat.index()];
        }
        let numbers = |bots: &[&BotName]| bots.iter().map(|bot| &bot.as_str()[3..]).collect::<String>();
        RatedMatch::of(&result).map(|said| (numbers(said.table()), numbers(said.winners())))
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
            ([Some(Forfeited), None, None], Some(("012", "12"))),
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
        assert_eq!(RatedMatch::of(&won_by_bot2), RatedMatch::of(&from_another_seat));
        assert!(RatedMatch::of(&MatchResult { outcome: None, ..won_by_bot2 }).is_none());
    }
}
