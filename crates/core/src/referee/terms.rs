//! The terms of a match: clock, strikes, ply limit and talk.

use super::{Clock, ClockError, TalkTerms, TalkTermsError};
use crate::oracle;
use thiserror::Error;

/// Maximum number of strikes that a match can allow.
pub const MAX_STRIKES: u32 = 100;
/// The default number of strikes that forfeits a seat.
pub const DEFAULT_STRIKES: u32 = 3;
/// Maximum number of plies in a match, which is also the oracle's limit for an audit.
pub const MAX_PLIES: u32 = oracle::MAX_PLIES as u32;
/// The default number of plies after which the oracle decides.
pub const DEFAULT_MAX_PLIES: u32 = 10_000;

/// Clock, strikes, ply limit and talk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// The clock.
    pub clock: Clock,
    /// The number of strikes that forfeits a seat, 1 to [`MAX_STRIKES`].
    pub strikes: u32,
    /// The number of plies after which the oracle decides, 1 to [`MAX_PLIES`]. Piles may be so large that bots that
    /// take one counter at a time would never finish.
    pub max_plies: u32,
    /// How seats talk before they declare their rows; `None` if they do not talk.
    pub talk: Option<TalkTerms>,
}

/// Terms that are out of range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TermsError {
    /// The number of strikes is out of range.
    #[error("strikes is {0}: expected 1 to {MAX_STRIKES}")]
    Strikes(u32),
    /// The ply limit is out of range.
    #[error("max_plies is {0}: expected 1 to {MAX_PLIES}")]
    MaxPlies(u32),
    /// A time of the clock is out of range.
    #[error("clock: {0}")]
    Clock(ClockError),
    /// A value of the talk is out of range.
    #[error("talk: {0}")]
    Talk(TalkTermsError),
}

impl Default for Terms {
    fn default() -> Self {
        Self { clock: Clock::default(), strikes: DEFAULT_STRIKES, max_plies: DEFAULT_MAX_PLIES, talk: None }
    }
}

impl Terms {
    /// Returns the terms unchanged if they are in range.
    ///
    /// # Errors
    /// If any value is out of range. The error lists every such value.
    pub fn validate(self) -> Result<Self, Vec<TermsError>> {
        let mut errors = Vec::new();
        if !(1..=MAX_STRIKES).contains(&self.strikes) {
            errors.push(TermsError::Strikes(self.strikes));
        }
        if !(1..=MAX_PLIES).contains(&self.max_plies) {
            errors.push(TermsError::MaxPlies(self.max_plies));
        }
        if let Err(clock) = self.clock.clone().validate() {
            errors.extend(clock.into_iter().map(TermsError::Clock));
        }
        let talk = self.talk.iter().flat_map(TalkTerms::find_errors);
        errors.extend(talk.map(TermsError::Talk));
        if errors.is_empty() { Ok(self) } else { Err(errors) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn all_terms_out_of_range_are_reported() {
        let clock = Clock { initial: Duration::ZERO, ..Clock::default() };
        let talk = TalkTerms { rounds: 5, text_chars: 0, ..TalkTerms::default() };
        let refused = Terms { clock, strikes: 101, max_plies: 0, talk: Some(talk) }.validate().unwrap_err();
        let messages: Vec<_> = refused.iter().map(ToString::to_string).collect();
        assert_eq!(
            messages,
            [
                "strikes is 101: expected 1 to 100",
                "max_plies is 0: expected 1 to 65536",
                "clock: initial_ms is 0 ms: expected a whole number of ms from 1 to 86400000",
                "talk: rounds is 5: expected a whole number from 1 to 4",
                "talk: text_chars is 0: expected a whole number from 1 to 1000",
            ]
        );
        assert!(Terms::default().validate().is_ok());
        let talk = Some(TalkTerms { rounds: 1, pacts: true, ..TalkTerms::default() });
        let refused = Terms { talk, ..Terms::default() }.validate().unwrap_err();
        assert_eq!(
            refused[0].to_string(),
            "talk: rounds is 1: expected a whole number from 2 to 4, because a pact is offered in one round and \
             accepted in a later one"
        );
    }
}
