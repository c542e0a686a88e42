//! The signatures on records, manifests and benchmark cards.
//!
//! A server signs a record only when its match is over, so a seal proves that the record is complete. This module does
//! not check this: its callers must ensure it. The signed message is the text `lastnim record seal v1\n` followed by
//! the 32 bytes of the hash of the record's last event; for a manifest, `lastnim manifest seal v1\n` followed by its
//! hash; for a card, `lastnim card seal v1\n` followed by its hash. The algorithm is Ed25519.

use super::{CardHash, EventHash, ManifestHash};
use crate::game::Base64Error;
use crate::game::base64_text::{self, Base64};
use ed25519_dalek::{self as ed25519, Signer, Verifier};
use serde::{Deserialize, Serialize};
use std::{cell::Cell, fmt, str::FromStr};
use thiserror::Error;

/// The text before the hash of a record's last event in the signed message. It keeps signatures on records distinct
/// from all others.
const RECORD_SEAL_PREFIX: &[u8] = b"lastnim record seal v1\n";
/// The text before a manifest's hash in the signed message.
const MANIFEST_SEAL_PREFIX: &[u8] = b"lastnim manifest seal v1\n";
/// The text before a benchmark card's hash in the signed message.
const CARD_SEAL_PREFIX: &[u8] = b"lastnim card seal v1\n";

/// A server's signing key. It is wiped from memory when dropped, and `Debug` hides it.
#[derive(Clone)]
pub struct SigningKey(ed25519::SigningKey);

/// The key that verifies a server's seals. Its text form is base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "[u8; 32]", into = "[u8; 32]")]
pub struct PublicKey(ed25519::VerifyingKey);

/// An Ed25519 signature. Its text form is base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature([u8; Self::BYTES]);

/// A signature and the key that verifies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seal {
    /// The key of the signer.
    pub signer: PublicKey,
    /// The signature.
    pub signature: Signature,
}

/// Why a value is not a public key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PublicKeyError {
    /// The text is not the base64 form of a key.
    #[error(transparent)]
    Text(#[from] Base64Error),
    /// The bytes are not a point on the curve, or are one of the few points with which forged signatures can verify.
    #[error("public key \"{}\" is not a valid Ed25519 key: ask the server for its key again", Base64(.0))]
    InvalidKey([u8; PublicKey::BYTES]),
}

impl SigningKey {
    /// Length of a seed in bytes.
    pub const SEED_BYTES: usize = 32;

    /// Derives the signing key from a seed, which is its only secret.
    pub fn from_seed(seed: &[u8; Self::SEED_BYTES]) -> Self {
        Self(ed25519::SigningKey::from_bytes(seed))
    }

    /// Returns the secret seed.
    pub fn to_seed(&self) -> [u8; Self::SEED_BYTES] {
        self.0.to_bytes()
    }

    /// Returns the public key that verifies the signatures of this key.
    pub fn public_key(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Derives another secret from the seed. `context` names its purpose, and each purpose has its own secret.
    pub fn derive_secret(&self, context: &'static str) -> [u8; 32] {
        blake3::derive_key(context, &self.to_seed())
    }

    /// Signs the record of a finished match, given the hash of its last event.
    pub fn seal(&self, head: EventHash) -> Seal {
        self.sign(&[RECORD_SEAL_PREFIX, head.as_bytes()].concat())
    }

    /// Signs a manifest.
    pub fn seal_manifest(&self, hash: ManifestHash) -> Seal {
        self.sign(&[MANIFEST_SEAL_PREFIX, hash.as_bytes()].concat())
    }

    /// Signs a benchmark card.
    pub fn seal_card(&self, hash: CardHash) -> Seal {
        self.sign(&[CARD_SEAL_PREFIX, hash.as_bytes()].concat())
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
    /// Returns whether this is the signer's seal on the record whose last hash is `head`.
    pub fn verifies(&self, head: EventHash) -> bool {
        self.is_signature_on(&[RECORD_SEAL_PREFIX, head.as_bytes()].concat())
    }

    /// Returns whether this is the signer's seal on the manifest with this hash.
    pub fn verifies_manifest(&self, hash: ManifestHash) -> bool {
        self.is_signature_on(&[MANIFEST_SEAL_PREFIX, hash.as_bytes()].concat())
    }

    /// Returns whether this is the signer's seal on the card with this hash.
    pub fn verifies_card(&self, hash: CardHash) -> bool {
        self.is_signature_on(&[CARD_SEAL_PREFIX, hash.as_bytes()].concat())
    }

    /// Accepts exactly what strict verification accepts, without decompressing the signature's point R.
    ///
    /// Strict verification rejects a key of small order, an R of small order, and an R that is not a point; then it
    /// computes the expected R and compares the bytes. Here, a [`PublicKey`] is never of small order, and bytes that
    /// equal those of a computed point are certainly a point. So the only check left is that R is not one of the eight
    /// points of small order.
    fn is_signature_on(&self, message: &[u8]) -> bool {
        let signature = ed25519::Signature::from_bytes(&self.signature.0);
        !is_of_small_order(signature.r_bytes()) && self.signer.0.verify(message, &signature).is_ok()
    }
}

/// The y coordinates of the points whose order divides 8. With both signs of x, they give eight points.
const SMALL_ORDER_YS: [[u8; 32]; 5] = [
    // The point of order 1.
    with_ends(1, 0, 0),
    // The point of order 2: y = -1.
    with_ends(0xec, 0xff, 0x7f),
    // The points of order 4.
    [0; 32],
    // The points of order 8, and their negatives.
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a,
        0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5,
        0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
];

/// Returns 32 bytes with this first and this last byte, and all others equal to `between`.
const fn with_ends(first: u8, between: u8, last: u8) -> [u8; 32] {
    let mut bytes = [between; 32];
    (bytes[0], bytes[31]) = (first, last);
    bytes
}

/// Returns whether these are the canonical bytes of a point of small order.
fn is_of_small_order(point: &[u8; 32]) -> bool {
    // The highest bit is the sign of x.
    let mut y = *point;
    y[31] &= 0x7f;
    SMALL_ORDER_YS.contains(&y)
}

thread_local! {
    /// The last key parsed. It is kept because consecutive records usually have the same signer, and decompressing a
    /// key is slow.
    static LAST_KEY: Cell<Option<PublicKey>> = const { Cell::new(None) };
}

impl PublicKey {
    /// Length in bytes.
    pub const BYTES: usize = 32;

    /// Creates a key from the bytes of a point on the curve.
    ///
    /// # Errors
    /// If the bytes are not such a point, or are one of the few points with which forged signatures can verify.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Result<Self, PublicKeyError> {
        if let Some(known) = LAST_KEY.get().filter(|known| *known.as_bytes() == bytes) {
            return Ok(known);
        }
        match ed25519::VerifyingKey::from_bytes(&bytes) {
            Ok(key) if !key.is_weak() => {
                LAST_KEY.set(Some(Self(key)));
                Ok(Self(key))
            }
            Ok(_) | Err(_) => Err(PublicKeyError::InvalidKey(bytes)),
        }
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        self.0.as_bytes()
    }
}

impl TryFrom<[u8; Self::BYTES]> for PublicKey {
    type Error = PublicKeyError;

    fn try_from(bytes: [u8; Self::BYTES]) -> Result<Self, PublicKeyError> {
        Self::from_bytes(bytes)
    }
}

impl From<PublicKey> for [u8; PublicKey::BYTES] {
    fn from(key: PublicKey) -> Self {
        *key.as_bytes()
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
    /// Length in bytes.
    pub const BYTES: usize = 64;

    /// Creates a signature from its bytes, without verifying it.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
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
    use curve25519_dalek::{EdwardsPoint, Scalar, constants::EIGHT_TORSION};
    use proptest::prelude::*;
    use sha2::{Digest, Sha512};

    fn flip_bit(bytes: &mut [u8], bit: prop::sample::Index) {
        let bit = bit.index(8 * bytes.len());
        bytes[bit / 8] ^= 1 << (bit % 8);
    }

    proptest! {
        // Few cases, because each signature takes milliseconds in a build without optimisation.
        #![proptest_config(crate::game::testing::cases(32))]

        #[test]
        fn a_seal_verifies_and_a_key_is_restored_from_its_seed(seed: [u8; 32], head: [u8; 32]) {
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
            flip_bit(&mut other, bit);
            prop_assert!(!seal.verifies(EventHash::from_bytes(other)));
            let head = EventHash::from_bytes(head);
            let mut signature = *seal.signature.as_bytes();
            flip_bit(&mut signature, bit);
            let forged = Seal { signature: Signature::from_bytes(signature), ..seal };
            prop_assert!(!forged.verifies(head));
            let mut signer = *seal.signer.as_bytes();
            flip_bit(&mut signer, bit);
            if let Ok(signer) = PublicKey::from_bytes(signer) {
                let forged = Seal { signer, ..seal };
                prop_assert!(!forged.verifies(head));
            }
        }

        #[test]
        fn keys_round_trip_as_text(seed: [u8; 32]) {
            let key = SigningKey::from_seed(&seed).public_key();
            prop_assert_eq!(key.to_string().parse(), Ok(key));
        }
    }

    #[test]
    fn a_signature_without_the_prefix_is_not_a_seal() {
        let key = SigningKey::from_seed(&[7; 32]);
        let head = EventHash::from_bytes([1; 32]);
        let signature = Signature(key.0.sign(head.as_bytes()).to_bytes());
        assert!(!Seal { signer: key.public_key(), signature }.verifies(head));
    }

    #[test]
    fn seals_do_not_transfer_between_kinds_of_documents() {
        let key = SigningKey::from_seed(&[7; 32]);
        let (head, hash) = (EventHash::from_bytes([1; 32]), ManifestHash::from_bytes([1; 32]));
        assert!(key.seal_manifest(hash).verifies_manifest(hash));
        assert!(!key.seal_manifest(hash).verifies_manifest(ManifestHash::from_bytes([2; 32])));
        assert!(!key.seal(head).verifies_manifest(hash) && !key.seal_manifest(hash).verifies(head));
        let card = CardHash::of_line(b"{}\n");
        assert!(key.seal_card(card).verifies_card(card));
        assert!(!key.seal_card(card).verifies_card(CardHash::of_line(b"{}")));
        assert!(!key.seal(EventHash::from_bytes(*card.as_bytes())).verifies_card(card));
        assert!(!key.seal_manifest(ManifestHash::from_bytes(*card.as_bytes())).verifies_card(card));
    }

    #[test]
    fn errors_quote_the_invalid_key() {
        let refusal = |text: &str| text.parse::<PublicKey>().unwrap_err().to_string();
        assert_eq!(
            refusal("AAAA"),
            "public key \"AAAA\" has 4 characters: expected 32 bytes in base64, with padding"
        );
        let mut off_the_curve = [0; 32];
        off_the_curve[0] = 2;
        let neutral = [[1].as_slice(), &[0; 31]].concat();
        for bytes in [&off_the_curve[..], &neutral] {
            let text = Base64(bytes).to_string();
            assert_eq!(
                refusal(&text),
                format!("public key \"{text}\" is not a valid Ed25519 key: ask the server for its key again")
            );
        }
    }

    #[test]
    fn a_signing_key_never_shows_its_seed() {
        assert_eq!(format!("{:?}", SigningKey::from_seed(&[7; 32])), "SigningKey(hidden)");
    }

    #[test]
    fn the_constants_are_the_points_of_small_order() {
        for point in EIGHT_TORSION {
            let bytes = point.compress().to_bytes();
            assert!(is_of_small_order(&bytes), "{bytes:?}");
        }
        for y in SMALL_ORDER_YS {
            let key = ed25519::VerifyingKey::from_bytes(&y).expect("y is a coordinate of a point");
            assert!(key.is_weak(), "{y:?}");
        }
    }

    /// Signs with a key and a point R that each have a component of small order, as only an attacker would.
    fn sign_with_torsion(
        key: Scalar,
        nonce: Scalar,
        torsion: &[EdwardsPoint; 2],
        message: &[u8],
    ) -> Option<Seal> {
        let [of_key, of_nonce] = torsion;
        let signer = (EdwardsPoint::mul_base(&key) + of_key).compress().to_bytes();
        let r = (EdwardsPoint::mul_base(&nonce) + of_nonce).compress().to_bytes();
        let digest = Sha512::new().chain_update(r).chain_update(signer).chain_update(message).finalize();
        let challenge = Scalar::from_bytes_mod_order_wide(&digest.into());
        let s = (nonce + challenge * key).to_bytes();
        let signature = Signature([r, s].concat().try_into().expect("32 bytes and 32"));
        Some(Seal { signer: PublicKey::from_bytes(signer).ok()?, signature })
    }

    #[test]
    fn verification_agrees_with_strict_verification() {
        let mut counts = [[0; 2]; 2];
        for round in 0..4_u64 {
            // With a nonce of 0, R itself is of small order.
            for nonce in [0, 1_000 + round] {
                for torsion in 0..64 {
                    let torsion = [EIGHT_TORSION[torsion / 8], EIGHT_TORSION[torsion % 8]];
                    let message = round.to_le_bytes();
                    let seal =
                        sign_with_torsion(Scalar::from(77 + round), Scalar::from(nonce), &torsion, &message);
                    let seal = seal.expect("a key with a component of large order is valid");
                    let signature = ed25519::Signature::from_bytes(&seal.signature.0);
                    let strict = seal.signer.0.verify_strict(&message, &signature).is_ok();
                    assert_eq!(seal.is_signature_on(&message), strict, "{seal:?}");
                    let lax = seal.signer.0.verify(&message, &signature).is_ok();
                    counts[usize::from(lax)][usize::from(strict)] += 1;
                }
            }
        }
        let [[_, never], [small_order, accepted]] = counts;
        assert!(never == 0 && small_order >= 4 && accepted >= 4, "{counts:?}");
    }

    /// The order of the base point, 2^252 + 27742317777372353535851937790883648493.
    const BASE_POINT_ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];

    #[test]
    fn a_signature_with_a_non_canonical_s_is_rejected() {
        let key = SigningKey::from_seed(&[7; 32]);
        let head = EventHash::from_bytes([1; 32]);
        let seal = key.seal(head);
        let mut carry = 0;
        let mut bytes = seal.signature.0;
        for (byte, more) in bytes[32..].iter_mut().zip(BASE_POINT_ORDER) {
            let sum = u16::from(*byte) + u16::from(more) + carry;
            (*byte, carry) = (sum.to_le_bytes()[0], sum >> 8);
        }
        assert!(!Seal { signature: Signature(bytes), ..seal }.verifies(head), "s plus the order");
    }

    #[test]
    fn the_key_cache_does_not_change_results() {
        let keys = [[7; 32], [8; 32]].map(|seed| SigningKey::from_seed(&seed).public_key());
        for key in [0, 0, 1, 0, 1, 1].map(|index: usize| keys[index]) {
            assert_eq!(PublicKey::from_bytes(*key.as_bytes()), Ok(key));
            assert!(PublicKey::from_bytes([0; 32]).is_err(), "a key of small order");
        }
    }
}
