//! The version of the program that plays for a bot.

use super::base64_text::{self, Base64};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr, sync::Arc};
use thiserror::Error;

/// A label that a bot chooses for the version of its program: 1 to 64 visible ASCII characters, without spaces.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct VersionLabel(Arc<str>);

/// A word that is not a valid version label.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("version {0:?}: expected 1 to {max} visible ASCII characters without spaces", max = VersionLabel::MAX_CHARS)]
pub struct VersionLabelError(String);

/// The hash of a program's configuration, such as its settings file or prompt. The bot decides how to compute it. Its
/// text form is base64; 64 hexadecimal digits can be parsed, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ConfigHash([u8; Self::BYTES]);

/// Why a value is not a valid config hash.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigHashError {
    /// The text is not a hash.
    #[error("config hash {0:?}: expected {bytes} bytes, as 64 hexadecimal digits or as base64 with padding", bytes = ConfigHash::BYTES)]
    Text(String),
    /// The hash has the wrong number of bytes.
    #[error("a config hash of {0} bytes: expected {bytes}", bytes = ConfigHash::BYTES)]
    Length(usize),
}

/// The version that a bot declares when its session starts. Both parts are optional.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct BotVersion {
    /// The version label.
    pub label: Option<VersionLabel>,
    /// The hash of the program's configuration.
    pub config_hash: Option<ConfigHash>,
}

impl VersionLabel {
    /// The maximum length in characters.
    pub const MAX_CHARS: usize = 64;

    /// Returns the label.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for VersionLabel {
    type Err = VersionLabelError;

    fn from_str(word: &str) -> Result<Self, VersionLabelError> {
        let fits = (1..=Self::MAX_CHARS).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_graphic());
        if fits {
            Ok(Self(word.into()))
        } else {
            Err(VersionLabelError(word.chars().take(2 * Self::MAX_CHARS).collect()))
        }
    }
}

impl TryFrom<String> for VersionLabel {
    type Error = VersionLabelError;

    fn try_from(word: String) -> Result<Self, VersionLabelError> {
        word.parse()
    }
}

impl fmt::Display for VersionLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for VersionLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VersionLabel({self})")
    }
}

impl ConfigHash {
    /// Length in bytes.
    pub const BYTES: usize = 32;

    /// Creates a hash from its bytes.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl TryFrom<&[u8]> for ConfigHash {
    type Error = ConfigHashError;

    fn try_from(bytes: &[u8]) -> Result<Self, ConfigHashError> {
        bytes.try_into().map(Self).map_err(|_| ConfigHashError::Length(bytes.len()))
    }
}

impl FromStr for ConfigHash {
    type Err = ConfigHashError;

    fn from_str(text: &str) -> Result<Self, ConfigHashError> {
        let refusal = || ConfigHashError::Text(text.chars().take(4 * Self::BYTES).collect());
        if text.len() == 2 * Self::BYTES && text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            let mut bytes = [0; Self::BYTES];
            for (at, byte) in bytes.iter_mut().enumerate() {
                *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).map_err(|_| refusal())?;
            }
            return Ok(Self(bytes));
        }
        base64_text::decode_base64("config hash", text).map(Self).map_err(|_| refusal())
    }
}

impl fmt::Display for ConfigHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Base64(&self.0).fmt(f)
    }
}

impl fmt::Debug for ConfigHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConfigHash({self})")
    }
}

impl BotVersion {
    /// Returns whether the bot declared a label or a config hash.
    pub fn is_declared(&self) -> bool {
        *self != Self::default()
    }
}

impl fmt::Display for BotVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.label, &self.config_hash) {
            (None, None) => f.write_str("no version"),
            (Some(label), None) => label.fmt(f),
            (None, Some(hash)) => write!(f, "config {hash}"),
            (Some(label), Some(hash)) => write!(f, "{label} (config {hash})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_round_trip() {
        for label in ["1", "v1.2.3-rc.1+linux", "~!@#", &"b".repeat(64)] {
            assert_eq!(label.parse::<VersionLabel>().unwrap().to_string(), label);
        }
        for bad in ["", " ", "a b", "a\n", "naïve", "\u{7f}", &"b".repeat(65)] {
            let refused = bad.parse::<VersionLabel>().unwrap_err().to_string();
            assert!(refused.starts_with(&format!("version {bad:?}: expected 1 to 64 visible")), "{refused}");
        }
        assert!("x".repeat(1_000_000).parse::<VersionLabel>().unwrap_err().to_string().len() < 250);
    }

    #[test]
    fn a_config_hash_parses_from_hex_and_base64() {
        let hash = ConfigHash::from_bytes(std::array::from_fn(|at| if at < 16 { 0x1f } else { 0xa0 }));
        assert_eq!(hash.to_string().parse(), Ok(hash));
        let digits: String = "1f".repeat(16) + &"a0".repeat(16);
        assert_eq!(digits.parse(), Ok(hash));
        assert_eq!(digits.to_ascii_uppercase().parse(), Ok(hash));
        for bad in ["", "07", &digits[1..], &format!("{digits}00"), &"g".repeat(64), &"é".repeat(32)] {
            let refused = bad.parse::<ConfigHash>().unwrap_err().to_string();
            assert!(
                refused.starts_with(&format!("config hash {bad:?}: expected 32 bytes, as 64")),
                "{refused}"
            );
        }
        assert_eq!(ConfigHash::try_from(&[7; 32][..]), Ok(ConfigHash::from_bytes([7; 32])));
        let refused = ConfigHash::try_from(&[7; 31][..]).unwrap_err();
        assert_eq!(refused.to_string(), "a config hash of 31 bytes: expected 32");
    }

    #[test]
    fn display_shows_the_declared_parts() {
        let (label, hash) = ("1.4".parse().ok(), Some(ConfigHash::from_bytes([0; 32])));
        let version_text = |label: &Option<VersionLabel>, config_hash| {
            BotVersion { label: label.clone(), config_hash }.to_string()
        };
        let zeros = format!("{}=", "A".repeat(43));
        assert_eq!(version_text(&None, None), "no version");
        assert_eq!(version_text(&label, None), "1.4");
        assert_eq!(version_text(&None, hash), format!("config {zeros}"));
        assert_eq!(version_text(&label, hash), format!("1.4 (config {zeros})"));
    }
}
