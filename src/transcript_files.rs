//! Finds the transcripts of language models.

use crate::Failure;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The file extension of transcripts.
const TRANSCRIPT_EXTENSION: &str = "jsonl";

/// Returns the named transcripts. Each folder is replaced by its files that end in `.jsonl`, sorted by name.
///
/// # Errors
/// If a folder cannot be read, or has no transcripts.
pub fn list_transcripts(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut listed = Vec::new();
    for path in given {
        if path.is_dir() {
            listed.extend(transcripts_of_folder(path)?);
        } else {
            listed.push(path.clone());
        }
    }
    Ok(listed)
}

fn transcripts_of_folder(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failure = |error| Failure::runtime(error, folder.display());
    let mut inside = Vec::new();
    for entry in fs::read_dir(folder).map_err(failure)? {
        let path = entry.map_err(failure)?.path();
        if path.is_file() && path.extension().is_some_and(|extension| extension == TRANSCRIPT_EXTENSION) {
            inside.push(path);
        }
    }
    inside.sort();
    if inside.is_empty() {
        return Err(Failure::input(format!(
            "{}: this folder has no transcripts: expected files that end in .{TRANSCRIPT_EXTENSION}",
            folder.display()
        )));
    }
    Ok(inside)
}
