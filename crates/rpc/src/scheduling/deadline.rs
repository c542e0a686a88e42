//! Deadlines of calls.

use std::time::{Duration, Instant};
use tonic::codegen::http::HeaderMap;
use tonic::metadata::MetadataMap;

/// Returns when the answer to a call must be ready. A tenth of the call's timeout is reserved for the transfer of the
/// answer. `None` if the call gives no valid timeout.
pub(super) fn answer_deadline(metadata: &MetadataMap) -> Option<Instant> {
    let given = metadata.get("grpc-timeout")?.to_str().ok().and_then(parse_timeout)?;
    Instant::now().checked_add(given / 10 * 9)
}

/// Returns how long a caller waits for the start of the answer; `None` if it gives no valid timeout.
pub fn call_timeout(headers: &HeaderMap) -> Option<Duration> {
    headers.get("grpc-timeout")?.to_str().ok().and_then(parse_timeout)
}

/// Parses a `grpc-timeout`, one to eight digits and a unit; `None` if it is invalid.
fn parse_timeout(timeout: &str) -> Option<Duration> {
    let unit = timeout.chars().next_back()?;
    let digits = &timeout[..timeout.len() - unit.len_utf8()];
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.parse().ok()?;
    Some(match unit {
        'H' => Duration::from_secs(number * 60 * 60),
        'M' => Duration::from_secs(number * 60),
        'S' => Duration::from_secs(number),
        'm' => Duration::from_millis(number),
        'u' => Duration::from_micros(number),
        'n' => Duration::from_nanos(number),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_read_in_every_unit() {
        for (text, micros) in [
            ("1H", 3_600_000_000),
            ("2M", 120_000_000),
            ("3S", 3_000_000),
            ("4m", 4_000),
            ("99999999u", 99_999_999),
            ("5000n", 5),
        ] {
            assert_eq!(parse_timeout(text), Some(Duration::from_micros(micros)), "{text}");
        }
        for text in ["", "S", "1", "1s", "-1S", "+1S", "1.5S", "123456789S", "1€", "S1"] {
            assert_eq!(parse_timeout(text), None, "{text:?}");
        }
    }

    #[test]
    fn one_tenth_of_the_time_is_reserved_for_the_transfer() {
        let mut metadata = MetadataMap::new();
        assert_eq!(answer_deadline(&metadata), None);
        metadata.insert("grpc-timeout", "10S".parse().unwrap());
        let left = answer_deadline(&metadata).unwrap().duration_since(Instant::now());
        assert!((Duration::from_secs(5)..=Duration::from_secs(9)).contains(&left), "{left:?}");
        metadata.insert("grpc-timeout", "99999999H".parse().unwrap());
        assert!(answer_deadline(&metadata).is_some());
    }
}
