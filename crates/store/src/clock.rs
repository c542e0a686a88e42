//! The state of the clock as kept in a store: the latest time that a server has read, and the jumps of the clock.

use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use std::time::Duration;

/// A clock that is behind the latest time in the store by at most this much counts as right, because clocks are often
/// corrected by seconds.
pub const MAX_CLOCK_STEP_BACK: Duration = Duration::from_mins(1);
/// A clock that is ahead of the latest time in the store by more than this may be wrong, because servers are rarely off
/// for that long.
pub const MAX_CLOCK_STEP_AHEAD: Duration = Duration::from_hours(24);

/// The state of the clock in a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredClock {
    /// The latest time that a server has read from its clock; `None` in a new store.
    pub latest: Option<Timestamp>,
    /// Each occasion on which a clock was found far ahead of the latest time, the earliest first.
    pub jumps: Vec<ClockJump>,
}

/// An occasion on which a clock was found far ahead of the latest time in the store. Either no server had run for a
/// long time, or the clock was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockJump {
    /// The time that the clock showed.
    pub found_at: Timestamp,
    /// How far the clock was ahead of the latest time in the store.
    pub length: Duration,
}

/// How a clock compares with the times in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockFit {
    /// The clock plausibly continues from the latest time.
    Plausible,
    /// The clock is behind the latest time by this much.
    Behind(Duration),
    /// The clock is ahead of the latest time by this much.
    Ahead(Duration),
}

/// The greatest ids in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewestIds {
    /// The greatest id of a match, whether or not the match is over.
    pub match_id: Option<MatchId>,
    /// The greatest id of a tournament.
    pub tournament: Option<TournamentId>,
}

/// How many timestamps in a store are later than a given time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LaterTimes {
    /// The number of later unsigned timestamps. [`Change::ClockRepaired`](crate::Change::ClockRepaired) sets them back.
    pub unsigned: u64,
    /// The number of matches with later timestamps in their signed records. These timestamps are not set back.
    pub matches: u64,
}

/// Formats a duration, rounded down, in minutes if it is shorter than 2 hours, in hours if it is shorter than 2 days,
/// and otherwise in days.
pub fn approximate_duration(span: Duration) -> String {
    let minutes = span.as_secs() / 60;
    let (number, unit) = match minutes {
        0..120 => (minutes, "minute"),
        120..2_880 => (minutes / 60, "hour"),
        _ => (minutes / 1_440, "day"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

impl StoredClock {
    /// Returns how a clock that shows `now` compares with the times in the store.
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

    /// Returns the time by which a match must have ended to be at least `age` old at `now`. The lengths of clock jumps
    /// do not count as age.
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
    fn implausible_clocks_are_detected() {
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
    fn durations_are_written_in_their_largest_unit() {
        let texts = [1, 119, 120, 47 * 60, 48 * 60, 144_059]
            .map(|minutes| approximate_duration(Duration::from_mins(minutes)));
        assert_eq!(texts, ["1 minute", "119 minutes", "2 hours", "47 hours", "2 days", "100 days"]);
    }

    #[test]
    fn a_clock_jump_expires_no_records() {
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
        // The store was last used on day 100. The next server started when its clock showed day 200.
        let jumped = clock(&[(200, 100)]);
        assert_eq!(ago(&jumped, 200, 30), day(70), "the jump makes no further match old");
        assert_eq!(ago(&jumped, 210, 30), day(80));
        assert_eq!(ago(&jumped, 230, 30), day(200));
        assert_eq!(ago(&jumped, 231, 30), day(201), "the jump is long past");
        let twice = clock(&[(200, 100), (300, 90)]);
        assert_eq!(
            ago(&twice, 305, 30),
            day(85),
            "5 days since the last jump, 10 between the jumps, and 15 before the first"
        );
        assert_eq!(ago(&twice, 305, 5), day(300));
        // Here the clock was set back after the jump.
        assert_eq!(ago(&jumped, 150, 30), day(70));
    }
}
