//! The key of an endpoint.

use super::LlmError;
use std::{env, fmt};

/// The minimum length of a key that is hidden. Shorter keys are not secret, and could occur in ordinary text by chance.
const MIN_SECRET_CHARS: usize = 8;
/// The replacement for the key.
const KEY_PLACEHOLDER: &str = "(key)";

/// The key of an endpoint, never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Reads the key from an environment variable; `None` if it is unset or empty.
    ///
    /// # Errors
    /// If it has characters that are invalid in a header.
    pub fn from_variable(name: &str) -> Result<Option<Self>, LlmError> {
        let given = env::var_os(name).unwrap_or_default();
        let text = given.to_str().map(str::trim);
        match text {
            Some("") => Ok(None),
            Some(text) if text.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(Some(Self(text.to_owned()))),
            _ => Err(LlmError::Key { variable: name.to_owned() }),
        }
    }

    /// Creates a key from a string, without checking it.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the key itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Replaces the key in a string with a placeholder, in case an endpoint repeated it.
    pub fn hide_in(&self, text: String) -> String {
        if self.0.len() < MIN_SECRET_CHARS {
            return text;
        }
        // Inside JSON, the key may have escaped characters.
        let escaped = self.0.replace('\\', "\\\\").replace('"', "\\\"");
        text.replace(&self.0, KEY_PLACEHOLDER).replace(&escaped, KEY_PLACEHOLDER)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(KEY_PLACEHOLDER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_hidden() {
        let key = ApiKey::new("sk-0123456789");
        assert_eq!(format!("{key:?} {:?}", Some(&key)), "(key) Some((key))");
        assert_eq!(key.hide_in("you sent sk-0123456789!".into()), "you sent (key)!");
        assert_eq!(ApiKey::new("none").hide_in("nonetheless".into()), "nonetheless");
    }
}
