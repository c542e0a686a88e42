//! What stands beside a label.

use super::words::format_time;

/// What stands beside a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// Words.
    Words(String),
    /// A moment, in microseconds since 1970-01-01 UTC.
    At(u64),
    /// The same, as the moment since when something is so.
    Since(u64),
}

impl Fact {
    /// Writes it for people who read no page: moments in UTC.
    pub fn text(&self) -> String {
        match self {
            Self::Words(words) => words.clone(),
            Self::At(micros) => format!("{} UTC", format_time(*micros)),
            Self::Since(micros) => format!("since {} UTC", format_time(*micros)),
        }
    }
}

impl From<String> for Fact {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}
