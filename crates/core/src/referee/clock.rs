//! The time control of a match.

use super::time::whole_micros;
use std::time::Duration;
use thiserror::Error;

const NANOS_PER_MILLI: u32 = 1_000_000;

/// The clock of a match: a bank for each seat, an increment for each take, a quota of lag credit, and a deadline for
/// declarations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    /// The initial bank of each seat, 1 ms to a day.
    pub initial: Duration,
    /// The time that is added to the bank after each take, 0 to an hour.
    pub increment: Duration,
    /// The maximum lag credit for one take, 0 to 10 s.
    pub lag_quota: Duration,
    /// The maximum lag credit of a seat in one match, 0 to 10 minutes.
    pub lag_total: Duration,
    /// The time to declare rows, 1 ms to an hour.
    pub declaration: Duration,
    /// How long a bot that is to move may be disconnected before its seat is forfeited, 1 ms to a day; `None` for as
    /// long as its bank lasts. The span starts with the bot's turn, or later when it disconnects.
    pub return_within: Option<Duration>,
}

/// A time out of range, or with a fraction of a millisecond, which records cannot represent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{field} is {} ms: expected a whole number of ms from {min} to {max}", millis_text(*.value))]
pub struct ClockError {
    /// The name of the time in protocol messages.
    pub field: &'static str,
    /// The given time.
    pub value: Duration,
    /// The minimum, in milliseconds.
    pub min: u64,
    /// The maximum, in milliseconds.
    pub max: u64,
}

impl Default for Clock {
    /// Returns a clock with an initial bank of ten seconds, an increment of 100 ms, a lag credit of up to 100 ms per
    /// take and 10 s in total, ten seconds to declare rows, and no time limit to return.
    fn default() -> Self {
        Self {
            initial: Duration::from_secs(10),
            increment: Duration::from_millis(100),
            lag_quota: Duration::from_millis(100),
            lag_total: Duration::from_secs(10),
            declaration: Duration::from_secs(10),
            return_within: None,
        }
    }
}

impl Clock {
    /// Returns the clock unchanged if all of its times are valid.
    ///
    /// # Errors
    /// If any time is invalid. The error lists every invalid time.
    pub fn validate(self) -> Result<Self, Vec<ClockError>> {
        let bounds = [
            ("initial_ms", self.initial, 1, 86_400_000),
            ("increment_ms", self.increment, 0, 3_600_000),
            ("lag_quota_ms", self.lag_quota, 0, 10_000),
            ("lag_total_ms", self.lag_total, 0, 600_000),
            ("declaration_ms", self.declaration, 1, 3_600_000),
        ];
        let to_return = self.return_within.map(|span| ("return_within_ms", span, 1, 86_400_000));
        let errors: Vec<_> = bounds
            .into_iter()
            .chain(to_return)
            .filter_map(|(field, span, min, max)| {
                let whole = span.subsec_nanos() % NANOS_PER_MILLI == 0;
                let fits = whole && (u128::from(min)..=u128::from(max)).contains(&span.as_millis());
                (!fits).then_some(ClockError { field, value: span, min, max })
            })
            .collect();
        if errors.is_empty() { Ok(self) } else { Err(errors) }
    }
}

/// Writes a time in milliseconds, such as `1.5`.
fn millis_text(time: Duration) -> String {
    let (whole, nanos) = (time.as_millis(), time.subsec_nanos() % NANOS_PER_MILLI);
    if nanos == 0 {
        whole.to_string()
    } else {
        format!("{whole}.{nanos:06}").trim_end_matches('0').to_owned()
    }
}

/// The thinking time and the lag credit that a seat has left, in whole microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeBank {
    left_us: u64,
    lag_left_us: u64,
}

/// The times of a clock that apply to each take, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TakeAllowance {
    pub(super) increment_us: u64,
    pub(super) lag_quota_us: u64,
}

impl TimeBank {
    /// Creates the bank that every seat starts with.
    pub fn new(clock: &Clock) -> Self {
        Self { left_us: whole_micros(clock.initial), lag_left_us: whole_micros(clock.lag_total) }
    }

    /// Returns the thinking time left.
    pub fn left(&self) -> Duration {
        Duration::from_micros(self.left_us)
    }

    /// Returns the lag credit left.
    pub fn lag_left(&self) -> Duration {
        Duration::from_micros(self.lag_left_us)
    }

    pub(super) fn left_us(&self) -> u64 {
        self.left_us
    }

    /// Returns how many microseconds of a measured lag are credited for one take.
    pub(super) fn lag_credit_us(&self, lag_us: u64, allowance: TakeAllowance) -> u64 {
        lag_us.min(allowance.lag_quota_us).min(self.lag_left_us)
    }

    /// Charges the seat for a take, uses up the credited lag, and adds the increment.
    pub(super) fn charge_take(&mut self, charged_us: u64, credited_us: u64, allowance: TakeAllowance) {
        self.left_us = self.left_us.saturating_sub(charged_us).saturating_add(allowance.increment_us);
        self.lag_left_us = self.lag_left_us.saturating_sub(credited_us);
    }
}

impl TakeAllowance {
    pub(super) fn new(clock: &Clock) -> Self {
        Self { increment_us: whole_micros(clock.increment), lag_quota_us: whole_micros(clock.lag_quota) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lag_credit_stays_within_both_limits() {
        let ms = Duration::from_millis;
        let clock = Clock { lag_quota: ms(100), lag_total: ms(150), increment: ms(7), ..Clock::default() };
        let (mut bank, allowance) = (TimeBank::new(&clock), TakeAllowance::new(&clock));
        assert_eq!(bank.lag_credit_us(30_000, allowance), 30_000);
        assert_eq!(bank.lag_credit_us(300_000, allowance), 100_000);
        bank.charge_take(1_000_000, 100_000, allowance);
        assert_eq!((bank.left(), bank.lag_left()), (ms(9007), ms(50)));
        assert_eq!(bank.lag_credit_us(300_000, allowance), 50_000);
    }

    #[test]
    fn every_time_out_of_range_is_reported() {
        let clock = Clock { initial: Duration::ZERO, lag_quota: Duration::from_secs(11), ..Clock::default() };
        let fields: Vec<_> = clock.validate().unwrap_err().iter().map(|error| error.field).collect();
        assert_eq!(fields, ["initial_ms", "lag_quota_ms"]);
        let clock = Clock { return_within: Some(Duration::ZERO), ..Clock::default() };
        assert_eq!(clock.validate().unwrap_err()[0].field, "return_within_ms");
        let clock = Clock { declaration: Duration::from_micros(1_500), ..Clock::default() };
        assert_eq!(
            clock.validate().unwrap_err()[0].to_string(),
            "declaration_ms is 1.5 ms: expected a whole number of ms from 1 to 3600000"
        );
        assert!(Clock::default().validate().is_ok());
    }
}
