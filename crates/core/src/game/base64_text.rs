//! Byte arrays as text: standard base64 with padding, which proto3 JSON also uses for `bytes`.

use base64::{
    DecodeError, DecodeSliceError, Engine, display::Base64Display, engine::general_purpose::STANDARD,
};
use std::fmt;
use thiserror::Error;

/// The maximum number of characters that an error message quotes from a rejected text.
const MAX_QUOTED_CHARS: usize = 96;

/// Why a string does not decode to the expected number of bytes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Base64Error {
    /// The text is not base64.
    #[error("{value_name} {text:?}: expected {bytes} bytes in base64, with padding ({why})")]
    Malformed {
        /// The name of the value.
        value_name: &'static str,
        /// The text, truncated if it is long.
        text: String,
        /// The decoding error.
        why: DecodeError,
        /// The expected number of bytes.
        bytes: usize,
    },
    /// The text decodes to the wrong number of bytes.
    #[error(
        "{value_name} {text:?} has {characters} characters: expected {bytes} bytes in base64, with padding"
    )]
    Length {
        /// The name of the value.
        value_name: &'static str,
        /// The text, truncated if it is long.
        text: String,
        /// The number of characters in the whole text.
        characters: usize,
        /// The expected number of bytes.
        bytes: usize,
    },
}

/// Decodes `N` bytes from base64. Errors refer to the value as `value_name`.
pub(crate) fn decode_base64<const N: usize>(
    value_name: &'static str,
    text: &str,
) -> Result<[u8; N], Base64Error> {
    let cut = || text.chars().take(MAX_QUOTED_CHARS).collect();
    let length =
        || Base64Error::Length { value_name, text: cut(), characters: text.chars().count(), bytes: N };
    let mut bytes = [0; N];
    match STANDARD.decode_slice(text, &mut bytes) {
        Ok(read) if read == N => Ok(bytes),
        Ok(_) | Err(DecodeSliceError::OutputSliceTooSmall) => Err(length()),
        Err(DecodeSliceError::DecodeError(why)) => {
            Err(Base64Error::Malformed { value_name, text: cut(), why, bytes: N })
        }
    }
}

/// Displays bytes as base64.
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
    fn errors_quote_the_text_and_say_what_is_expected() {
        let refusal = |text: &str| decode_base64::<4>("mark", text).unwrap_err().to_string();
        assert_eq!(decode_base64("mark", "AQID/w=="), Ok([1, 2, 3, 255]));
        assert_eq!(
            refusal("AQID"),
            "mark \"AQID\" has 4 characters: expected 4 bytes in base64, with padding"
        );
        assert_eq!(
            refusal("AQIDBAUG"),
            "mark \"AQIDBAUG\" has 8 characters: expected 4 bytes in base64, with padding"
        );
        assert_eq!(
            refusal("AQ!D/w=="),
            "mark \"AQ!D/w==\": expected 4 bytes in base64, with padding (Invalid symbol 33, offset 2.)"
        );
        for bad in ["", "AQID/w", "AQID/w=", "AQID/x==", "AQID_w==", " AQID/w==", "AQID/w==\n", "é"] {
            assert!(decode_base64::<4>("mark", bad).is_err(), "{bad:?}");
        }
        assert!(refusal(&"A".repeat(1_000_000)).len() < 200);
    }
}
