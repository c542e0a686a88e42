//! Waits for an endpoint that still fails after all retries of a call, while the organiser freezes the match.

use super::failure::CallFailure;
use std::time::Duration;
use tokio::{sync::Mutex, time::Instant};

/// The pause before the first new attempt; each pause is twice as long as the previous one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause between two attempts. After status 429 an attempt also waits for as long as the endpoint asks.
const MAX_PAUSE: Duration = Duration::from_mins(5);

/// The state of a bot's endpoint. During an outage, one question at a time calls the endpoint; the others wait for it.
#[derive(Debug, Default)]
pub struct OutageGate {
    /// The number of failed attempts in a row; 0 while the endpoint works.
    pub failed_attempts: Mutex<u32>,
}

impl OutageGate {
    /// Notes that a question has encountered an outage.
    pub async fn begin(&self) {
        let mut attempts = self.failed_attempts.lock().await;
        *attempts = (*attempts).max(1);
    }
}

/// Returns the pause before the next attempt; `None` if it would not end before `ends`.
pub fn outage_pause(failure: &CallFailure, failed_attempts: u32, ends: Instant) -> Option<Duration> {
    let growing = FIRST_PAUSE.saturating_mul(1 << failed_attempts.saturating_sub(1).min(16));
    let pause = failure.retry_after.unwrap_or(growing).min(MAX_PAUSE);
    (Instant::now() + pause < ends).then_some(pause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FailureClass;

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_up_to_a_limit() {
        let failure = CallFailure::new(FailureClass::ServerError, "503");
        let ends = Instant::now() + Duration::from_hours(1);
        let pause = |attempts| outage_pause(&failure, attempts, ends).unwrap().as_secs();
        assert_eq!([1, 2, 5, 9, 10, 1_000].map(pause), [1, 2, 16, 256, 300, 300]);
        let asked = CallFailure { retry_after: Some(Duration::from_secs(7)), ..failure.clone() };
        assert_eq!(outage_pause(&asked, 1_000, ends), Some(Duration::from_secs(7)));
        let soon = Instant::now() + Duration::from_secs(1);
        assert_eq!(outage_pause(&failure, 1, soon), None, "the limit is reached");
    }
}
