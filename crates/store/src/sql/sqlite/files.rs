//! Checks that the files of an open database still exist under their names.

use crate::StoreError;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Returns the path of a file next to a database.
pub(super) fn path_beside(database: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(end);
    name.into()
}

/// Identifies a file on this machine: its device and inode.
#[cfg(unix)]
fn file_identity(file: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

#[cfg(not(unix))]
fn file_identity(_file: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// A file of an open database, as it was when it was last checked.
#[derive(Debug, Clone)]
pub(super) struct OpenedFile {
    path: PathBuf,
    identity: (u64, u64),
    /// The greatest length seen so far.
    length: u64,
}

impl OpenedFile {
    /// Notes the identity and the length of the file at a path.
    pub(super) fn of_path(path: PathBuf) -> Result<Self, StoreError> {
        let found = file_metadata(&path)?;
        Ok(Self { path, identity: file_identity(&found), length: found.len() })
    }

    /// Checks that the path still names the same file, and that it was not truncated.
    pub(super) fn check_unchanged(&mut self) -> Result<(), StoreError> {
        let found = file_metadata(&self.path)?;
        let path = self.path.display();
        if file_identity(&found) != self.identity {
            return Err(StoreError::Gone(format!(
                "{path} was replaced by another file while this server had it open"
            )));
        }
        if found.len() < self.length {
            return Err(StoreError::Gone(format!(
                "{path} was truncated from {} to {} bytes while this server had it open",
                self.length,
                found.len()
            )));
        }
        self.length = found.len();
        Ok(())
    }
}

fn file_metadata(path: &Path) -> Result<Metadata, StoreError> {
    fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            StoreError::Gone(format!("{} was removed or moved while this server had it open", path.display()))
        }
        _ => StoreError::Unavailable(format!("{}: {error}", path.display())),
    })
}

/// The files that a writing connection has open.
#[derive(Debug)]
pub(super) struct OpenedFiles {
    /// The database file and the index file of its write-ahead log, which only grow.
    growing_files: [OpenedFile; 2],
    /// The write-ahead log, which may shrink after SQLite has moved its contents to the database.
    log: OpenedFile,
}

impl OpenedFiles {
    /// Notes the files of a database that was just opened.
    pub(super) fn of_database(database: &OpenedFile) -> Result<Self, StoreError> {
        let mut database = database.clone();
        database.check_unchanged()?;
        let index = OpenedFile::of_path(path_beside(&database.path, "-shm"))?;
        let log = OpenedFile::of_path(path_beside(&database.path, "-wal"))?;
        Ok(Self { growing_files: [database, index], log })
    }

    pub(super) fn check_unchanged(&mut self) -> Result<(), StoreError> {
        self.growing_files.iter_mut().try_for_each(OpenedFile::check_unchanged)?;
        self.log.length = 0;
        self.log.check_unchanged()
    }
}
