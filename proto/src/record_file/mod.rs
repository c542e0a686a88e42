//! Record files: their formats, and a check whether a file is byte for byte what lastnim writes.

use super::json::MessageJson;
use super::pb;
use super::record::{RecordJsonError, read_record_json};
use super::record_text::{VERSION_LINE, write_record_text};
use lastnim_core::referee::{Record, Seal};
use thiserror::Error;

/// A format of record files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordForm {
    /// One line of JSON, the proto3 mapping of `lastnim.v1.MatchRecord`.
    Json,
    /// The same JSON, indented.
    PrettyJson,
    /// Text for people, one event per line, which cannot be read back: see [`record_text`](super::record_text).
    Text,
}

impl RecordForm {
    /// The formats that can be read back.
    pub const JSON: [Self; 2] = [Self::Json, Self::PrettyJson];

    /// Returns a record in this format, with a newline at the end. The seal is included if it is given and the record keeps
    /// no event secret.
    pub fn write(self, record: &Record, seal: Option<&Seal>) -> String {
        let json = || MessageJson::canonical(&pb::MatchRecord::of(record, seal));
        let written = match self {
            Self::Json => serde_json::to_string(&json()),
            Self::PrettyJson => serde_json::to_string_pretty(&json()),
            Self::Text => return write_record_text(record, seal),
        };
        written.expect("every record can be written as JSON") + "\n"
    }
}

/// The reason why a text cannot be read as a record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordFileError {
    /// The text does not begin like JSON.
    #[error("not a record: expected JSON that begins with `{{`")]
    Form,
    /// The record is in text format.
    #[error(
        "this is a record as text, for people to read: give its JSON, which `record get` and `record export` write without --format text"
    )]
    Text,
    /// The JSON is not a record.
    #[error(transparent)]
    Json(#[from] RecordJsonError),
}

/// Reads a record from JSON on one or more lines. Does not check whether its events are consistent.
///
/// # Errors
/// If the text is not the JSON of a record. The error describes the first mistake.
pub fn read_record(text: &str) -> Result<pb::MatchRecord, RecordFileError> {
    if text.trim_ascii_start().starts_with('{') {
        Ok(read_record_json(text)?)
    } else if text.starts_with(VERSION_LINE) {
        Err(RecordFileError::Text)
    } else {
        Err(RecordFileError::Form)
    }
}

/// The place where a file first differs from the text that lastnim writes for its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutDifference {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the character in its line, from 1.
    pub column: usize,
}

/// Finds where a text first differs from its record in each of the two JSON formats, and returns the later of the two
/// places. Returns `None` if the text equals one of the formats.
pub fn layout_difference(text: &str, record: &Record, seal: Option<&Seal>) -> Option<LayoutDifference> {
    let forms = RecordForm::JSON.map(|form| common_length(text, &form.write(record, seal)));
    let agreed = forms.into_iter().collect::<Option<Vec<usize>>>()?.into_iter().max().unwrap_or_default();
    let before = &text[..agreed];
    let line = before.rsplit('\n').next().unwrap_or_default();
    Some(LayoutDifference { line: before.matches('\n').count() + 1, column: line.chars().count() + 1 })
}

/// Returns the length in bytes of the longest common prefix of whole characters; `None` if the texts are equal.
fn common_length(text: &str, other: &str) -> Option<usize> {
    if text == other {
        return None;
    }
    let agreed = text.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    Some(agreed.map(|(one, _)| one.len_utf8()).sum())
}

#[cfg(test)]
mod tests;
