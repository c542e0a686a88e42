//! Times on pages.

use crate::words::format_time;
use askama::filters::HtmlSafe;
use std::fmt;

/// A time, in microseconds since 1970-01-01 UTC. Pages show it in UTC, or in the viewer's time zone if scripts are
/// enabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Time(pub u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format_time(self.0);
        let (date, time) = text.split_once(' ').unwrap_or((&text, "00:00:00"));
        let micros = self.0 % 1_000_000;
        write!(f, "<time datetime=\"{date}T{time}.{micros:06}Z\">{text} UTC</time>")
    }
}

impl HtmlSafe for Time {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_microseconds_for_programs() {
        assert_eq!(
            Time(1_700_000_000_000_042).to_string(),
            "<time datetime=\"2023-11-14T22:13:20.000042Z\">2023-11-14 22:13:20 UTC</time>"
        );
    }
}
