//! Tokens that protect forms against cross-site requests.

use std::fmt;

/// The context of the key derivation.
const KEY_CONTEXT: &str = "lastnim web form token v1";

/// Proves that this site wrote a form for the visitor who sends it: a key derived from the secret in the visitor's
/// cookie, which other sites do not know.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FormToken(blake3::Hash);

impl FormToken {
    /// The name of the hidden field.
    pub(crate) const FIELD: &str = "form_token";

    /// Derives the token from the secret of a cookie.
    pub(super) fn of_secret(secret: &[u8]) -> Self {
        Self(blake3::derive_key(KEY_CONTEXT, secret).into())
    }

    /// Returns whether the tokens match, in constant time.
    pub(super) fn matches(self, given: &str) -> bool {
        blake3::Hash::from_hex(given).is_ok_and(|given| given == self.0)
    }
}

impl fmt::Display for FormToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

impl fmt::Debug for FormToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FormToken(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_secret_has_its_own_token() {
        let token = FormToken::of_secret(b"one");
        assert!(token.matches(&token.to_string()));
        let other = FormToken::of_secret(b"two").to_string();
        let cut = &token.to_string()[1..];
        for wrong in ["", "one", cut, &other, &format!("{token}0"), "\u{1f980}"] {
            assert!(!token.matches(wrong), "{wrong}");
        }
        assert!(!format!("{token:?}").contains(&token.to_string()));
    }
}
