//! `lastnim record verify`: checks that records, manifests and cards are complete and unchanged, and names their signers.

mod card;
mod command;
mod manifest;
mod manifest_report;
mod record_comparison;
mod standings_comparison;
mod transcripts;

pub use command::{RecordLayout, VerifyArgs, run, verify_document_as_json};
