//! What is always known of a match that runs.

use crate::game::{MatchId, Seat, SeatVersions};
use crate::referee::{MatchPhase, MatchSetup, MatchState, Referee, RunningClock, Timestamp};
use crate::store::MatchSummary;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What is announced of a match that runs. Looking at it never makes the match wait.
#[derive(Debug)]
pub struct MatchOverview {
    setup: Arc<MatchSetup>,
    is_revealed: AtomicBool,
    plies: AtomicU32,
    is_begun: AtomicBool,
    is_over: AtomicBool,
    versions: Mutex<Vec<SeatVersions>>,
    awaited: Mutex<AwaitedSeats>,
}

/// Whom a match waits for, as it was announced last.
#[derive(Debug, Clone, Copy, Default)]
pub struct AwaitedSeats {
    /// A bit for each seat, the lowest for seat 0.
    seats: u32,
    /// Their clock, if one runs.
    clock: Option<RunningClock>,
    /// When the organiser let the match wait, if it does.
    pub frozen_at: Option<Timestamp>,
}

impl AwaitedSeats {
    /// Returns whom a match waits for as its referee has it.
    pub fn of_referee(referee: &Referee, frozen_at: Option<Timestamp>) -> Self {
        let state = referee.record().state();
        let bit = |seat: Seat| 1 << seat.index();
        let seats = match state.phase() {
            MatchPhase::Declaring => {
                let seats = state.setup().seats().iter();
                seats.filter(|&seat| state.row_of_seat(seat).is_none()).map(bit).sum()
            }
            MatchPhase::Playing => bit(state.position().to_move()),
            MatchPhase::Ended => 0,
        };
        Self { seats, clock: referee.running_clock(), frozen_at }
    }

    /// Returns whether a seat is waited for.
    pub fn contains(&self, seat: Seat) -> bool {
        self.seats & (1 << seat.index()) != 0
    }

    /// Returns for how long the clock has run, and how much time is left; `None` if none runs.
    pub fn waited_and_left(&self, now: Timestamp) -> Option<(Duration, Duration)> {
        let RunningClock { since, until } = self.clock?;
        let now = self.frozen_at.unwrap_or(now);
        Some((now.since(since), until.since(now)))
    }
}

impl MatchOverview {
    /// Begins with a match whose beginning is not announced yet.
    pub fn new(setup: MatchSetup) -> Self {
        let (is_revealed, plies, is_begun, is_over, versions, awaited) = Default::default();
        Self { setup: Arc::new(setup), is_revealed, plies, is_begun, is_over, versions, awaited }
    }

    /// Shows how far the match has come; with that, it has begun.
    pub fn show_state(&self, state: &MatchState) {
        self.plies.store(state.ply(), Ordering::Relaxed);
        self.is_revealed.store(state.game().is_some(), Ordering::Relaxed);
        self.is_begun.store(true, Ordering::Release);
    }

    /// Shows whom the match waits for.
    pub fn show_awaited(&self, awaited: AwaitedSeats) {
        *self.awaited.lock().unwrap_or_else(PoisonError::into_inner) = awaited;
    }

    /// Returns whom the match waits for.
    pub fn awaited(&self) -> AwaitedSeats {
        *self.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows which versions have sat at the seats.
    pub fn show_versions(&self, versions: Vec<SeatVersions>) {
        *self.versions.lock().unwrap_or_else(PoisonError::into_inner) = versions;
    }

    /// Returns by seat the versions that have sat there; nothing if none was said.
    pub fn versions(&self) -> Vec<SeatVersions> {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says that the match is over and its end stored: all of it is to be read from the store from now on.
    pub fn mark_over(&self) {
        self.is_over.store(true, Ordering::Release);
    }

    /// Returns what was fixed before the first move.
    pub fn setup(&self) -> &Arc<MatchSetup> {
        &self.setup
    }

    /// Returns whether its beginning is announced, and its end not stored.
    pub fn is_under_way(&self) -> bool {
        self.is_begun.load(Ordering::Acquire) && !self.is_over.load(Ordering::Acquire)
    }

    /// Sums the match up; nothing if its beginning is not announced yet, or it is over.
    pub fn summary(&self, id: MatchId) -> Option<MatchSummary> {
        if !self.is_under_way() {
            return None;
        }
        let phase = if self.is_revealed.load(Ordering::Relaxed) {
            MatchPhase::Playing
        } else {
            MatchPhase::Declaring
        };
        let plies = self.plies.load(Ordering::Relaxed);
        let (setup, versions) = (Some(Arc::clone(&self.setup)), self.versions());
        Some(MatchSummary { id, setup, phase, plies, end: None, damage: None, void_reason: None, versions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::SeatCount;

    #[test]
    fn a_match_that_waits_for_the_organiser_has_as_much_time_left_as_before() {
        let at = |seconds: u64| Timestamp::from_micros(1_000_000 * seconds);
        let clock = Some(RunningClock { since: at(10), until: at(30) });
        let seconds = |waited, left| Some((Duration::from_secs(waited), Duration::from_secs(left)));
        let awaited = AwaitedSeats { seats: 0b101, clock, frozen_at: None };
        assert_eq!(awaited.waited_and_left(at(16)), seconds(6, 14));
        assert_eq!(awaited.waited_and_left(at(40)), seconds(30, 0), "what follows is on its way");
        let frozen = AwaitedSeats { frozen_at: Some(at(12)), ..awaited };
        assert_eq!(frozen.waited_and_left(at(40)), seconds(2, 18));
        assert_eq!(AwaitedSeats { clock: None, ..awaited }.waited_and_left(at(16)), None);
        let seats = SeatCount::new(3).unwrap();
        assert_eq!(seats.iter().map(|seat| awaited.contains(seat)).collect::<Vec<_>>(), [true, false, true]);
    }
}
