//! Entry codes, with which people without a token register bots for one tournament.

use super::TokenHash;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The maximum number of bots that one code admits.
pub const MAX_ENTRY_CODE_USES: u32 = 10_000;
/// The number of characters in a code. Each has five random bits, so a fast hash of a code is enough, as for a token.
const CODE_CHARS: usize = 16;
/// The number of characters between two hyphens of a code that is shown to people.
const GROUP_CHARS: usize = 4;
/// Digits and lower-case letters for texts that people copy, without I, L, O and U, which are easily confused.
pub const UNAMBIGUOUS_CHARS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A string is not an entry code. The error does not contain the string, since it may be a code with a typing mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not an entry code: expected {CODE_CHARS} letters and digits, such as 7k2m-q9tx-4hvb-z0wc")]
pub struct EntryCodeError;

/// An entry code. It is shown to its organiser once and never logged; its `Debug` output hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct EntryCode(String);

impl EntryCode {
    /// Generates a random code of 80 bits.
    pub fn generate() -> Self {
        let mut bytes = [0; CODE_CHARS];
        getrandom::fill(&mut bytes).expect("the system has a random source");
        Self(bytes.map(|byte| char::from(UNAMBIGUOUS_CHARS[usize::from(byte % 32)])).iter().collect())
    }

    /// Returns the code as people read it, in groups of four characters.
    pub fn reveal(&self) -> String {
        let mut shown = String::new();
        for (place, char) in self.0.chars().enumerate() {
            if place > 0 && place % GROUP_CHARS == 0 {
                shown.push('-');
            }
            shown.push(char);
        }
        shown
    }

    /// Returns its hash.
    pub fn hash(&self) -> TokenHash {
        TokenHash::of_token(&self.0)
    }
}

impl FromStr for EntryCode {
    type Err = EntryCodeError;

    /// Parses a code that a person typed. Case, spaces and hyphens do not matter; the letters I, L and O are read as the
    /// digits that they look like.
    fn from_str(typed: &str) -> Result<Self, EntryCodeError> {
        let is_separator = |char: &char| *char == '-' || char.is_whitespace();
        let meant =
            typed.chars().filter(|char| !is_separator(char)).map(|char| match char.to_ascii_lowercase() {
                'i' | 'l' => '1',
                'o' => '0',
                other => other,
            });
        let code: String = meant.take(CODE_CHARS + 1).collect();
        let is_code = code.len() == CODE_CHARS && code.bytes().all(|byte| UNAMBIGUOUS_CHARS.contains(&byte));
        is_code.then_some(Self(code)).ok_or(EntryCodeError)
    }
}

impl fmt::Debug for EntryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EntryCode(hidden)")
    }
}

/// What the server keeps of a tournament's entry code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredEntryCode {
    /// The hash of the code.
    pub hash: TokenHash,
    /// How many more bots may be registered with the code.
    pub uses_left: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_typed_code_is_read_as_it_was_shown() {
        let code = EntryCode("01a2b3c4d5e6f7g8".into());
        assert_eq!(code.reveal(), "01a2-b3c4-d5e6-f7g8");
        for typed in
            ["01a2-b3c4-d5e6-f7g8", "01A2B3C4D5E6F7G8", " oLa2 b3c4 d5e6 f7g8\n", "Oia2--b3c4d5e6f7g8"]
        {
            assert_eq!(typed.parse().as_ref(), Ok(&code), "{typed}");
        }
        assert_eq!(code.reveal().parse::<EntryCode>().unwrap().hash(), code.hash());
    }

    #[test]
    fn other_texts_are_not_codes() {
        let long = "0".repeat(1_000_000);
        for typed in [
            "",
            "01a2-b3c4-d5e6-f7g",
            "01a2-b3c4-d5e6-f7g89",
            "01a2-b3c4-d5e6-f7gu",
            "01a2-b3c4-d5e6-f7ğ8",
            &long,
        ] {
            assert_eq!(typed.parse::<EntryCode>(), Err(EntryCodeError), "{}", typed.len());
        }
    }

    #[test]
    fn generated_codes_differ_and_debug_hides_them() {
        let codes: HashSet<_> = (0..1_000).map(|_| EntryCode::generate().reveal()).collect();
        assert_eq!(codes.len(), 1_000);
        let used: HashSet<_> = codes.iter().flat_map(|code| code.chars()).collect();
        assert_eq!(used.len(), UNAMBIGUOUS_CHARS.len() + 1, "all characters and the hyphen occur");
        let code = EntryCode::generate();
        assert!(!format!("{code:?}").contains(&code.0[..4]));
    }
}
