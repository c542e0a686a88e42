//! Bytes of a fixed number as text: standard base64 with padding, as proto3 JSON writes `bytes`.

use base64::{
    DecodeError, DecodeSliceError, Engine, display::Base64Display, engine::general_purpose::STANDARD,
};
use std::fmt;
use thiserror::Error;

/// The most characters of a refused text that its error repeats.
const REPEATED_CHARS: usize = 96;

/// A text that does not hold the bytes that it should.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Base64Error {
    /// It is no base64.
    #[error("{called} {text:?}: {why}; it is {bytes} bytes in base64, with padding")]
    Malformed {
        /// What it should be.
        called: &'static str,
        /// The text, cut if it is long.
        text: String,
        /// What is wrong with it.
        why: DecodeError,
        /// How many bytes it should hold.
        bytes: usize,
    },
    /// It holds too few bytes or too many.
    #[error("{called} {text:?}, of {characters} characters: expected {bytes} bytes in base64, with padding")]
    Length {
        /// What it should be.
        called: &'static str,
        /// The text, cut if it is long.
        text: String,
        /// How many characters it has.
        characters: usize,
        /// How many bytes it should hold.
        bytes: usize,
    },
}

/// Reads so many bytes from base64; `called` is what an error calls them.
pub(crate) fn decode_base64<const N: usize>(
    called: &'static str,
    text: &str,
) -> Result<[u8; N], Base64Error> {
    let cut = || text.chars().take(REPEATED_CHARS).collect();
    let length = || Base64Error::Length { called, text: cut(), characters: text.chars().count(), bytes: N };
    let mut bytes = [0; N];
    match STANDARD.decode_slice(text, &mut bytes) {
        Ok(read) if read == N => Ok(bytes),
        Ok(_) | Err(DecodeSliceError::OutputSliceTooSmall) => Err(length()),
        Err(DecodeSliceError::DecodeError(why)) => {
            Err(Base64Error::Malformed { called, text: cut(), why, bytes: N })
        }
    }
}

/// Shows bytes as base64.
pub(crate) struct Base64<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Base64<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Base64Display::new(self.0, &STANDARD), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_is_wrong() {
        let refusal = |text: &str| decode_base64::<4>("mark", text).unwrap_err().to_string();
        assert_eq!(decode_base64("mark", "AQID/w=="), Ok([1, 2, 3, 255]));
        assert_eq!(
            refusal("AQID"),
            "mark \"AQID\", of 4 characters: expected 4 bytes in base64, with padding"
        );
        assert_eq!(
            refusal("AQIDBAUG"),
            "mark \"AQIDBAUG\", of 8 characters: expected 4 bytes in base64, with padding"
        );
        assert_eq!(
            refusal("AQ!D/w=="),
            "mark \"AQ!D/w==\": Invalid symbol 33, offset 2.; it is 4 bytes in base64, with padding"
        );
        for bad in ["", "AQID/w", "AQID/w=", "AQID/x==", "AQID_w==", " AQID/w==", "AQID/w==\n", "é"] {
            assert!(decode_base64::<4>("mark", bad).is_err(), "{bad:?}");
        }
        assert!(refusal(&"A".repeat(1_000_000)).len() < 200);
    }
}
