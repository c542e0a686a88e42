//! Tokens, and what is kept of them.

use std::fmt;
use thiserror::Error;

/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;
/// What every token of this server begins with, so that a leaked one can be told for what it is.
const TOKEN_PREFIX: &str = "lastnim_";
/// The fewest characters of a token that was chosen outside.
const MIN_GIVEN_CHARACTERS: usize = 16;

/// A text that cannot be a token. It is not repeated, for it may be one that is in use elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TokenError {
    /// It has too few characters.
    #[error("a token of {0} characters: it must have at least {MIN_GIVEN_CHARACTERS}")]
    TooShort(usize),
    /// It could not stand in a header.
    #[error("a token with a blank or a character outside ASCII: only visible ASCII characters are allowed")]
    NotVisible,
}

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

    /// Takes a token that was chosen outside, for example in the environment, without the blanks around it.
    ///
    /// # Errors
    /// If it is short enough to be guessed, or could not stand in a header.
    pub fn given(token: &str) -> Result<Self, TokenError> {
        let token = token.trim();
        match token.chars().count() {
            _ if !token.chars().all(|character| character.is_ascii_graphic()) => Err(TokenError::NotVisible),
            short if short < MIN_GIVEN_CHARACTERS => Err(TokenError::TooShort(short)),
            _ => Ok(Self(token.to_owned())),
        }
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

/// The BLAKE3 hash of a token: all that is kept.
///
/// It is a fast one. Those of the tokens of bots are stored: such a token is drawn, and nobody guesses 256 random bits. Those
/// of tokens that were chosen outside stay in the memory of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; Self::BYTES]);

impl TokenHash {
    /// The bytes of a hash.
    pub const BYTES: usize = 32;

    /// Hashes a token.
    pub fn of(token: &str) -> Self {
        Self(*blake3::hash(token.as_bytes()).as_bytes())
    }

    /// Takes a hash that was kept.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns its bytes.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Returns the bits of the random part of a token.
    fn random_bits(token: &Token) -> Vec<bool> {
        let drawn = token.reveal().strip_prefix(TOKEN_PREFIX).unwrap();
        assert_eq!(drawn.len(), 2 * TOKEN_BYTES);
        let nibbles = drawn.chars().map(|digit| digit.to_digit(16).unwrap());
        nibbles.flat_map(|nibble| (0..4).map(move |bit| nibble >> bit & 1 == 1)).collect()
    }

    #[test]
    fn a_drawn_token_has_256_random_bits() {
        // Of 4,096 tokens of 16 random bits some 128 would be equal to another; of 64 bits, none in 10^12 runs.
        let many: HashSet<_> = (0..4_096).map(|_| Token::draw().reveal().to_owned()).collect();
        assert_eq!(many.len(), 4_096, "no two are equal");
        let tokens: Vec<_> = (0..256).map(|_| random_bits(&Token::draw())).collect();
        let count =
            |is_counted: &dyn Fn(&[bool]) -> bool| tokens.iter().filter(|bits| is_counted(bits)).count();
        // 128 are expected, with a standard deviation of 8.
        let by_chance = 64..=192;
        for bit in 0..256 {
            let set = count(&|bits| bits[bit]);
            assert!(by_chance.contains(&set), "bit {bit} is set in {set} of 256 tokens");
            for other in 0..bit {
                let equal = count(&|bits| bits[bit] == bits[other]);
                assert!(
                    by_chance.contains(&equal),
                    "bits {bit} and {other} are equal in {equal} of 256 tokens"
                );
            }
        }
    }

    #[test]
    fn what_is_kept_of_a_token_is_its_blake3_hash() {
        // The first of the official test vectors: the hash of nothing.
        let of_nothing = [
            0xaf, 0x13, 0x49, 0xb9, 0xf5, 0xf9, 0xa1, 0xa6, 0xa0, 0x40, 0x4d, 0xea, 0x36, 0xdc, 0xc9, 0x49,
            0x9b, 0xcb, 0x25, 0xc9, 0xad, 0xc1, 0x12, 0xb7, 0xcc, 0x9a, 0x93, 0xca, 0xe4, 0x1f, 0x32, 0x62,
        ];
        assert_eq!(TokenHash::of("").as_bytes(), &of_nothing);
        let token = Token::draw();
        let kept = *token.hash().as_bytes();
        assert_eq!(kept, *blake3::hash(token.reveal().as_bytes()).as_bytes());
        let is_part =
            |part: &[u8]| token.reveal().as_bytes().windows(part.len()).any(|window| window == part);
        assert!(!kept.windows(4).any(is_part), "no part of the token is kept");
    }

    #[test]
    fn a_given_token_is_long_and_visible() {
        let given = |text: &str| Token::given(text).map(|token| token.reveal().to_owned());
        assert_eq!(given(" 0123456789abcdef\n"), Ok("0123456789abcdef".into()));
        assert_eq!(given(""), Err(TokenError::TooShort(0)));
        assert_eq!(given("0123456789abcde"), Err(TokenError::TooShort(15)));
        assert_eq!(given("0123456789 abcdef"), Err(TokenError::NotVisible));
        assert_eq!(given("0123456789abcdéf"), Err(TokenError::NotVisible));
        assert!(given(Token::draw().reveal()).is_ok());
    }
}
