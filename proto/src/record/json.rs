//! Reads records from JSON files.

use super::pb;
use crate::json::{MessageJsonError, message_from_proto3_json, message_from_proto3_text, parse_document};
use thiserror::Error;

/// The reason why a text is not a record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordJsonError {
    /// The text is not JSON, or an object has a duplicate key.
    #[error("{0}")]
    Document(String),
    /// A field of the record is invalid.
    #[error(transparent)]
    Field(#[from] MessageJsonError),
    /// The record in `{"record":..}` is null.
    #[error("record: null is not a record")]
    Null,
}

/// Reads a record in any layout that the proto3 mapping allows, either on its own or wrapped as `{"record":{..}}`.
///
/// # Errors
/// If the text is not JSON or a field is invalid. The error describes the first mistake.
pub fn read_record_json(text: &str) -> Result<pb::MatchRecord, RecordJsonError> {
    if let Some(record) = message_from_proto3_text(text) {
        return Ok(record);
    }
    // The record is wrapped or invalid. This slower path handles both.
    let document = parse_document(text).map_err(RecordJsonError::Document)?;
    if document.get("record").is_none() {
        return Ok(message_from_proto3_json(&document)?);
    }
    let pb::GetRecordResponse { record } = message_from_proto3_json(&document)?;
    record.ok_or(RecordJsonError::Null)
}
