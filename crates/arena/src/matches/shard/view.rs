//! The announced state of a running match.

use lastnim_core::game::{Seat, SeatVersions};
use lastnim_core::referee::{MatchPhase, Referee, RunningClock, Timestamp};
use std::time::Duration;

/// The announced state of a match that has begun and is not over.
#[derive(Debug, Clone)]
pub struct AnnouncedMatch {
    pub phase: MatchPhase,
    pub plies: u32,
    /// The seats that the match waits for.
    pub awaited: AwaitedSeats,
    /// The bot versions that have played at each seat; empty if no bot has reported a version.
    pub versions: Vec<SeatVersions>,
}

/// The part of a match's state that has been announced.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnnouncedState {
    pub(super) phase: MatchPhase,
    pub(super) plies: u32,
    pub(super) awaited: AwaitedSeats,
}

/// The seats that a match waits for, as last announced.
#[derive(Debug, Clone, Copy, Default)]
pub struct AwaitedSeats {
    /// A bit for each seat, the lowest for seat 0.
    seats: u32,
    /// The clock of these seats, if one is running.
    clock: Option<RunningClock>,
    /// When the organiser paused the match, if it is paused.
    pub frozen_at: Option<Timestamp>,
}

impl AwaitedSeats {
    /// Returns the seats that the referee waits for.
    pub(super) fn of_referee(referee: &Referee, frozen_at: Option<Timestamp>) -> Self {
        let state = referee.record().state();
        let bit = |seat: Seat| 1 << seat.index();
        let seats = match state.phase() {
            MatchPhase::Talking => {
                let seats = state.setup().seats().iter();
                seats.filter(|&seat| !state.has_ended_talk(seat)).map(bit).sum()
            }
            MatchPhase::Declaring => {
                let seats = state.setup().seats().iter();
                seats.filter(|&seat| state.row_of_seat(seat).is_none()).map(bit).sum()
            }
            MatchPhase::Playing => bit(state.position().to_move()),
            MatchPhase::Ended => 0,
        };
        Self { seats, clock: referee.running_clock(), frozen_at }
    }

    /// Returns whether the match waits for a seat.
    pub fn contains(&self, seat: Seat) -> bool {
        self.seats & (1 << seat.index()) != 0
    }

    /// Returns how long the clock has run, and how much time is left; `None` if no clock is running.
    pub fn elapsed_and_remaining(&self, now: Timestamp) -> Option<(Duration, Duration)> {
        let RunningClock { since, until } = self.clock?;
        let now = self.frozen_at.unwrap_or(now);
        Some((now.since(since), until.since(now)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::SeatCount;

    #[test]
    fn a_frozen_match_keeps_its_remaining_time() {
        let time_at = |seconds: u64| Timestamp::from_micros(1_000_000 * seconds);
        let clock = Some(RunningClock { since: time_at(10), until: time_at(30) });
        let seconds = |waited, left| Some((Duration::from_secs(waited), Duration::from_secs(left)));
        let awaited = AwaitedSeats { seats: 0b101, clock, frozen_at: None };
        assert_eq!(awaited.elapsed_and_remaining(time_at(16)), seconds(6, 14));
        assert_eq!(awaited.elapsed_and_remaining(time_at(40)), seconds(30, 0), "the time-out is pending");
        let frozen = AwaitedSeats { frozen_at: Some(time_at(12)), ..awaited };
        assert_eq!(frozen.elapsed_and_remaining(time_at(40)), seconds(2, 18));
        assert_eq!(AwaitedSeats { clock: None, ..awaited }.elapsed_and_remaining(time_at(16)), None);
        let seats = SeatCount::new(3).unwrap();
        assert_eq!(seats.iter().map(|seat| awaited.contains(seat)).collect::<Vec<_>>(), [true, false, true]);
    }
}
