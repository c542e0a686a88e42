//! What a form carries that only this site could have written into it.

use std::fmt;

/// What the derived key is for: another use of the same secret gives another key.
const CONTEXT: &str = "lastnim web form token v1";

/// What a form carries to show that this site wrote it for the visitor who sends it: a key derived from the secret of the visitor's cookie. Another
/// site can make a browser send a form, but knows neither.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FormToken(blake3::Hash);

impl FormToken {
    /// The name of the field that carries it.
    pub(crate) const FIELD: &str = "form_token";

    /// Derives the token of a cookie.
    pub(super) fn of_secret(secret: &[u8]) -> Self {
        Self(blake3::derive_key(CONTEXT, secret).into())
    }

    /// Returns whether a form carries this token. It takes the same time whatever the form carries.
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
    fn a_token_belongs_to_one_secret() {
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
