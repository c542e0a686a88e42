//! Pauses between attempts to connect.

use std::time::Duration;

/// Maximum pause after the first failure.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// Maximum pause after any failure.
const MAX_PAUSE: Duration = Duration::from_secs(10);

/// The pause before the next attempt to connect. Its maximum doubles after each failure, up to [`MAX_PAUSE`]. Jitter
/// prevents bots that lost their sessions together from reconnecting together.
#[derive(Debug)]
pub(super) struct Backoff {
    ceiling: Duration,
}

impl Backoff {
    pub(super) fn new() -> Self {
        Self { ceiling: FIRST_PAUSE }
    }

    /// Returns the next pause: half to all of the current maximum, chosen by `random`.
    pub(super) fn next_pause(&mut self, random: u32) -> Duration {
        let half = self.ceiling / 2;
        let spread = half.mul_f64(f64::from(random) / f64::from(u32::MAX));
        self.ceiling = (2 * self.ceiling).min(MAX_PAUSE);
        half + spread
    }

    /// Resets the pause if the last session lasted at least as long as the longest pause.
    pub(super) fn reset_if_lasting(&mut self, lasted: Duration) {
        if lasted >= MAX_PAUSE {
            *self = Self::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pauses_double_up_to_the_maximum() {
        let mut backoff = Backoff::new();
        let pauses: Vec<_> = (0..9).map(|_| backoff.next_pause(u32::MAX).as_millis()).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    }

    #[test]
    fn only_a_lasting_session_resets_the_pause() {
        let mut backoff = Backoff::new();
        for _ in 0..20 {
            backoff.next_pause(0);
        }
        backoff.reset_if_lasting(Duration::from_secs(1));
        assert_eq!(backoff.next_pause(0), MAX_PAUSE / 2);
        backoff.reset_if_lasting(MAX_PAUSE);
        assert_eq!(backoff.next_pause(0), FIRST_PAUSE / 2);
    }

    proptest! {
        #[test]
        fn a_pause_is_between_half_and_all_of_its_maximum(failures in 0_u32..40, random: u32) {
            let mut backoff = Backoff::new();
            for _ in 0..failures {
                backoff.next_pause(random);
            }
            let ceiling = FIRST_PAUSE.saturating_mul(1 << failures.min(20)).min(MAX_PAUSE);
            let pause = backoff.next_pause(random);
            prop_assert!(ceiling / 2 <= pause && pause <= ceiling);
        }
    }
}
