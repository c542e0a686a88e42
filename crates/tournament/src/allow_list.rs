//! The bots that may enter a tournament, by their names.

use lastnim_core::game::BotName;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A pattern of bot names: a whole name, or the beginning of names followed by a star.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePattern(String);

/// A word that is not a pattern of bot names.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?}: expected the name of a bot, such as alice, or a prefix and a star, such as team-*")]
pub struct NamePatternError(String);

impl NamePattern {
    /// Returns whether the pattern admits a name.
    pub fn admits(&self, name: &BotName) -> bool {
        match self.0.strip_suffix('*') {
            Some(beginning) => name.as_str().starts_with(beginning),
            None => name.as_str() == self.0,
        }
    }
}

impl FromStr for NamePattern {
    type Err = NamePatternError;

    fn from_str(word: &str) -> Result<Self, NamePatternError> {
        let beginning = word.strip_suffix('*');
        if beginning == Some("") || beginning.unwrap_or(word).parse::<BotName>().is_ok() {
            Ok(Self(word.to_owned()))
        } else {
            Err(NamePatternError(word.chars().take(2 * BotName::MAX_CHARS).collect()))
        }
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The patterns of the names that may enter a tournament; every name may if it is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllowList(Vec<NamePattern>);

/// A list of patterns is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{0} names: expected at most {max}", max = AllowList::MAX_PATTERNS)]
pub struct AllowListError(pub usize);

impl AllowList {
    /// The maximum number of patterns.
    pub const MAX_PATTERNS: usize = 1_000;

    /// Creates a list.
    ///
    /// # Errors
    /// If it has more than [`MAX_PATTERNS`](Self::MAX_PATTERNS) patterns.
    pub fn new(patterns: Vec<NamePattern>) -> Result<Self, AllowListError> {
        if patterns.len() > Self::MAX_PATTERNS {
            Err(AllowListError(patterns.len()))
        } else {
            Ok(Self(patterns))
        }
    }

    /// Returns the patterns.
    pub fn patterns(&self) -> &[NamePattern] {
        &self.0
    }

    /// Returns whether a bot of this name may enter.
    pub fn admits(&self, name: &BotName) -> bool {
        self.0.is_empty() || self.0.iter().any(|pattern| pattern.admits(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_admits_names_and_beginnings() {
        let admits = |patterns: &[&str], name: &str| {
            let patterns = patterns.iter().map(|pattern| pattern.parse().unwrap()).collect();
            AllowList::new(patterns).unwrap().admits(&name.parse().unwrap())
        };
        for (patterns, name, expected) in [
            (&[][..], "anybody", true),
            (&["a"], "a", true),
            (&["a"], "ab", false),
            (&["a", "b*"], "b", true),
            (&["a", "b*"], "b-1", true),
            (&["a", "b*"], "ab", false),
            (&["*"], "anybody", true),
        ] {
            assert_eq!(admits(patterns, name), expected, "{patterns:?} {name}");
        }
    }

    #[test]
    fn other_words_are_not_patterns() {
        let long = "a".repeat(40_000);
        for word in ["", "A*", "a*b", "**", "-*", "*a", "a b", &long] {
            let error = word.parse::<NamePattern>().unwrap_err().to_string();
            assert!(error.ends_with(", such as team-*") && error.len() < 200, "{error}");
        }
        let error = AllowList::new(vec!["a".parse().unwrap(); 1_001]).unwrap_err();
        assert_eq!(error.to_string(), "1001 names: expected at most 1000");
    }
}
