//! Records of matches from files.

use lastnim::{
    ExportedMatch, RecordDocument, RecordDocuments, RecordLayout, audit_record_as_json,
    verify_document_as_json,
};
use lastnim_core::referee::PublicKey;
use lastnim_proto::{
    json::{message_from_json, message_to_json, parse_document},
    pb,
    record::verify_record,
    record_file::{RecordForm, read_record},
};
use pyo3::{
    exceptions::{PyOSError, PyValueError},
    prelude::*,
};
use serde_json::{Value, json};
use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

/// Reads the records of a file one by one.
// Python may move the documents to another thread, but only with their file.
#[pyclass(frozen, unsendable)]
pub struct RecordReader {
    path: PathBuf,
    documents: Mutex<RecordDocuments>,
}

#[pymethods]
impl RecordReader {
    /// Opens a file.
    #[new]
    fn open(path: PathBuf) -> PyResult<Self> {
        let documents = RecordDocuments::open(&path)
            .map_err(|error| read_exception(&path.display().to_string(), &error))?;
        Ok(Self { path, documents: Mutex::new(documents) })
    }

    /// Reads the next record as JSON; None at the end. Blank lines are skipped.
    fn next(&self) -> PyResult<Option<String>> {
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let name = self.path.display();
            let document = documents.next_document().map_err(|error| match documents.line_number() {
                Some(line) => read_exception(&format!("{name}:{line}"), &error),
                None => read_exception(&name.to_string(), &error),
            })?;
            let Some(RecordDocument { line, text }) = document else { return Ok(None) };
            if line.is_some() && text.trim().is_empty() {
                continue;
            }
            let place = line.map_or_else(|| name.to_string(), |line| format!("{name}:{line}"));
            return text_as_json(&text)
                .map(Some)
                .map_err(|why| PyValueError::new_err(format!("{place}: {why}")));
        }
    }
}

/// Converts the text of a record to the JSON of [`record_json`].
#[pyfunction]
pub fn record_of_text(text: &str) -> PyResult<String> {
    text_as_json(text).map_err(PyValueError::new_err)
}

fn text_as_json(text: &str) -> Result<String, String> {
    let given = read_record(text).map_err(|error| error.to_string())?;
    Ok(record_json(&given)?.to_string())
}

/// Converts a record message in JSON to the JSON of [`record_json`].
#[pyfunction]
pub fn record_of_message(message: &str) -> PyResult<String> {
    let json = parse_document(message).map_err(PyValueError::new_err)?;
    let given: pb::MatchRecord =
        message_from_json(&json).map_err(|error| PyValueError::new_err(error.to_string()))?;
    record_json(&given).map(|record| record.to_string()).map_err(PyValueError::new_err)
}

fn read_exception(place: &str, error: &std::io::Error) -> PyErr {
    PyOSError::new_err(format!("{place}: {error}"))
}

/// Writes a record as JSON: its message, its rows in the tables of `lastnim record tables`, and its text.
///
/// # Errors
/// If the record has a flaw. The error names the first one.
pub fn record_json(given: &pb::MatchRecord) -> Result<Value, String> {
    let sealed = verify_record(given).map_err(|flaw| flaw.to_string())?;
    let exported = ExportedMatch::of(&sealed, pb::Match::default());
    Ok(json!({
        "message": message_to_json(given),
        "match": message_to_json(&exported.match_row()),
        "seats": exported.seat_rows().map(|row| message_to_json(&row)).collect::<Vec<_>>(),
        "plies": exported.ply_rows().map(|row| message_to_json(&row)).collect::<Vec<_>>(),
        "text": RecordForm::Json.write(sealed.record(), sealed.seal()),
    }))
}

/// Audits the text of a record, with the result of `lastnim audit match --json`; None without a winner.
#[pyfunction]
pub fn audit_record_text(text: &str) -> PyResult<Option<String>> {
    let audit = audit_record_as_json(text).map_err(PyValueError::new_err)?;
    Ok(audit.map(|audit| audit.to_string()))
}

/// Verifies the text of a record, with the result of `lastnim record verify --json`.
#[pyfunction]
#[pyo3(signature = (text, key, any_layout))]
pub fn verify_record_text(text: String, key: Option<&str>, any_layout: bool) -> PyResult<String> {
    let key = key.map(str::parse::<PublicKey>).transpose();
    let key = key.map_err(|error| PyValueError::new_err(format!("key: {error}")))?;
    let document = RecordDocument { line: None, text };
    let layout = if any_layout { RecordLayout::Any } else { RecordLayout::Canonical };
    Ok(verify_document_as_json(&document, "", key, layout).to_string())
}
