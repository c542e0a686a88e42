//! The values of labelled facts.

use super::words::format_time;

/// The value of a labelled fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FactValue {
    /// A text.
    Words(String),
    /// A time, in microseconds since 1970-01-01 UTC.
    At(u64),
    /// The time at which the described state began, in microseconds since 1970-01-01 UTC.
    Since(u64),
}

impl FactValue {
    /// Formats the value as plain text, times in UTC.
    pub fn text(&self) -> String {
        match self {
            Self::Words(words) => words.clone(),
            Self::At(micros) => format!("{} UTC", format_time(*micros)),
            Self::Since(micros) => format!("since {} UTC", format_time(*micros)),
        }
    }
}

impl From<String> for FactValue {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}
