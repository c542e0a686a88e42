//! Records in the JSON mapping of their proto, as files hold them.

use super::pb;
use serde_json::{Error, Map, Value};
use thiserror::Error;

/// JSON that is no record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordJsonError {
    /// It is no JSON, or of another shape.
    #[error(transparent)]
    Shape(Error),
    /// An event is none.
    #[error("events[{index}]: {error}")]
    Event {
        /// Its index, from 0.
        index: usize,
        /// What is wrong with it.
        error: Error,
    },
}

/// Reads the JSON of a record, bare or as `{"record":{..}}`; its names may be in snake or in camel case.
///
/// # Errors
/// The first event that is none, or else the first thing that does not fit.
pub fn read_record_json(text: &str) -> Result<pb::MatchRecord, RecordJsonError> {
    let error = match serde_json::from_str::<pb::MatchRecord>(text) {
        Ok(record) => return Ok(record),
        Err(error) => error,
    };
    let Ok(mut document) = serde_json::from_str::<Map<String, Value>>(text) else {
        return Err(RecordJsonError::Shape(error));
    };
    match document.remove("record") {
        Some(Value::Object(record)) if document.is_empty() => match serde_json::from_str(text) {
            Ok(pb::GetRecordResponse { record: Some(record) }) => Ok(record),
            Ok(_) => Err(RecordJsonError::Shape(error)),
            Err(error) => Err(misfit_error(&record, error)),
        },
        _ => Err(misfit_error(&document, error)),
    }
}

/// Names the event that is none, if there is one.
fn misfit_error(record: &Map<String, Value>, error: Error) -> RecordJsonError {
    let events = record.get("events").and_then(Value::as_array);
    let mut errors = events.into_iter().flatten().enumerate().filter_map(|(index, event)| {
        let error = serde_json::from_value::<pb::RecordEvent>(event.clone()).err()?;
        Some(RecordJsonError::Event { index, error })
    });
    errors.next().unwrap_or(RecordJsonError::Shape(error))
}
