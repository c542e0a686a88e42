//! Timestamps that people can read.

use std::fmt;

/// A time in microseconds since 1970-01-01 UTC, displayed as RFC 3339 with six decimals, such as
/// `2023-11-14T22:13:20.000000Z`. RFC 3339 ends with the year 9999; later years have more digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utc(pub u64);

const SECOND: u64 = 1_000_000;
const DAY: u64 = 86_400 * SECOND;
/// Days in 400 years, after which the calendar repeats.
const DAYS_OF_ERA: u64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const DAYS_TO_EPOCH: u64 = 719_468;

/// Returns the year, month and day. Internally, years begin in March, so that a leap day is the last day of its year.
fn date_of_days(days: u64) -> (u64, u64, u64) {
    let days = days + DAYS_TO_EPOCH;
    let (era, day_of_era) = (days / DAYS_OF_ERA, days % DAYS_OF_ERA);
    let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (400 * era + year_of_era + u64::from(month <= 2), month, day)
}

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_of_days(self.0 / DAY);
        let (seconds, micros) = (self.0 % DAY / SECOND, self.0 % SECOND);
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_are_formatted() {
        for (micros, text) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_400_000_001, "2000-02-29T00:00:00.000001Z"),
            (1_700_000_000_000_000, "2023-11-14T22:13:20.000000Z"),
            (4_107_542_399_999_999, "2100-02-28T23:59:59.999999Z"),
            (253_402_300_800_000_000, "10000-01-01T00:00:00.000000Z"),
            (u64::MAX, "586524-01-19T08:01:49.551615Z"),
        ] {
            assert_eq!(Utc(micros).to_string(), text);
        }
    }
}
