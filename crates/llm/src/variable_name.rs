//! The name of an environment variable.

use lastnim_config::text_settings;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The name of an environment variable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VariableName(String);

/// An invalid name. The message does not repeat it, as it may be the key itself.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "not the name of an environment variable: expected one such as OPENAI_API_KEY, which contains the key"
)]
pub struct VariableNameError;

impl VariableName {
    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for VariableName {
    type Err = VariableNameError;

    fn from_str(text: &str) -> Result<Self, VariableNameError> {
        let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if text.is_empty() || !is_name || text.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(VariableNameError);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for VariableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

text_settings!(VariableName);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_given_instead_of_a_variable_is_not_repeated() {
        for name in ["OPENAI_API_KEY", "_k1"] {
            assert_eq!(name.parse::<VariableName>().unwrap().to_string(), name);
        }
        for text in ["sk-secret", "", "1A", "A B"] {
            let error = text.parse::<VariableName>().unwrap_err().to_string();
            assert!(text.is_empty() || !error.contains(text));
        }
    }
}
