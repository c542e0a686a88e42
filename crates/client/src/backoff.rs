//! How long to wait before the next attempt to connect.

use std::time::Duration;

/// The longest pause after the first failure.
const FIRST: Duration = Duration::from_millis(100);
/// The longest pause after any failure.
const LONGEST: Duration = Duration::from_secs(10);

/// Doubles the pause after each failure, up to a bound, and spreads it so that bots that were lost together do not
/// return together.
#[derive(Debug)]
pub(super) struct Backoff {
    ceiling: Duration,
}

impl Backoff {
    /// Starts with the shortest pause.
    pub(super) fn new() -> Self {
        Self { ceiling: FIRST }
    }

    /// Returns the next pause: half to all of the ceiling, by where `random` lies in its range.
    pub(super) fn next_pause(&mut self, random: u32) -> Duration {
        let half = self.ceiling / 2;
        let spread = half.mul_f64(f64::from(random) / f64::from(u32::MAX));
        self.ceiling = (2 * self.ceiling).min(LONGEST);
        half + spread
    }

    /// Starts over after a session that held for `held`; one that broke at once changes nothing.
    pub(super) fn reset_if_held(&mut self, held: Duration) {
        if held >= LONGEST {
            *self = Self::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pauses_double_up_to_the_bound() {
        let mut backoff = Backoff::new();
        let pauses: Vec<_> = (0..9).map(|_| backoff.next_pause(u32::MAX).as_millis()).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    }

    #[test]
    fn only_a_session_that_held_starts_it_over() {
        let mut backoff = Backoff::new();
        for _ in 0..20 {
            backoff.next_pause(0);
        }
        backoff.reset_if_held(Duration::from_secs(1));
        assert_eq!(backoff.next_pause(0), LONGEST / 2);
        backoff.reset_if_held(LONGEST);
        assert_eq!(backoff.next_pause(0), FIRST / 2);
    }

    proptest! {
        #[test]
        fn a_pause_is_half_to_all_of_its_ceiling(failures in 0_u32..40, random: u32) {
            let mut backoff = Backoff::new();
            for _ in 0..failures {
                backoff.next_pause(random);
            }
            let ceiling = FIRST.saturating_mul(1 << failures.min(20)).min(LONGEST);
            let pause = backoff.next_pause(random);
            prop_assert!(ceiling / 2 <= pause && pause <= ceiling);
        }
    }
}
