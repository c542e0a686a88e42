//! Records as files hold them: in which forms, and whether every byte is in its place.

use super::json::MessageJson;
use super::pb;
use super::record::{RecordJsonError, read_record_json};
use super::record_text::{VERSION_LINE, write_record_text};
use lastnim_core::referee::{Record, Seal};
use thiserror::Error;

/// A form in which records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordForm {
    /// One line of JSON, the proto3 mapping of `lastnim.v1.MatchRecord`.
    Json,
    /// The same JSON in many lines.
    PrettyJson,
    /// Text for people, which is not read again, one event a line: see [`record_text`](super::record_text).
    Text,
}

impl RecordForm {
    /// The forms that are read again.
    pub const JSON: [Self; 2] = [Self::Json, Self::PrettyJson];

    /// Writes a record, with its seal if its match is over, and a newline at the end.
    pub fn write(self, record: &Record, seal: Option<&Seal>) -> String {
        let json = || MessageJson::canonical(&pb::MatchRecord::of(record, seal));
        let written = match self {
            Self::Json => serde_json::to_string(&json()),
            Self::PrettyJson => serde_json::to_string_pretty(&json()),
            Self::Text => return write_record_text(record, seal),
        };
        written.expect("what is made of a record has a JSON") + "\n"
    }
}

/// A text that is no record in a form that is read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordFileError {
    /// It begins as no JSON of a record does.
    #[error("not a record: its JSON begins with `{{`")]
    Form,
    /// It is a record as text.
    #[error(
        "a record as text, which is for people to read: give its JSON, which `record get` and `record export` write without --format text"
    )]
    Text,
    /// It is no JSON of a record.
    #[error(transparent)]
    Json(#[from] RecordJsonError),
}

/// Reads the JSON of a record, in one line or many.
///
/// # Errors
/// The first thing that does not read as it should; a record as text is refused. Whether the events fit each other is not looked at.
pub fn read_record(text: &str) -> Result<pb::MatchRecord, RecordFileError> {
    if text.trim_ascii_start().starts_with('{') {
        Ok(read_record_json(text)?)
    } else if text.starts_with(VERSION_LINE) {
        Err(RecordFileError::Text)
    } else {
        Err(RecordFileError::Form)
    }
}

/// Where a file differs from what is written for the record in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutDifference {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the character in its line, from 1.
    pub column: usize,
}

/// Finds where a text differs from what is written for a record as JSON: none if it is one of the two forms byte for
/// byte, and else the place up to which it agrees with the form that it agrees with longest.
pub fn layout_difference(text: &str, record: &Record, seal: Option<&Seal>) -> Option<LayoutDifference> {
    let forms = RecordForm::JSON.map(|form| common_length(text, &form.write(record, seal)));
    let agreed = forms.into_iter().collect::<Option<Vec<usize>>>()?.into_iter().max().unwrap_or_default();
    let before = &text[..agreed];
    let line = before.rsplit('\n').next().unwrap_or_default();
    Some(LayoutDifference { line: before.matches('\n').count() + 1, column: line.chars().count() + 1 })
}

/// Returns how many bytes two texts agree in from the beginning, in whole characters; none if they agree in all.
fn common_length(text: &str, other: &str) -> Option<usize> {
    if text == other {
        return None;
    }
    let agreed = text.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    Some(agreed.map(|(one, _)| one.len_utf8()).sum())
}

#[cfg(test)]
mod tests;
