//! Records in the JSON mapping of their proto, as files hold them.

use super::pb;
use crate::json::{MessageJsonError, message_from_proto3_json, message_from_proto3_text, parse_document};
use thiserror::Error;

/// JSON that is no record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordJsonError {
    /// It is no JSON, or an object has a key twice.
    #[error("{0}")]
    Document(String),
    /// A field does not fit.
    #[error(transparent)]
    Field(#[from] MessageJsonError),
    /// There is nothing in `{"record":..}`.
    #[error("record: null is not a record")]
    Null,
}

/// Reads the JSON of a record, bare or as `{"record":{..}}`, in any layout that the proto3 mapping allows.
///
/// # Errors
/// The first field that does not fit.
pub fn read_record_json(text: &str) -> Result<pb::MatchRecord, RecordJsonError> {
    if let Some(record) = message_from_proto3_text(text) {
        return Ok(record);
    }
    // The record is wrapped, or something is wrong. This slower path finds out what.
    let document = parse_document(text).map_err(RecordJsonError::Document)?;
    if document.get("record").is_none() {
        return Ok(message_from_proto3_json(&document)?);
    }
    let pb::GetRecordResponse { record } = message_from_proto3_json(&document)?;
    record.ok_or(RecordJsonError::Null)
}
