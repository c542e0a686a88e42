//! Time that is left, as clocks show it.

use std::time::Duration;

/// Writes a time as clocks show it, as `4:05` or `1:00:00`; a fraction of a second counts as one.
pub(super) fn clock_words(left: Duration) -> String {
    let seconds = left.as_millis().div_ceil(1_000);
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours == 0 { format!("{minutes}:{seconds:02}") } else { format!("{hours}:{minutes:02}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shown_as_on_clocks() {
        for (millis, words) in
            [(0, "0:00"), (1, "0:01"), (59_001, "1:00"), (245_000, "4:05"), (3_600_000, "1:00:00")]
        {
            assert_eq!(clock_words(Duration::from_millis(millis)), words);
        }
    }
}
