//! Durations as people write them: `10s`, `100ms`, `1m30s`.

use std::time::Duration;
use thiserror::Error;

/// The units and their lengths in milliseconds, largest first.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Text that is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is not a duration with units (ms, s, m, h, d), such as 10s or 1m30s")]
pub struct DurationTextError(String);

/// Reads a duration: whole numbers, each followed by ms, s, m, h or d.
///
/// # Errors
/// If the text is empty, a unit is missing or unknown, or the duration exceeds 2^64 - 1 ms.
///
/// ```
/// use lastnim_core::duration_text::parse_duration;
/// assert_eq!(parse_duration("1m30s").unwrap().as_secs(), 90);
/// assert!(parse_duration("10").is_err());
/// ```
pub fn parse_duration(text: &str) -> Result<Duration, DurationTextError> {
    let parse = || {
        let (mut rest, mut millis) = (text.trim(), None);
        while !rest.is_empty() {
            let (number, after) = rest.split_at(rest.find(|char: char| !char.is_ascii_digit())?);
            let (unit, after) =
                after.split_at(after.find(|char: char| char.is_ascii_digit()).unwrap_or(after.len()));
            let (_, factor) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
            let part = number.parse::<u64>().ok()?.checked_mul(factor)?;
            millis = Some(millis.unwrap_or(0_u64).checked_add(part)?);
            rest = after;
        }
        millis.map(Duration::from_millis)
    };
    parse().ok_or_else(|| DurationTextError(text.to_owned()))
}

/// Formats a duration so that [`parse_duration`] can read it. Fractions of a millisecond are dropped.
pub fn duration_text(duration: Duration) -> String {
    let mut rest = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let mut text = String::new();
    for (unit, factor) in UNITS {
        if rest >= factor {
            text.extend([&(rest / factor).to_string(), unit]);
            rest %= factor;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written() {
        for (text, millis) in [
            ("0s", 0),
            ("100ms", 100),
            ("10s", 10_000),
            ("1m30s", 90_000),
            ("7d", 604_800_000),
            ("1s5ms", 1_005),
        ] {
            assert_eq!(parse_duration(text).unwrap(), Duration::from_millis(millis));
            assert_eq!(duration_text(Duration::from_millis(millis)), text);
        }
        assert_eq!(parse_duration("90s").map(duration_text).unwrap(), "1m30s");
        for text in [
            "",
            "10",
            "s",
            "1.5s",
            "-1s",
            "10 s",
            "1y",
            "1s2",
            "99999999999999999999s",
            "18446744073709551615s",
        ] {
            let expected =
                format!("{text:?} is not a duration with units (ms, s, m, h, d), such as 10s or 1m30s");
            assert_eq!(parse_duration(text).unwrap_err().to_string(), expected);
        }
    }
}
