//! The files of an open database: whether they are still those that lie under their names.

use crate::StoreError;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Returns the name of a file beside a database.
pub(super) fn path_beside(database: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(end);
    name.into()
}

/// What tells a file from all others of the machine: its device and its number there.
#[cfg(unix)]
fn file_identity(file: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

#[cfg(not(unix))]
fn file_identity(_file: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// A file as it was when the database was opened.
#[derive(Debug, Clone)]
pub(super) struct OpenedFile {
    path: PathBuf,
    identity: (u64, u64),
    /// The greatest length that it was seen to have.
    length: u64,
}

impl OpenedFile {
    /// Notes which file lies under a name.
    pub(super) fn of_path(path: PathBuf) -> Result<Self, StoreError> {
        let found = file_metadata(&path)?;
        Ok(Self { path, identity: file_identity(&found), length: found.len() })
    }

    /// Checks that the same file still lies under the name, and has lost nothing of its end.
    pub(super) fn check_unchanged(&mut self) -> Result<(), StoreError> {
        let found = file_metadata(&self.path)?;
        let path = self.path.display();
        if file_identity(&found) != self.identity {
            return Err(StoreError::Gone(format!(
                "{path} is another file than the one that this server has open: somebody has put it in its place"
            )));
        }
        if found.len() < self.length {
            return Err(StoreError::Gone(format!(
                "{path} was cut off from {} to {} bytes while this server has it open",
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
        io::ErrorKind::NotFound => StoreError::Gone(format!(
            "{} is gone while this server has it open: somebody has removed it or moved it away",
            path.display()
        )),
        _ => StoreError::Unavailable(format!("{}: {error}", path.display())),
    })
}

/// The files of a connection that writes.
#[derive(Debug)]
pub(super) struct OpenedFiles {
    /// The database and the index of its log: they only grow.
    growing: [OpenedFile; 2],
    /// The log: what is in it moves to the database from time to time, and then it may be cut.
    log: OpenedFile,
}

impl OpenedFiles {
    /// Notes the files of a database that a connection has just opened.
    pub(super) fn of_database(database: &OpenedFile) -> Result<Self, StoreError> {
        let mut database = database.clone();
        database.check_unchanged()?;
        let index = OpenedFile::of_path(path_beside(&database.path, "-shm"))?;
        let log = OpenedFile::of_path(path_beside(&database.path, "-wal"))?;
        Ok(Self { growing: [database, index], log })
    }

    /// Checks all of them.
    pub(super) fn check_unchanged(&mut self) -> Result<(), StoreError> {
        self.growing.iter_mut().try_for_each(OpenedFile::check_unchanged)?;
        self.log.length = 0;
        self.log.check_unchanged()
    }
}
