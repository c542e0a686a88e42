//! Tokens and their hashes.

use std::collections::HashSet;
use std::fmt;
use thiserror::Error;

/// The number of random bytes in a token.
const TOKEN_BYTES: usize = 32;
/// The prefix of every generated token, so that leaked ones are easy to recognise.
const TOKEN_PREFIX: &str = "lastnim_";
/// The minimum number of random bits in a token that a user chooses.
const MIN_BITS: usize = 8 * TOKEN_BYTES;
/// The minimum percentage of a token's three-character substrings that must be distinct; nearly all random tokens pass.
const MIN_DISTINCT_PERCENT: usize = 75;

/// Why a string is not a valid token. The error does not contain the string, since it may be a token that is in use
/// elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The token is too short to have enough entropy, given the kinds of characters in it.
    #[error(
        "a token of {characters} characters has at most {bits} bits of randomness: use one with {MIN_BITS} random bits, such as the output of `openssl rand -hex 32`"
    )]
    TooShort {
        /// The length of the token in characters.
        characters: usize,
        /// The maximum entropy of the token in bits.
        bits: usize,
    },
    /// The token is repetitive, so it cannot be random.
    #[error(
        "a token with a repeating pattern: use one with {MIN_BITS} random bits, such as the output of `openssl rand -hex 32`"
    )]
    Repetitive,
    /// The token does not have the form of generated ones.
    #[error("not a generated token: expected `{TOKEN_PREFIX}` and {} hexadecimal digits in lower case, from a secure random source", 2 * TOKEN_BYTES)]
    NotGenerated,
    /// The token cannot be sent in a header.
    #[error("a token with a space or a character outside ASCII: only visible ASCII characters are allowed")]
    NotVisible,
}

/// A bearer token. It is shown to its owner once and never logged; its `Debug` output hides it.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Generates a random token of 256 bits.
    pub fn generate() -> Self {
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

    /// Parses a token in the form of generated ones, which a caller has made with 256 random bits.
    ///
    /// # Errors
    /// If it has another form.
    pub fn parse_generated(token: &str) -> Result<Self, TokenError> {
        let digits = token.strip_prefix(TOKEN_PREFIX).filter(|digits| digits.len() == 2 * TOKEN_BYTES);
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        match digits {
            Some(digits) if digits.bytes().all(is_digit) => Ok(Self(token.to_owned())),
            _ => Err(TokenError::NotGenerated),
        }
    }

    /// Parses a token chosen by the user, ignoring surrounding spaces.
    ///
    /// # Errors
    /// If it is clearly weaker than a generated one, or cannot be sent in a header.
    pub fn parse(token: &str) -> Result<Self, TokenError> {
        let token = token.trim();
        if !token.chars().all(|character| character.is_ascii_graphic()) {
            return Err(TokenError::NotVisible);
        }
        let drawn = token.strip_prefix(TOKEN_PREFIX).unwrap_or(token).as_bytes();
        let bits = max_bits(drawn);
        if bits < MIN_BITS {
            return Err(TokenError::TooShort { characters: token.len(), bits });
        }
        let triples: HashSet<&[u8]> = drawn.windows(3).collect();
        if 100 * triples.len() < MIN_DISTINCT_PERCENT * (drawn.len() - 2) {
            return Err(TokenError::Repetitive);
        }
        Ok(Self(token.to_owned()))
    }

    /// Returns the token as text.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns its hash.
    pub fn hash(&self) -> TokenHash {
        TokenHash::of_token(&self.0)
    }
}

/// Returns the maximum entropy of a string in bits, assuming that each character was drawn at random from the smallest
/// common alphabet that contains all of them.
fn max_bits(text: &[u8]) -> usize {
    let all_bytes = |fits: fn(&u8) -> bool| text.iter().all(fits);
    // The values are the binary logarithms of 10, 16, 36 and 64, in hundredths of a bit.
    let hundredths = if all_bytes(u8::is_ascii_digit) {
        332
    } else if all_bytes(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte.to_ascii_lowercase())) {
        400
    } else if all_bytes(|byte| !byte.is_ascii_uppercase()) || all_bytes(|byte| !byte.is_ascii_lowercase()) {
        516
    } else {
        600
    };
    text.len() * hundredths / 100
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// The BLAKE3 hash of a token, which is stored and compared instead of the token itself.
///
/// A fast hash is enough: only hashes of generated tokens, or of tokens in their form, are stored, and those have 256
/// random bits. Hashes of other tokens chosen by users stay in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; Self::BYTES]);

impl TokenHash {
    /// The size of a hash in bytes.
    pub const BYTES: usize = 32;
    /// The value that is used as the hash if a bot has no token. No token has this hash.
    pub const NO_TOKEN: Self = Self([0; Self::BYTES]);

    /// Hashes a token.
    pub fn of_token(token: &str) -> Self {
        Self::of_bytes(token.as_bytes())
    }

    /// Hashes a token, given as the bytes of a header.
    pub fn of_bytes(header: &[u8]) -> Self {
        Self(*blake3::hash(header).as_bytes())
    }

    /// Creates a hash from its bytes.
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
    fn a_generated_token_has_256_random_bits() {
        // If tokens had only 16 random bits, about 128 of 4,096 would repeat another; with 64 bits, fewer than one in
        // 10^12 runs would see a repeat.
        let many: HashSet<_> = (0..4_096).map(|_| Token::generate().reveal().to_owned()).collect();
        assert_eq!(many.len(), 4_096, "no two are equal");
        let tokens: Vec<_> = (0..256).map(|_| random_bits(&Token::generate())).collect();
        let count =
            |is_counted: &dyn Fn(&[bool]) -> bool| tokens.iter().filter(|bits| is_counted(bits)).count();
        // A count of 128 is expected, with a standard deviation of 8.
        let likely_counts = 64..=192;
        for bit in 0..256 {
            let set = count(&|bits| bits[bit]);
            assert!(likely_counts.contains(&set), "bit {bit} is set in {set} of 256 tokens");
            for other in 0..bit {
                let equal = count(&|bits| bits[bit] == bits[other]);
                assert!(
                    likely_counts.contains(&equal),
                    "bits {bit} and {other} are equal in {equal} of 256 tokens"
                );
            }
        }
    }

    #[test]
    fn only_the_blake3_hash_of_a_token_is_kept() {
        // The first official test vector: the hash of the empty input.
        let empty_hash = [
            0xaf, 0x13, 0x49, 0xb9, 0xf5, 0xf9, 0xa1, 0xa6, 0xa0, 0x40, 0x4d, 0xea, 0x36, 0xdc, 0xc9, 0x49,
            0x9b, 0xcb, 0x25, 0xc9, 0xad, 0xc1, 0x12, 0xb7, 0xcc, 0x9a, 0x93, 0xca, 0xe4, 0x1f, 0x32, 0x62,
        ];
        assert_eq!(TokenHash::of_token("").as_bytes(), &empty_hash);
        let token = Token::generate();
        let kept = *token.hash().as_bytes();
        assert_eq!(kept, *blake3::hash(token.reveal().as_bytes()).as_bytes());
        let is_part =
            |part: &[u8]| token.reveal().as_bytes().windows(part.len()).any(|window| window == part);
        assert!(!kept.windows(4).any(is_part), "no part of the token is kept");
    }

    #[test]
    fn callers_make_tokens_in_the_form_of_generated_ones() {
        let token = Token::generate();
        let digits = token.reveal().strip_prefix("lastnim_").unwrap();
        assert_eq!(Token::parse_generated(token.reveal()).unwrap().hash(), token.hash());
        let others =
            [digits, &token.reveal()[1..], &token.reveal()[..71], &format!("{}0", token.reveal()), "", "é"];
        for other in
            others.into_iter().chain([&*token.reveal().to_uppercase(), &*format!("lastnim_{:g<64}", "")])
        {
            assert_eq!(Token::parse_generated(other).unwrap_err(), TokenError::NotGenerated, "{other}");
        }
    }

    #[test]
    fn a_chosen_token_must_be_strong_and_visible() {
        let parse = |text: &str| Token::parse(text).map(|token| token.reveal().to_owned());
        let hex = "8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";
        assert_eq!(parse(&format!(" {hex}\n")), Ok(hex.into()));
        // These are outputs of `openssl rand -base64 32`, a password manager and `od -tu1`.
        let base64 = "qZ0v3mXyD8uR1kTfWb7+JcN2sHgLpE5oAi9Yt4/CxVU=";
        let base32 = "mv4wk5dzojuxg2lem3ztcyrwhbqxa7ni6sjpltf3e2ukryvhgcqa";
        let digits = "41902736581720394856019283746501928374650918273645091827364509182736450918273645";
        assert!([base64, &base64[..43], base32].iter().all(|strong| parse(strong).is_ok()));
        assert_eq!(parse(digits), Err(TokenError::Repetitive));
        let too_short = |characters, bits| Err(TokenError::TooShort { characters, bits });
        assert_eq!(parse(""), too_short(0, 0));
        assert_eq!(parse("the-token-of-the-admin"), too_short(22, 113));
        assert_eq!(parse(&hex[..63]), too_short(63, 252));
        assert_eq!(parse(&base64[..42]), too_short(42, 252));
        assert_eq!(parse(&format!("lastnim_{}", &hex[..40])), too_short(48, 160));
        assert_eq!(parse(&"a".repeat(64)), Err(TokenError::Repetitive));
        assert_eq!(parse(&"0123456789abcdef".repeat(8)), Err(TokenError::Repetitive));
        assert_eq!(parse("0123456789 abcdef"), Err(TokenError::NotVisible));
        assert_eq!(parse("0123456789abcdéf"), Err(TokenError::NotVisible));
        for _ in 0..1_000 {
            let drawn = Token::generate();
            assert!(parse(drawn.reveal()).is_ok(), "{}", drawn.reveal());
            assert!(parse(&drawn.reveal()[8..]).is_ok(), "{}", drawn.reveal());
        }
    }
}
