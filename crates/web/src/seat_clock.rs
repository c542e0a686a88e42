//! The remaining time of a seat.

use super::replay::Replay;
use lastnim_proto::pb;
use std::fmt;

/// The remaining time of a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SeatClock {
    pub left_ms: u64,
    /// Whether the clock is running.
    pub runs: bool,
}

impl SeatClock {
    /// Returns the clock of a seat after some plies. For the current position, `open` shows whose clock is running:
    /// that of the seat to move, or, before rows are revealed, of every seat that has yet to declare.
    pub(super) fn of_seat(
        replay: &Replay,
        seat: usize,
        plies: u32,
        open: Option<&pb::OpenMatch>,
    ) -> Option<Self> {
        let awaited = open.filter(|open| open.awaited_seats.contains(&(seat as u32)));
        match awaited.and_then(|open| Some((open.left_ms?, !open.frozen))) {
            Some((left_ms, runs)) => Some(Self { left_ms, runs }),
            None => Some(Self { left_ms: replay.bank_ms(seat, plies)?, runs: false }),
        }
    }
}

impl fmt::Display for SeatClock {
    /// Writes `1:02:05` from an hour on, `1:05` from a minute on, and `0:09.5` below that, like `clock.js`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, tenths) = (self.left_ms / 1_000, self.left_ms % 1_000 / 100);
        match (seconds / 3_600, seconds / 60) {
            (0, 0) => write!(f, "0:{seconds:02}.{tenths}"),
            (0, minutes) => write!(f, "{minutes}:{:02}", seconds % 60),
            (hours, minutes) => write!(f, "{hours}:{:02}:{:02}", minutes % 60, seconds % 60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_are_shown_below_a_minute() {
        let clock_text = |left_ms| SeatClock { left_ms, runs: false }.to_string();
        assert_eq!([0, 9_599, 59_999].map(clock_text), ["0:00.0", "0:09.5", "0:59.9"]);
        assert_eq!([60_000, 3_599_999, 3_600_000].map(clock_text), ["1:00", "59:59", "1:00:00"]);
    }
}
