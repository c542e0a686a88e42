//! Tokens, and what is kept of them.

use std::fmt;

/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;
/// What every token of this server begins with, so that a leaked one can be told for what it is.
const TOKEN_PREFIX: &str = "lastnim_";

/// A bearer token. It is shown to its owner once and never logged: its `Debug` hides it.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Draws a token of 256 bits from the system's random source.
    pub fn draw() -> Self {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).expect("the system has a random source");
        let mut token = TOKEN_PREFIX.to_owned();
        for byte in bytes {
            token.extend(
                [byte >> 4, byte & 15].map(|nibble| char::from(b"0123456789abcdef"[usize::from(nibble)])),
            );
        }
        Self(token)
    }

    /// Takes a token that was chosen outside, for example in the environment.
    pub fn given(token: String) -> Self {
        Self(token)
    }

    /// Shows the token.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns what is kept of it.
    pub fn hash(&self) -> TokenHash {
        TokenHash::of(&self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// The BLAKE3 hash of a token: all that is kept. Tokens hold 256 random bits, so that no slow hash is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// Hashes a token.
    pub fn of(token: &str) -> Self {
        Self(*blake3::hash(token.as_bytes()).as_bytes())
    }
}
