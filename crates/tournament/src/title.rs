//! What a tournament is called.

use std::{fmt, str::FromStr};
use thiserror::Error;

/// The title of a tournament: 1 to 100 characters, none of them a control character, not all of them white space.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Title(String);

/// Words that are no title.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TitleError {
    /// There is nothing to read.
    #[error("a blank title: a title has 1 to {max} characters", max = Title::MAX_CHARS)]
    Blank,
    /// There is too much of it.
    #[error("a title of {0} bytes: a title has 1 to {max} characters", max = Title::MAX_CHARS)]
    TooLong(usize),
    /// It would do something to a terminal.
    #[error("a title with the control character {0:?}: a title is one line of text")]
    Control(char),
}

impl Title {
    /// The most characters of a title.
    pub const MAX_CHARS: usize = 100;

    /// Returns the title.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Title {
    type Err = TitleError;

    fn from_str(words: &str) -> Result<Self, TitleError> {
        if words.chars().nth(Self::MAX_CHARS).is_some() {
            return Err(TitleError::TooLong(words.len()));
        }
        if words.trim().is_empty() {
            return Err(TitleError::Blank);
        }
        match words.chars().find(|character| character.is_control()) {
            Some(control) => Err(TitleError::Control(control)),
            None => Ok(Self(words.to_owned())),
        }
    }
}

impl fmt::Display for Title {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_round_trip() {
        for title in ["x", "Spring Cup 2", &"é".repeat(100)] {
            assert_eq!(title.parse::<Title>().unwrap().to_string(), title);
        }
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        assert_eq!("".parse::<Title>(), Err(TitleError::Blank));
        assert_eq!("  ".parse::<Title>(), Err(TitleError::Blank));
        assert_eq!("a\u{1b}[2J".parse::<Title>(), Err(TitleError::Control('\u{1b}')));
        assert_eq!("é".repeat(101).parse::<Title>(), Err(TitleError::TooLong(202)));
    }
}
