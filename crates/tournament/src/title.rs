//! Titles of tournaments.

use std::{fmt, str::FromStr};
use thiserror::Error;

/// The title of a tournament: 1 to 100 characters that are not all white space, without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Title(String);

/// Why a string is not a valid title.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TitleError {
    /// The title is blank.
    #[error("a blank title: expected 1 to {max} characters", max = Title::MAX_CHARS)]
    Blank,
    /// The title is too long.
    #[error("a title of {0} characters: expected 1 to {max}", max = Title::MAX_CHARS)]
    TooLong(usize),
    /// The title contains a control character, which could affect a terminal.
    #[error("a title with the control character {0:?}: expected one line of text")]
    Control(char),
}

impl Title {
    /// Maximum length in characters.
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
            return Err(TitleError::TooLong(words.chars().count()));
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
    fn errors_describe_the_problem() {
        assert_eq!("".parse::<Title>(), Err(TitleError::Blank));
        assert_eq!("  ".parse::<Title>(), Err(TitleError::Blank));
        assert_eq!("a\u{1b}[2J".parse::<Title>(), Err(TitleError::Control('\u{1b}')));
        assert_eq!("é".repeat(101).parse::<Title>(), Err(TitleError::TooLong(101)));
    }
}
