//! Reports the mistakes in a file.

use crate::{Failure, form::OutputFormat, screen};
use lastnim_client::text_input::read_text_file;
use serde_json::{Value, json};
use std::{fs, io::Write as _, path::Path};

/// The maximum size of a file, in bytes, which is far more than any file needs.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// A mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMistake {
    /// The line, from 1.
    pub line: usize,
    /// The mistake, and the valid values.
    pub what: String,
}

impl FileMistake {
    /// Returns the mistake as JSON: an error with its position.
    fn json(&self, path: &Path) -> Value {
        let (kind, exit_code, reason) = ("mistake", 2, Value::Null);
        json!({ "error": {
            "kind": kind,
            "exit_code": exit_code,
            "message": self.what,
            "reason": reason,
            "file": path.display().to_string(),
            "line": self.line,
        } })
    }
}

/// Reads a file. Prints its mistakes on standard error and returns `None` if there are any.
pub fn read_or_print_mistakes<T>(
    path: &Path,
    form: OutputFormat,
    parse: impl FnOnce(&str) -> Result<T, Vec<FileMistake>>,
) -> Result<Option<T>, Failure> {
    let mistakes = match parse(&read_limited_file(path)?) {
        Ok(parsed) => return Ok(Some(parsed)),
        Err(mistakes) => mistakes,
    };
    let mut errors = screen::stderr();
    for mistake in mistakes {
        // A write error is ignored: the exit code reports the failure too.
        let _ = match form {
            OutputFormat::Json => writeln!(errors, "{}", mistake.json(path)),
            OutputFormat::Text => writeln!(errors, "{}:{}: {}", path.display(), mistake.line, mistake.what),
        };
    }
    Ok(None)
}

/// Reads the text of a file.
fn read_limited_file(path: &Path) -> Result<String, Failure> {
    let failure = |error| Failure::runtime(error, path.display());
    let bytes = fs::metadata(path).map_err(failure)?.len();
    if bytes > MAX_FILE_BYTES {
        let path = path.display();
        return Err(Failure::input(format!("{path}: {bytes} bytes exceed the limit of {MAX_FILE_BYTES}")));
    }
    read_text_file(path).map_err(failure)
}
