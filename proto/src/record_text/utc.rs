//! Points in time as people read them.

use std::{fmt, str::FromStr};

/// A point in time, in microseconds since 1970-01-01 UTC; as text it is RFC 3339 with six decimals, as in
/// `2023-11-14T22:13:20.000000Z`. Years after 9999, which RFC 3339 does not know, have more digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utc(pub u64);

const SECOND: u64 = 1_000_000;
const DAY: u64 = 86_400 * SECOND;
/// Days of 400 years, after which the calendar repeats itself.
const DAYS_OF_ERA: u64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const DAYS_TO_EPOCH: u64 = 719_468;

/// Returns year, month and day of a day since 1970-01-01. Years begin in March here, so that a leap day is the last of
/// its year.
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

/// Returns the day since 1970-01-01; none before that day or for numbers that are no date.
fn days_of_date(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let from_march = year.checked_sub(u64::from(month <= 2))?;
    let (era, year_of_era) = (from_march / 400, from_march % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era.checked_mul(DAYS_OF_ERA)?.checked_add(day_of_era)?.checked_sub(DAYS_TO_EPOCH)?;
    (date_of_days(days) == (year, month, day)).then_some(days)
}

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_of_days(self.0 / DAY);
        let (seconds, micros) = (self.0 % DAY / SECOND, self.0 % SECOND);
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
    }
}

/// A word that is no point in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UtcError;

impl FromStr for Utc {
    type Err = UtcError;

    /// Reads what is written, and nothing else: every digit stands in its place.
    fn from_str(word: &str) -> Result<Self, UtcError> {
        let parsed = || -> Option<Self> {
            let (date, time) = word.strip_suffix('Z')?.split_once('T')?;
            let number = |digits: &str| digits.parse::<u64>().ok();
            let mut date = date.split('-').map(number);
            let days = days_of_date(date.next()??, date.next()??, date.next()??)?;
            let (clock, micros) = time.split_once('.')?;
            let mut clock = clock.split(':').map(number);
            let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
            if hour > 23 || minute > 59 || second > 59 {
                return None;
            }
            let seconds = (hour * 60 + minute) * 60 + second;
            let micros = number(micros)?.checked_add(seconds * SECOND)?;
            Some(Self(days.checked_mul(DAY)?.checked_add(micros)?))
        };
        parsed().filter(|utc| utc.to_string() == word).ok_or(UtcError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn well_known_moments_read_as_they_should() {
        for (micros, text) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_400_000_001, "2000-02-29T00:00:00.000001Z"),
            (1_700_000_000_000_000, "2023-11-14T22:13:20.000000Z"),
            (4_107_542_399_999_999, "2100-02-28T23:59:59.999999Z"),
            (253_402_300_800_000_000, "10000-01-01T00:00:00.000000Z"),
            (u64::MAX, "586524-01-19T08:01:49.551615Z"),
        ] {
            assert_eq!(Utc(micros).to_string(), text);
            assert_eq!(text.parse(), Ok(Utc(micros)));
        }
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "1969-12-31T23:59:59.999999Z",
            "2023-02-29T00:00:00.000000Z",
            "2023-13-01T00:00:00.000000Z",
            "2023-00-01T00:00:00.000000Z",
            "2023-11-14T24:00:00.000000Z",
            "2023-11-14T22:60:20.000000Z",
            "2023-11-14T22:13:60.000000Z",
            "2023-11-14T22:13:20Z",
            "2023-11-14T22:13:20.00000Z",
            "2023-11-14T22:13:20.0000000Z",
            "2023-11-14T22:13:20.000000",
            "2023-11-14t22:13:20.000000Z",
            "2023-11-14T22:13:20.000000+00:00",
            "+2023-11-14T22:13:20.000000Z",
            "02023-11-14T22:13:20.000000Z",
            "2023-11-14-01T22:13:20.000000Z",
            "586524-01-19T08:01:49.551616Z",
            "99999999999999999999-01-19T08:01:49.551616Z",
        ] {
            assert_eq!(text.parse::<Utc>(), Err(UtcError), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_moment_round_trips(micros: u64, shift in 0..64_u32) {
            let utc = Utc(micros >> shift);
            prop_assert_eq!(utc.to_string().parse(), Ok(utc));
        }
    }
}
