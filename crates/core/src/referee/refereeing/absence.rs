//! The time that disconnected bots have to return.

use super::Referee;
use crate::game::{BySeat, Seat};
use crate::referee::{MatchPhase, MatchSetup, Timestamp};

/// Returns the times at which bots disconnected before a match begins or resumes; `None` if bots need not return within
/// a span. These times are zero, so a bot that is absent then has the whole span once it is to move.
pub(super) fn no_departures(setup: &MatchSetup) -> Option<BySeat<Timestamp>> {
    setup.clock().return_within.map(|_| BySeat::filled(setup.seats(), &Timestamp::from_micros(0)))
}

impl Referee {
    /// Marks a seat's bot as disconnected.
    pub(super) fn note_departure(&mut self, seat: Seat) {
        if let Some(left_at) = &mut self.left_at
            && self.present.contains(seat)
        {
            left_at[seat] = self.now;
        }
        self.present.remove(seat);
    }

    /// Returns when the bot of the seat to move must be back, given when its clock started; `None` if it is connected or
    /// may be disconnected for as long as its bank lasts.
    pub(super) fn return_deadline(&self, clock_started: Timestamp) -> Option<Timestamp> {
        let left_at = self.left_at.as_ref()?;
        let state = self.state();
        let within = state.setup().clock().return_within?;
        let seat = state.position().to_move();
        if state.phase() != MatchPhase::Playing || self.present.contains(seat) {
            return None;
        }
        let since = clock_started.max(left_at[seat]);
        Some(self.add_excused(since, since + within))
    }
}
