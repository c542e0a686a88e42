//! The pace at which the matches of a tournament end.

use lastnim_core::referee::Timestamp;
use std::time::Duration;

/// Counts the matches that end while this server runs the tournament, and measures how long they take, not counting
/// pauses.
#[derive(Debug, Default)]
pub(crate) struct MatchPace {
    counting: Option<Counting>,
}

/// When counting began, and the pauses since then.
#[derive(Debug)]
struct Counting {
    /// When counting began, moved forward by the length of each pause that has ended.
    since: Timestamp,
    /// The number of matches that were already over when counting began.
    ended_before: u64,
    paused_at: Option<Timestamp>,
}

impl MatchPace {
    /// Starts counting when `ended` matches are already over.
    pub(crate) fn begin(&mut self, now: Timestamp, ended: u64) {
        self.counting = Some(Counting { since: now, ended_before: ended, paused_at: None });
    }

    /// Notes whether the tournament is paused.
    pub(crate) fn set_paused(&mut self, now: Timestamp, is_paused: bool) {
        let Some(counting) = &mut self.counting else { return };
        match counting.paused_at {
            None if is_paused => counting.paused_at = Some(now),
            Some(at) if !is_paused => {
                counting.since = counting.since + now.since(at);
                counting.paused_at = None;
            }
            _ => {}
        }
    }

    /// Returns the number of matches that have ended since counting began, and how long they took; `None` until a match
    /// has ended. `ended` is the total number of matches that are over now.
    pub(crate) fn so_far(&self, now: Timestamp, ended: u64) -> Option<(u64, Duration)> {
        let counting = self.counting.as_ref()?;
        let ended = ended.checked_sub(counting.ended_before).filter(|&ended| ended > 0)?;
        Some((ended, counting.paused_at.unwrap_or(now).since(counting.since)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_do_not_slow_down_the_measured_pace() {
        let time_at = |seconds: u64| Timestamp::from_micros(1_000_000 * seconds);
        let mut pace = MatchPace::default();
        pace.set_paused(time_at(1), true);
        assert_eq!(pace.so_far(time_at(2), 7), None, "counting has not begun");
        pace.begin(time_at(10), 5);
        assert_eq!(pace.so_far(time_at(20), 5), None, "no match has ended");
        let seconds = Duration::from_secs;
        assert_eq!(pace.so_far(time_at(20), 8), Some((3, seconds(10))));
        pace.set_paused(time_at(30), true);
        pace.set_paused(time_at(35), true);
        assert_eq!(pace.so_far(time_at(50), 9), Some((4, seconds(20))));
        pace.set_paused(time_at(60), false);
        pace.set_paused(time_at(61), false);
        assert_eq!(pace.so_far(time_at(70), 9), Some((4, seconds(30))));
    }
}
