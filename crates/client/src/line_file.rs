//! Line-based files that several runs append to.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

/// Opens a file for appending lines, and returns it with its path. If `path` is a folder, the file is
/// `{name}-{run}.jsonl` in that folder. If a killed run left an incomplete last line, a newline is added to end it.
///
/// # Errors
/// If the file cannot be opened, read or written.
pub fn open_line_file(path: &Path, name: &str, run: &str) -> io::Result<(PathBuf, File)> {
    let path = if path.is_dir() { path.join(format!("{name}-{run}.jsonl")) } else { path.to_owned() };
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(&path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.len() > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok((path, file))
}
