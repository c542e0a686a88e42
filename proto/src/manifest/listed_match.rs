//! A match in a manifest.

use super::{RequestField, pb};
use lastnim_core::game::MatchId;
use lastnim_core::referee::{EventHash, PublicKey};

/// A match of a tournament, with the proof of its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedMatch {
    /// The id of the match.
    pub id: MatchId,
    /// The number of the match in the tournament.
    pub number: u64,
    /// The proof of the match's record.
    pub record: ListedRecord,
}

/// A manifest's statement about the record of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedRecord {
    /// The record is signed.
    Signed {
        /// The hash of the last event.
        head: EventHash,
        /// The public key of the signer.
        signer: PublicKey,
    },
    /// The rows of the match were never revealed, so only its public events can be checked.
    Unrevealed {
        /// The last hash of the public events.
        public_head: EventHash,
    },
    /// The match is not over.
    Open,
    /// The match does not count for any bot, and the server has no record of it.
    Unrecorded,
}

impl ListedMatch {
    /// Converts the match to a message. The signer is left out if it equals `last_signer`.
    pub(super) fn to_message(&self, last_signer: Option<PublicKey>) -> pb::ManifestMatch {
        use pb::manifest_match::Record;
        let mut named = None;
        let record = match self.record {
            ListedRecord::Signed { head, signer } => {
                named = (last_signer != Some(signer)).then_some(signer);
                Record::Head(head.as_bytes().to_vec())
            }
            ListedRecord::Unrevealed { public_head } => Record::PublicHead(public_head.as_bytes().to_vec()),
            ListedRecord::Open => Record::Open(true),
            ListedRecord::Unrecorded => Record::Unrecorded(true),
        };
        pb::ManifestMatch {
            match_id: self.id.to_string(),
            number: self.number,
            record: Some(record),
            signer: named.map(|signer| signer.as_bytes().to_vec()).unwrap_or_default(),
        }
    }

    /// Reads the match. If it names no signer, the signer is `last_signer`.
    pub(super) fn parse(
        given: &pb::ManifestMatch,
        last_signer: Option<PublicKey>,
        field: RequestField<'_>,
    ) -> Option<Self> {
        use pb::manifest_match::Record;
        let id = field.member("match_id").ok_or_report(given.match_id.parse());
        let hash = |name: &'static str, bytes: &[u8]| {
            let hash = <[u8; EventHash::BYTES]>::try_from(bytes);
            let hash =
                hash.map_err(|_| format!("{} bytes: expected {} in a hash", bytes.len(), EventHash::BYTES));
            field.member(name).ok_or_report(hash).map(EventHash::from_bytes)
        };
        let signer = || {
            let at = field.member("signer");
            if given.signer.is_empty() {
                at.require(last_signer.as_ref()).copied()
            } else {
                parse_key(&given.signer, at)
            }
        };
        let record = match given.record.as_ref() {
            Some(Record::Head(bytes)) => {
                let (head, signer) = (hash("head", bytes), signer());
                ListedRecord::Signed { head: head?, signer: signer? }
            }
            Some(Record::PublicHead(bytes)) => {
                ListedRecord::Unrevealed { public_head: hash("public_head", bytes)? }
            }
            Some(Record::Open(true)) => ListedRecord::Open,
            Some(Record::Unrecorded(true)) => ListedRecord::Unrecorded,
            Some(Record::Open(false) | Record::Unrecorded(false)) | None => {
                field.report("exactly one of head, public_head, open and unrecorded is required");
                return None;
            }
        };
        Some(Self { id: id?, number: given.number, record })
    }
}

/// Reads a public key.
pub(super) fn parse_key(bytes: &[u8], field: RequestField<'_>) -> Option<PublicKey> {
    let key = <[u8; PublicKey::BYTES]>::try_from(bytes);
    let key =
        key.map_err(|_| format!("{} bytes: expected {} in a public key", bytes.len(), PublicKey::BYTES));
    field.ok_or_report(key.and_then(|bytes| PublicKey::from_bytes(bytes).map_err(|error| error.to_string())))
}
