//! Ensures that only one server uses a database.

use crate::StoreError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Holds the lock on the lock file next to a database. The operating system releases the lock no matter how the process
/// ends.
#[derive(Debug)]
pub(super) struct DatabaseLock {
    file: File,
}

impl DatabaseLock {
    /// Locks a database for this process.
    pub(super) fn take(database: &Path) -> Result<Self, StoreError> {
        let name = database.display();
        let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            let folder = folder.display();
            return Err(StoreError::Unusable(format!(
                "{name}: folder {folder} does not exist: create it first"
            )));
        }
        if database.is_dir() {
            return Err(StoreError::Unusable(format!("{name} is a folder: name a file in it")));
        }
        let mut path = database.as_os_str().to_owned();
        path.push(".lock");
        let path = PathBuf::from(path);
        let at = path.display();
        let unusable_error = |error| StoreError::Unusable(format!("lock file {at}: {error}"));
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(unusable_error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut process = String::new();
                // An error is ignored: the process id is only needed for a message.
                let _ = file.read_to_string(&mut process);
                return Err(StoreError::Taken(format!(
                    "process {} has {name} open and holds {at}; stop it, or name another file",
                    process.trim()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(unusable_error(error)),
        }
        let written = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        written.map_err(unusable_error)?;
        Ok(Self { file })
    }
}

impl Drop for DatabaseLock {
    /// A program that another thread is just starting holds a copy of the file, so closing it would not unlock it yet.
    fn drop(&mut self) {
        // An error is ignored: the lock ends with the last copy in any case.
        let _ = self.file.unlock();
    }
}
