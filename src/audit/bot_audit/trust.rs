//! How far the key that signed the records can be trusted.

use lastnim_core::referee::PublicKey;
use serde::{Deserialize, Serialize};

/// Who vouches for the key that signed the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum KeyTrust {
    /// The user gave this key, and records that another key signed do not count.
    Given,
    /// A server says that this key is its own.
    NamedByServer(PublicKey),
    /// Nobody checked who owns the key.
    #[default]
    Unchecked,
}

impl KeyTrust {
    /// Returns the name of this value in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::NamedByServer(_) => "named_by_server",
            Self::Unchecked => "unchecked",
        }
    }

    /// Returns the end of a sentence that names the signers: who vouches for their keys.
    pub fn words<'a>(self, mut signers: impl ExactSizeIterator<Item = &'a String>) -> String {
        let count = signers.len();
        match self {
            _ if count == 0 => String::new(),
            Self::Given => ", the given key".to_owned(),
            Self::NamedByServer(key) if signers.all(|signer| *signer == key.to_string()) => {
                "; no --key was given, but the server says that this key is its own".to_owned()
            }
            Self::NamedByServer(key) => {
                format!("; no --key was given, and the server says that its key is {key}")
            }
            Self::Unchecked if count == 1 => {
                "; no --key was given, so the owner of this key was not checked".to_owned()
            }
            Self::Unchecked => {
                "; no --key was given, so the owners of these keys were not checked".to_owned()
            }
        }
    }
}
