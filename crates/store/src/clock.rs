//! The state of the clock in a store: the latest time, and the gaps during which no server ran.

use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use std::time::Duration;

/// A clock that is behind the latest time in the store by at most this much counts as right, because clocks are often
/// corrected by seconds.
pub const MAX_CLOCK_STEP_BACK: Duration = Duration::from_mins(1);
/// A clock that is more than this ahead of the latest time in the store may be wrong: servers are rarely off for this long.
pub const MAX_CLOCK_STEP_AHEAD: Duration = Duration::from_hours(24);

/// The state of the clock in a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredClock {
    /// The latest time that a server has observed; `None` in a new store.
    pub latest: Option<Timestamp>,
    /// Each occasion on which a clock was found far ahead of the latest time, in order.
    pub jumps: Vec<ClockJump>,
}

/// A clock was found far ahead of the latest time in the store: the server was off, or the clock is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockJump {
    /// The time by that clock.
    pub found_at: Timestamp,
    /// How far it was ahead.
    pub length: Duration,
}

/// How a clock compares with the times in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockFit {
    /// The clock plausibly continues from the latest time.
    Plausible,
    /// The latest time is ahead of it by this much.
    Behind(Duration),
    /// It is ahead of the latest time by this much.
    Ahead(Duration),
}

/// The greatest ids in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewestIds {
    /// The greatest id of a match, over or not.
    pub match_id: Option<MatchId>,
    /// The greatest id of a tournament.
    pub tournament: Option<TournamentId>,
}

/// How many timestamps in a store are later than a given time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LaterTimes {
    /// Unsigned timestamps, which [`Change::ClockRepaired`](crate::Change::ClockRepaired) sets back.
    pub unsigned: u64,
    /// Matches whose signed records have such timestamps, which stay.
    pub matches: u64,
}

/// Formats a span in its largest unit.
pub fn rough_span(span: Duration) -> String {
    let minutes = span.as_secs() / 60;
    let (number, unit) = match minutes {
        0..120 => (minutes, "minute"),
        120..2_880 => (minutes / 60, "hour"),
        _ => (minutes / 1_440, "day"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

impl StoredClock {
    /// Returns how a clock that shows this time compares with the store.
    pub fn fit(&self, now: Timestamp) -> ClockFit {
        let Some(latest) = self.latest else { return ClockFit::Plausible };
        let (behind, ahead) = (latest.since(now), now.since(latest));
        if behind > MAX_CLOCK_STEP_BACK {
            ClockFit::Behind(behind)
        } else if ahead > MAX_CLOCK_STEP_AHEAD {
            ClockFit::Ahead(ahead)
        } else {
            ClockFit::Plausible
        }
    }

    /// Returns the time before which a match must have ended to have this age now. The lengths of jumps do not count as
    /// age.
    pub fn time_ago(&self, now: Timestamp, age: Duration) -> Timestamp {
        let (mut at, mut left) = (now, age);
        for jump in self.jumps.iter().rev() {
            let since_jump = at.since(jump.found_at);
            if left <= since_jump {
                break;
            }
            left -= since_jump;
            at = at.min(jump.found_at.minus(jump.length));
        }
        at.minus(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_hours(24);

    fn day(number: u64) -> Timestamp {
        Timestamp::default() + DAY * number as u32
    }

    #[test]
    fn a_clock_fits_or_not() {
        let clock = StoredClock { latest: Some(day(100)), jumps: Vec::new() };
        let second = Duration::from_secs(1);
        assert_eq!(StoredClock::default().fit(day(7)), ClockFit::Plausible);
        assert_eq!(clock.fit(day(100)), ClockFit::Plausible);
        assert_eq!(clock.fit(day(100).minus(MAX_CLOCK_STEP_BACK)), ClockFit::Plausible);
        assert_eq!(clock.fit(day(100).minus(61 * second)), ClockFit::Behind(61 * second));
        assert_eq!(clock.fit(day(101)), ClockFit::Plausible);
        assert_eq!(clock.fit(day(101) + second), ClockFit::Ahead(DAY + second));
    }

    #[test]
    fn spans_are_said_in_their_largest_unit() {
        let said =
            [1, 119, 120, 47 * 60, 48 * 60, 144_059].map(|minutes| rough_span(Duration::from_mins(minutes)));
        assert_eq!(said, ["1 minute", "119 minutes", "2 hours", "47 hours", "2 days", "100 days"]);
    }

    #[test]
    fn a_jump_of_the_clock_makes_nothing_old() {
        let clock = |jumps: &[(u64, u64)]| StoredClock {
            latest: None,
            jumps: jumps
                .iter()
                .map(|&(found_at, length)| ClockJump { found_at: day(found_at), length: DAY * length as u32 })
                .collect(),
        };
        let ago = |clock: &StoredClock, now, days| clock.time_ago(day(now), DAY * days);
        let calm = clock(&[]);
        assert_eq!((ago(&calm, 100, 30), ago(&calm, 10, 30)), (day(70), day(0)));
        // The store was last used on day 100. On day 205 a server started, but its clock showed day 200.
        let jumped = clock(&[(200, 100)]);
        assert_eq!(ago(&jumped, 200, 30), day(70), "nothing more is old than was before the jump");
        assert_eq!(ago(&jumped, 210, 30), day(80));
        assert_eq!(ago(&jumped, 230, 30), day(200));
        assert_eq!(ago(&jumped, 231, 30), day(201), "it is long past");
        let twice = clock(&[(200, 100), (300, 90)]);
        assert_eq!(
            ago(&twice, 305, 30),
            day(85),
            "5 days since the last jump, 10 before it, and 15 before the first"
        );
        assert_eq!(ago(&twice, 305, 5), day(300));
        // This clock is set back after a jump.
        assert_eq!(ago(&jumped, 150, 30), day(70));
    }
}
