//! Results for the tests of ratings.

use crate::{
    game::{BotName, BySeat},
    tournament::{MatchResult, Outcome, SeatResult},
};

/// Returns the result of a match of a group, won by the bot of this seat.
pub(in crate::tournament) fn result(group: u64, bots: &[BotName], winner: usize) -> MatchResult {
    let bots: BySeat<_> = bots.to_vec().try_into().unwrap();
    let winner = bots.seats().seat(winner).unwrap();
    let seats = BySeat::filled(bots.seats(), &SeatResult::default());
    MatchResult { number: group, group, bots, outcome: Some(Outcome { winner, seats }) }
}
