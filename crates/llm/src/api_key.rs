//! The key of an endpoint.

use super::LlmError;
use std::{env, fmt};

/// A key has at least so many characters; what is shorter is no secret, and may be a part of any word.
const MIN_SECRET_CHARS: usize = 8;
/// What stands in the place of the key.
const HIDDEN_KEY: &str = "(key)";

/// The key of an endpoint, which is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Reads the key from an environment variable; none if that is not set or empty.
    ///
    /// # Errors
    /// If it has characters that no header can carry.
    pub fn from_variable(name: &str) -> Result<Option<Self>, LlmError> {
        let given = env::var_os(name).unwrap_or_default();
        let text = given.to_str().map(str::trim);
        match text {
            Some("") => Ok(None),
            Some(text) if text.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(Some(Self(text.to_owned()))),
            _ => Err(LlmError::Key { variable: name.to_owned() }),
        }
    }

    /// Makes a key of a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the key itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns a text in which the key is hidden, should an endpoint have repeated it.
    pub fn hide_in(&self, text: String) -> String {
        if self.0.len() < MIN_SECRET_CHARS {
            return text;
        }
        // An endpoint may repeat it within JSON.
        let escaped = self.0.replace('\\', "\\\\").replace('"', "\\\"");
        text.replace(&self.0, HIDDEN_KEY).replace(&escaped, HIDDEN_KEY)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN_KEY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_itself_nowhere() {
        let key = ApiKey::new("sk-0123456789");
        assert_eq!(format!("{key:?} {:?}", Some(&key)), "(key) Some((key))");
        assert_eq!(key.hide_in("you sent sk-0123456789!".into()), "you sent (key)!");
        assert_eq!(ApiKey::new("none").hide_in("nonetheless".into()), "nonetheless");
    }
}
