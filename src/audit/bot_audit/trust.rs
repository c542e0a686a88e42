//! How far the signing key of records is trusted.

use lastnim_core::referee::PublicKey;

/// How far the signing key of records is trusted.
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
    /// Returns its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::NamedByServer(_) => "named_by_server",
            Self::Unchecked => "unchecked",
        }
    }

    /// Describes it at the end of a sentence that names the signers.
    pub fn words<'a>(self, mut signers: impl ExactSizeIterator<Item = &'a String>) -> String {
        let count = signers.len();
        match self {
            _ if count == 0 => String::new(),
            Self::Given => ", the key that was given".to_owned(),
            Self::NamedByServer(key) if signers.all(|signer| *signer == key.to_string()) => {
                "; no --key given: it is the key that the server itself names".to_owned()
            }
            Self::NamedByServer(key) => format!("; no --key given: the server itself names {key}"),
            Self::Unchecked if count == 1 => "; no --key given: whose key this is was not checked".to_owned(),
            Self::Unchecked => "; no --key given: whose keys these are was not checked".to_owned(),
        }
    }
}
