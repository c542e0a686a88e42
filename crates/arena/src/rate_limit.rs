//! Limits on how often something may happen.

use lastnim_core::referee::Timestamp;
use std::time::{Duration, Instant};

/// Converts a waiting time to whole seconds, rounded up and at least 1.
pub fn retry_seconds(wait: Duration) -> u64 {
    wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1)
}

/// A limit that allows `at_once` actions at first, and restores one used action per interval. No more than `at_once`
/// are ever available, even if nothing happens for a long time.
///
/// The caller stores the [`RateUse`], so that it can check the limit before it counts an action.
#[derive(Debug, Clone, Copy)]
pub struct RateLimit {
    at_once: u64,
    /// The time in nanoseconds after which one action is restored; `None` if actions are never restored.
    interval: Option<u128>,
}

/// How much of a limit has been used. The caller provides the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateUse<T> {
    at: T,
    /// The number of nanoseconds until all used actions are restored, or the number of used actions if they are never
    /// restored.
    used: u128,
}

/// A point in time on some clock.
pub trait Moment: Copy {
    /// Returns the time since `earlier`; zero if `earlier` is later.
    fn elapsed_since(self, earlier: Self) -> Duration;
}

impl Moment for Instant {
    fn elapsed_since(self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }
}

impl Moment for Timestamp {
    fn elapsed_since(self, earlier: Self) -> Duration {
        self.since(earlier)
    }
}

impl RateLimit {
    /// Creates a limit that allows `at_once` actions at first, and then one per interval. An interval of zero means no
    /// limit.
    pub fn new(at_once: u64, interval: Duration) -> Self {
        Self { at_once, interval: Some(interval.as_nanos()) }
    }

    /// Creates a limit that allows `at_once` actions at first, and then `rate` actions per second.
    pub fn per_second(at_once: u64, rate: u64) -> Self {
        let second = Duration::from_secs(1).as_nanos();
        // A rate above a billion per second counts as a billion.
        Self { at_once, interval: second.checked_div(rate.into()).map(|interval| interval.max(1)) }
    }

    /// Counts `actions` more actions, and returns the updated use.
    ///
    /// # Errors
    /// If the actions exceed the limit now, returns the time until they are allowed. They are not counted in that case.
    pub fn count<T: Moment>(
        &self,
        before: Option<RateUse<T>>,
        now: T,
        actions: u64,
    ) -> Result<RateUse<T>, Duration> {
        let cost = self.interval.unwrap_or(1);
        let used = before
            .map_or(0, |before| self.used_at(before, now))
            .saturating_add(cost.saturating_mul(actions.into()));
        let excess = used.saturating_sub(cost.saturating_mul(self.at_once.into()));
        match (excess, self.interval) {
            (0, _) => Ok(RateUse { at: now, used }),
            (_, None) => Err(Duration::MAX),
            (excess, Some(_)) => Err(Duration::from_nanos(u64::try_from(excess).unwrap_or(u64::MAX))),
        }
    }

    /// Returns whether all used actions have been restored.
    pub fn is_clear<T: Moment>(&self, before: RateUse<T>, now: T) -> bool {
        self.used_at(before, now) == 0
    }

    fn used_at<T: Moment>(&self, before: RateUse<T>, now: T) -> u128 {
        let restored = self.interval.map_or(0, |_| now.elapsed_since(before.at).as_nanos());
        before.used.saturating_sub(restored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts actions one by one until one is refused, and returns how many were allowed.
    fn count_all(limit: RateLimit, used: &mut Option<RateUse<Timestamp>>, second: u64) -> u64 {
        let now = Timestamp::from_micros(second * 1_000_000);
        let mut allowed = 0;
        while let Ok(next) = limit.count(*used, now, 1) {
            *used = Some(next);
            allowed += 1;
        }
        allowed
    }

    #[test]
    fn an_idle_hour_restores_at_most_the_burst() {
        let (limit, mut used) = (RateLimit::per_second(100, 10), None);
        assert_eq!(count_all(limit, &mut used, 0), 100);
        assert_eq!(count_all(limit, &mut used, 1), 10);
        assert_eq!(count_all(limit, &mut used, 3), 20);
        assert_eq!(count_all(limit, &mut used, 3_603), 100);
        let first_after_an_hour = count_all(limit, &mut None, 3_600);
        assert_eq!(first_after_an_hour, 100);
    }

    #[test]
    fn a_steady_rate_within_the_limit_is_never_refused() {
        let (limit, mut used) = (RateLimit::per_second(10, 4), None);
        for second in 0..10_000 {
            used = Some(limit.count(used, Timestamp::from_micros(second * 1_000_000), 4).unwrap());
        }
        assert!(limit.is_clear(used.unwrap(), Timestamp::from_micros(10_000_000_000)));
    }

    #[test]
    fn a_rate_of_zero_restores_nothing() {
        let (limit, mut used) = (RateLimit::per_second(3, 0), None);
        assert_eq!(count_all(limit, &mut used, 0), 3);
        assert_eq!(count_all(limit, &mut used, 1_000_000), 0);
        assert_eq!(limit.count(used, Timestamp::from_micros(0), 1), Err(Duration::MAX));
    }

    #[test]
    fn refused_actions_do_not_count_and_get_a_retry_time() {
        let (limit, start) = (RateLimit::new(2, Duration::from_secs(10)), Instant::now());
        let used = limit.count(None, start, 2).unwrap();
        assert_eq!(limit.count(Some(used), start, 1), Err(Duration::from_secs(10)));
        assert_eq!(limit.count(Some(used), start, 2), Err(Duration::from_secs(20)));
        let later = start + Duration::from_secs(4);
        assert_eq!(limit.count(Some(used), later, 1), Err(Duration::from_secs(6)));
        assert!(limit.count(Some(used), start + Duration::from_secs(10), 1).is_ok());
    }

    #[test]
    fn retry_times_are_rounded_up_to_whole_seconds() {
        for (millis, seconds) in [(0, 1), (1, 1), (1_000, 1), (1_001, 2), (119_999, 120), (120_000, 120)] {
            assert_eq!(retry_seconds(Duration::from_millis(millis)), seconds, "{millis} ms");
        }
        assert_eq!(retry_seconds(Duration::MAX), u64::MAX);
    }

    #[test]
    fn extreme_limits_do_not_overflow() {
        for limit in [RateLimit::new(u64::MAX, Duration::MAX), RateLimit::per_second(u64::MAX, u64::MAX)] {
            let used = limit.count(None, Instant::now(), u64::MAX).unwrap();
            let _ = limit.count(Some(used), Instant::now(), u64::MAX);
        }
    }
}
