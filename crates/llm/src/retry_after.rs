//! The `retry-after` header.

use std::time::{Duration, SystemTime};

/// Parses a `retry-after` header: a number of seconds or a date.
pub fn parse_retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    // Some endpoints send fractions of seconds.
    if let Ok(seconds) = header.parse::<f64>() {
        let is_span = seconds.is_finite() && seconds >= 0.0;
        // Values out of range count as the longest duration.
        return is_span.then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_read() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        let parse = |header| parse_retry_after(header, now);
        assert_eq!(parse(" 7 "), Some(Duration::from_secs(7)));
        assert_eq!(parse("1e300"), Some(Duration::MAX));
        assert_eq!(parse("0.25"), Some(Duration::from_millis(250)));
        assert_eq!(parse("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(7)));
        assert_eq!(parse("Sun, 06 Nov 1994 08:49:00 GMT"), Some(Duration::ZERO));
        for nonsense in ["", "soon", "-1", "nan", "inf", "1e400", "Sun, 06 Nov"] {
            assert_eq!(parse(nonsense), None, "{nonsense}");
        }
    }
}
