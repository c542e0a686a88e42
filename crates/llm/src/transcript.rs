//! The log of all calls.

use super::LlmError;
use lastnim_client::line_file::open_line_file;
use serde_json::{Map, Value, json};
use std::{
    fs::File,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

/// The version of the format.
const VERSION: u64 = 2;

/// A file of JSON lines; see `docs/reference/language-models.md`.
#[derive(Debug)]
pub struct Transcript {
    path: PathBuf,
    run: String,
    file: Mutex<File>,
    has_failed: AtomicBool,
}

impl Transcript {
    /// Opens a file to append to, or a new file in a folder. The first line is `header`, which describes the bot.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: &Path, header: Value) -> Result<Self, LlmError> {
        let failed =
            |error: io::Error| LlmError::Transcript { path: path.to_owned(), reason: error.to_string() };
        let bits = getrandom::u64().map_err(|error| failed(io::Error::other(error)))?;
        let run = format!("{bits:016x}");
        let (path, file) = open_line_file(path, "transcript", &run).map_err(failed)?;
        let transcript = Self { path, run, file: Mutex::new(file), has_failed: AtomicBool::new(false) };
        let mut fields = Map::new();
        fields.insert("version".into(), VERSION.into());
        if let Value::Object(header) = header {
            fields.extend(header);
        }
        transcript.write_line("run", fields);
        Ok(transcript)
    }

    /// Writes a line and returns it; `None` if it could not be written, which is logged once.
    pub fn write_line(&self, event: &str, fields: Map<String, Value>) -> Option<String> {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut line = json!({ "event": event, "at_ms": at.as_millis() as u64, "run": self.run });
        if let Some(members) = line.as_object_mut() {
            members.extend(fields);
        }
        let line = format!("{line}\n");
        let written = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        match written {
            Ok(()) => Some(line),
            Err(error) => {
                if !self.has_failed.swap(true, Ordering::Relaxed) {
                    tracing::warn!(transcript = %self.path.display(), %error, "cannot write the transcript");
                }
                None
            }
        }
    }
}
