//! Remaining time, as shown on clocks.

use std::time::Duration;

/// Formats a time as `4:05` or `1:00:00`, rounded up to seconds.
pub(super) fn clock_words(left: Duration) -> String {
    let seconds = left.as_millis().div_ceil(1_000);
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours == 0 { format!("{minutes}:{seconds:02}") } else { format!("{hours}:{minutes:02}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_formatted_like_clocks() {
        for (millis, words) in
            [(0, "0:00"), (1, "0:01"), (59_001, "1:00"), (245_000, "4:05"), (3_600_000, "1:00:00")]
        {
            assert_eq!(clock_words(Duration::from_millis(millis)), words);
        }
    }
}
