//! The signature under a record, and under a manifest.
//!
//! A server signs a record when its match is over, and no other: whoever has a seal holds the whole of a match, not some
//! beginning of it. The referee does not look after that, its caller does. What is signed with Ed25519 is the text
//! `lastnim record seal v1\n` followed by the 32 bytes of the hash of the record's last event; of a manifest, the text
//! `lastnim manifest seal v1\n` followed by the 32 bytes of its hash.

use super::{EventHash, ManifestHash};
use crate::game::Base64Error;
use crate::game::base64_text::{self, Base64};
use ed25519_dalek::{self as ed25519, Signer};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// What is signed before the last hash of a record: it keeps a signature from meaning anything else.
const RECORD_SEAL: &[u8] = b"lastnim record seal v1\n";
/// What is signed before the hash of a manifest.
const MANIFEST_SEAL: &[u8] = b"lastnim manifest seal v1\n";

/// The key that a server signs its records with. It is wiped from memory when it is dropped, and its `Debug` hides it.
#[derive(Clone)]
pub struct SigningKey(ed25519::SigningKey);

/// The key by which anyone can check the seals of a server. As text it is base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey(ed25519::VerifyingKey);

/// An Ed25519 signature. As text it is base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature([u8; Self::BYTES]);

/// A signature, and the key that it is checked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seal {
    /// Whose signature it is.
    pub signer: PublicKey,
    /// The signature.
    pub signature: Signature,
}

/// What is no public key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PublicKeyError {
    /// The text does not hold the bytes of a key.
    #[error(transparent)]
    Text(#[from] Base64Error),
    /// The bytes are no point of the curve, or one of the few under which anything could be signed.
    #[error("public key \"{}\": it is not a valid point of Ed25519's curve; ask the server for its key again", Base64(.0))]
    NoKey([u8; PublicKey::BYTES]),
}

impl SigningKey {
    /// The bytes of a seed.
    pub const SEED_BYTES: usize = 32;

    /// Makes the key of a seed, which is all of its secret.
    pub fn from_seed(seed: &[u8; Self::SEED_BYTES]) -> Self {
        Self(ed25519::SigningKey::from_bytes(seed))
    }

    /// Shows the seed.
    pub fn to_seed(&self) -> [u8; Self::SEED_BYTES] {
        self.0.to_bytes()
    }

    /// Returns the key by which anyone can check what this one signs.
    pub fn public_key(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Signs a record that is over, by the hash of its last event.
    pub fn seal(&self, head: EventHash) -> Seal {
        self.sign(&[RECORD_SEAL, head.as_bytes()].concat())
    }

    /// Signs a manifest.
    pub fn seal_manifest(&self, hash: ManifestHash) -> Seal {
        self.sign(&[MANIFEST_SEAL, hash.as_bytes()].concat())
    }

    fn sign(&self, message: &[u8]) -> Seal {
        Seal { signer: self.public_key(), signature: Signature(self.0.sign(message).to_bytes()) }
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(hidden)")
    }
}

impl Seal {
    /// Returns whether it is the signer's seal on the record that ends with this hash.
    pub fn verifies(&self, head: EventHash) -> bool {
        self.is_signature_on(&[RECORD_SEAL, head.as_bytes()].concat())
    }

    /// Returns whether it is the signer's seal on the manifest of this hash.
    pub fn verifies_manifest(&self, hash: ManifestHash) -> bool {
        self.is_signature_on(&[MANIFEST_SEAL, hash.as_bytes()].concat())
    }

    fn is_signature_on(&self, message: &[u8]) -> bool {
        let signature = ed25519::Signature::from_bytes(&self.signature.0);
        self.signer.0.verify_strict(message, &signature).is_ok()
    }
}

impl PublicKey {
    /// The bytes of a key.
    pub const BYTES: usize = 32;

    /// Accepts a point of the curve.
    ///
    /// # Errors
    /// If it is none, or one of the few under which anything could be signed.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Result<Self, PublicKeyError> {
        match ed25519::VerifyingKey::from_bytes(&bytes) {
            Ok(key) if !key.is_weak() => Ok(Self(key)),
            Ok(_) | Err(_) => Err(PublicKeyError::NoKey(bytes)),
        }
    }

    /// Returns its bytes.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        self.0.as_bytes()
    }
}

impl FromStr for PublicKey {
    type Err = PublicKeyError;

    fn from_str(text: &str) -> Result<Self, PublicKeyError> {
        Self::from_bytes(base64_text::decode_base64("public key", text)?)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Base64(self.as_bytes()).fmt(f)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl Signature {
    /// The bytes of a signature.
    pub const BYTES: usize = 64;

    /// Takes a signature that was kept; whether it holds is for [`Seal::verifies`] to say.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns its bytes.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl FromStr for Signature {
    type Err = Base64Error;

    fn from_str(text: &str) -> Result<Self, Base64Error> {
        base64_text::decode_base64("signature", text).map(Self)
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Base64(&self.0).fmt(f)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn flip(bytes: &mut [u8], bit: prop::sample::Index) {
        let bit = bit.index(8 * bytes.len());
        bytes[bit / 8] ^= 1 << (bit % 8);
    }

    proptest! {
        // Without optimisation a signature takes milliseconds.
        #![proptest_config(crate::game::testing::cases(32))]

        #[test]
        fn a_seal_holds_for_what_was_sealed(seed: [u8; 32], head: [u8; 32]) {
            let key = SigningKey::from_seed(&seed);
            let head = EventHash::from_bytes(head);
            let seal = key.seal(head);
            prop_assert!(seal.verifies(head));
            prop_assert_eq!(seal.signer, key.public_key());
            prop_assert_eq!(SigningKey::from_seed(&key.to_seed()).seal(head), seal);
        }

        #[test]
        fn one_changed_bit_breaks_a_seal(seed: [u8; 32], head: [u8; 32], bit: prop::sample::Index) {
            let seal = SigningKey::from_seed(&seed).seal(EventHash::from_bytes(head));
            let mut other = head;
            flip(&mut other, bit);
            prop_assert!(!seal.verifies(EventHash::from_bytes(other)));
            let head = EventHash::from_bytes(head);
            let mut signature = *seal.signature.as_bytes();
            flip(&mut signature, bit);
            let forged = Seal { signature: Signature::from_bytes(signature), ..seal };
            prop_assert!(!forged.verifies(head));
            let mut signer = *seal.signer.as_bytes();
            flip(&mut signer, bit);
            if let Ok(signer) = PublicKey::from_bytes(signer) {
                let forged = Seal { signer, ..seal };
                prop_assert!(!forged.verifies(head));
            }
        }

        #[test]
        fn keys_and_signatures_round_trip_as_text(seed: [u8; 32], head: [u8; 32]) {
            let seal = SigningKey::from_seed(&seed).seal(EventHash::from_bytes(head));
            prop_assert_eq!(seal.signer.to_string().parse(), Ok(seal.signer));
            prop_assert_eq!(seal.signature.to_string().parse(), Ok(seal.signature));
        }
    }

    #[test]
    fn a_bare_signature_on_a_hash_is_no_seal() {
        let key = SigningKey::from_seed(&[7; 32]);
        let head = EventHash::from_bytes([1; 32]);
        let signature = Signature(key.0.sign(head.as_bytes()).to_bytes());
        assert!(!Seal { signer: key.public_key(), signature }.verifies(head));
    }

    #[test]
    fn a_seal_on_a_record_is_none_on_a_manifest() {
        let key = SigningKey::from_seed(&[7; 32]);
        let (head, hash) = (EventHash::from_bytes([1; 32]), ManifestHash::from_bytes([1; 32]));
        assert!(key.seal_manifest(hash).verifies_manifest(hash));
        assert!(!key.seal_manifest(hash).verifies_manifest(ManifestHash::from_bytes([2; 32])));
        assert!(!key.seal(head).verifies_manifest(hash) && !key.seal_manifest(hash).verifies(head));
    }

    #[test]
    fn what_is_no_key_is_refused_in_words() {
        let refusal = |text: &str| text.parse::<PublicKey>().unwrap_err().to_string();
        assert_eq!(
            refusal("AAAA"),
            "public key \"AAAA\", of 4 characters: expected 32 bytes in base64, with padding"
        );
        let mut off_the_curve = [0; 32];
        off_the_curve[0] = 2;
        let neutral = [[1].as_slice(), &[0; 31]].concat();
        for bytes in [&off_the_curve[..], &neutral] {
            let text = Base64(bytes).to_string();
            assert_eq!(
                refusal(&text),
                format!(
                    "public key \"{text}\": it is not a valid point of Ed25519's curve; ask the server for its key again"
                )
            );
        }
        assert_eq!(
            "AAAA".parse::<Signature>().unwrap_err().to_string(),
            "signature \"AAAA\", of 4 characters: expected 64 bytes in base64, with padding"
        );
    }

    #[test]
    fn a_signing_key_never_shows_its_seed() {
        assert_eq!(format!("{:?}", SigningKey::from_seed(&[7; 32])), "SigningKey(hidden)");
    }
}
