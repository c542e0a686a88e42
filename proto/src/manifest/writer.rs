//! Writes manifests.

use super::{ListedMatch, ListedRecord, VERSION, pb};
use crate::{deal::published_secret_fields, json::MessageJson};
use lastnim_core::game::TournamentId;
use lastnim_core::referee::{ManifestHash, ManifestHasher, PublicKey, PublishedSecret, Seal, Timestamp};
use lastnim_tournament::TournamentState;
use pb::manifest_line::Line;

/// Writes and hashes a manifest line by line. The text can be drained at any time.
#[derive(Debug, Default)]
pub struct ManifestWriter {
    hasher: ManifestHasher,
    text: Vec<u8>,
    signer: Option<PublicKey>,
}

impl ManifestWriter {
    /// Begins a manifest by writing its first line.
    pub fn begin(
        id: TournamentId,
        state: TournamentState,
        created_at: Timestamp,
        over_at: Option<Timestamp>,
        deal_secret: Option<&PublishedSecret>,
    ) -> Self {
        let (deal_secret_hash, deal_secret) = published_secret_fields(deal_secret);
        let mut writer = Self::default();
        writer.push_line(Line::Manifest(pb::ManifestHeader {
            version: VERSION,
            tournament_id: id.to_string(),
            state: pb::TournamentState::from(state).into(),
            created_at_us: created_at.as_micros(),
            over_at_us: over_at.map_or(0, Timestamp::as_micros),
            deal_secret_hash,
            deal_secret,
        }));
        writer
    }

    /// Adds a line.
    pub fn push_line(&mut self, line: Line) {
        let start = self.text.len();
        self.push_unhashed(line);
        self.hasher.update(&self.text[start..]);
    }

    /// Adds the line of a match.
    pub fn push_match(&mut self, listed: &ListedMatch) {
        let line = listed.to_message(self.signer);
        if let ListedRecord::Signed { signer, .. } = listed.record {
            self.signer = Some(signer);
        }
        self.push_line(Line::Match(line));
    }

    /// Returns the hash of all lines so far.
    pub fn hash(&self) -> ManifestHash {
        self.hasher.hash()
    }

    /// Adds the last line: a seal that signs the hash of all lines before it.
    pub fn push_seal(&mut self, seal: &Seal) {
        self.push_unhashed(Line::Seal(pb::ManifestSeal {
            signer: seal.signer.as_bytes().to_vec(),
            signature: seal.signature.as_bytes().to_vec(),
        }));
    }

    /// Returns the number of bytes that are ready to be drained.
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    /// Drains the text written since the last call.
    pub fn take_text(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.text)
    }

    fn push_unhashed(&mut self, line: Line) {
        let line = pb::ManifestLine { line: Some(line) };
        serde_json::to_writer(&mut self.text, &MessageJson::canonical(&line))
            .expect("a line can be written as JSON, and a `Vec` accepts all writes");
        self.text.push(b'\n');
    }
}
