//! Timestamps that people can read.

use std::{fmt, str::FromStr};
use thiserror::Error;

/// A time in microseconds since 1970-01-01 UTC, displayed as RFC 3339 with six decimals, such as
/// `2023-11-14T22:13:20.000000Z`. RFC 3339 ends with the year 9999; later years have more digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utc(pub u64);

/// Why a text is not a time.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is not a time with an offset from UTC, such as 2027-01-31T18:00:00+01:00")]
pub struct UtcError(String);

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

/// Returns the days from 1970-01-01 to a date; `None` if the date is earlier or does not exist.
fn days_of_date(year: u64, month: u64, day: u64) -> Option<u64> {
    let years = (year + u64::from(month > 2)).checked_sub(1)?;
    let (era, year_of_era) = (years / 400, years % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day;
    let day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = (era * DAYS_OF_ERA + day_of_era).checked_sub(DAYS_TO_EPOCH + 1)?;
    (date_of_days(days) == (year, month, day)).then_some(days)
}

/// Reads a time with an offset; `None` if it is not one, or earlier than 1970.
fn parse_micros(text: &str) -> Option<u64> {
    let (date_and_time, rest) = text.split_at_checked("1970-01-01T00:00:00".len())?;
    let number = |digits: &str| -> Option<u64> {
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let part = |from: usize, to: usize| number(date_and_time.get(from..to)?);
    let separators = [4, 7, 10, 13, 16].map(|index| date_and_time.as_bytes()[index].to_ascii_uppercase());
    let (hour, minute, second) = (part(11, 13)?, part(14, 16)?, part(17, 19)?);
    if separators != *b"--T::" || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (fraction, offset) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.find(|char: char| !char.is_ascii_digit())?),
        None => ("000000", rest),
    };
    if fraction.is_empty() {
        return None;
    }
    let micros = number(&format!("{fraction:0<6}")[..6])?;
    let days = days_of_date(part(0, 4)?, part(5, 7)?, part(8, 10)?)?;
    let local = days * DAY + (hour * 3_600 + minute * 60 + second) * SECOND + micros;
    if offset.eq_ignore_ascii_case("z") {
        return Some(local);
    }
    let (hours, minutes) = offset.get(1..)?.split_once(':')?;
    if (hours.len(), minutes.len()) != (2, 2) {
        return None;
    }
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let ahead = (hours * 3_600 + minutes * 60) * SECOND;
    match offset.as_bytes().first()? {
        _ if hours > 23 || minutes > 59 => None,
        b'+' => local.checked_sub(ahead),
        b'-' => local.checked_add(ahead),
        _ => None,
    }
}

impl FromStr for Utc {
    type Err = UtcError;

    /// Reads a time as RFC 3339 writes it. Digits after those of a microsecond are dropped.
    fn from_str(text: &str) -> Result<Self, UtcError> {
        parse_micros(text).map(Self).ok_or_else(|| UtcError(text.to_owned()))
    }
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
    use proptest::prelude::*;

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

    #[test]
    fn times_are_read_with_their_offset() {
        for (text, utc) in [
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"),
            ("2027-01-31T18:00:00+01:00", "2027-01-31T17:00:00.000000Z"),
            ("2027-01-31t18:00:00.25-09:30", "2027-02-01T03:30:00.250000Z"),
            ("2000-02-29T00:00:00.0000019z", "2000-02-29T00:00:00.000001Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000000Z"),
        ] {
            assert_eq!(text.parse::<Utc>().unwrap().to_string(), utc);
        }
        for wrong in [
            "",
            "tomorrow",
            "2027-01-31",
            "2027-01-31T18:00:00",
            "2027-01-31T18:00Z",
            "2027-01-31 18:00:00Z",
            "2027-02-29T00:00:00Z",
            "2027-13-01T00:00:00Z",
            "2027-00-01T00:00:00Z",
            "2027-01-00T00:00:00Z",
            "2027-01-31T24:00:00Z",
            "2027-01-31T18:60:00Z",
            "2027-01-31T18:00:60Z",
            "2027-01-31T18:00:00.Z",
            "2027-01-31T18:00:00+1:00",
            "2027-01-31T18:00:00+24:00",
            "2027-01-31T18:00:00*01:00",
            "+027-01-31T18:00:00Z",
            "2027-01-31T18:00:00Zé",
            "1969-12-31T23:59:59Z",
            "1970-01-01T00:00:00+00:01",
        ] {
            let error = wrong.parse::<Utc>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("{wrong:?} is not a time with an offset")), "{error}");
        }
    }

    proptest! {
        #[test]
        fn displayed_times_read_back(micros in 0..253_402_300_800_000_000_u64) {
            prop_assert_eq!(Utc(micros).to_string().parse(), Ok(Utc(micros)));
        }

        #[test]
        fn any_text_is_handled(text in "[0-9TZ:+.é-]{0,30}") {
            let _ = text.parse::<Utc>();
        }
    }
}
