//! How far the key that signed the records is trusted.

use lastnim_core::referee::PublicKey;

/// How far the key that signed the records is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyTrust {
    /// The user gave it, and no other key counts.
    Given,
    /// A server names it as its own.
    NamedByServer(PublicKey),
    /// Its owner is unknown.
    #[default]
    Unchecked,
}

impl KeyTrust {
    /// Returns the name of this trust in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::NamedByServer(_) => "named_by_server",
            Self::Unchecked => "unchecked",
        }
    }

    /// Describes the trust, as the end of a sentence that names the signers.
    pub fn words<'a>(self, mut signers: impl ExactSizeIterator<Item = &'a String>) -> String {
        let count = signers.len();
        match self {
            _ if count == 0 => String::new(),
            Self::Given => ", the given key".to_owned(),
            Self::NamedByServer(key) if signers.all(|signer| *signer == key.to_string()) => {
                "; without --key: the server names this key".to_owned()
            }
            Self::NamedByServer(key) => format!("; without --key: the server names {key}"),
            Self::Unchecked if count == 1 => "; without --key: its owner was not checked".to_owned(),
            Self::Unchecked => "; without --key: their owners were not checked".to_owned(),
        }
    }
}
