//! The reasons that organisers give for their actions.

use std::{fmt, str::FromStr};
use thiserror::Error;

/// The reason for an organiser's action: 1 to 200 characters on one line, not only white space.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reason(String);

/// Why a string is not a valid reason.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReasonError {
    /// The reason is blank.
    #[error("a blank reason: expected 1 to {max} characters", max = Reason::MAX_CHARS)]
    Blank,
    /// The reason is too long.
    #[error("a reason of {0} characters: expected 1 to {max}", max = Reason::MAX_CHARS)]
    TooLong(usize),
    /// The reason contains a control character, which could affect a terminal.
    #[error("a reason with the control character {0:?}: expected one line of text")]
    Control(char),
}

impl Reason {
    /// Maximum length in characters.
    pub const MAX_CHARS: usize = 200;

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Reason {
    type Err = ReasonError;

    fn from_str(words: &str) -> Result<Self, ReasonError> {
        if words.chars().nth(Self::MAX_CHARS).is_some() {
            return Err(ReasonError::TooLong(words.chars().count()));
        }
        if words.trim().is_empty() {
            return Err(ReasonError::Blank);
        }
        match words.chars().find(|character| character.is_control()) {
            Some(control) => Err(ReasonError::Control(control)),
            None => Ok(Self(words.to_owned())),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_nonblank_line() {
        assert_eq!("two bots of one author".parse::<Reason>().unwrap().as_str(), "two bots of one author");
        assert!("é".repeat(200).parse::<Reason>().is_ok());
        assert_eq!(" ".parse::<Reason>(), Err(ReasonError::Blank));
        assert_eq!("é".repeat(201).parse::<Reason>(), Err(ReasonError::TooLong(201)));
        assert_eq!("a\nb".parse::<Reason>(), Err(ReasonError::Control('\n')));
    }
}
