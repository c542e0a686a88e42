//! The id file next to a database, which identifies the database.
//!
//! Without it, a server whose database was lost would silently create a new one.

use super::files::path_beside;
use crate::StoreError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The length of an id in hexadecimal digits.
const ID_DIGITS: usize = 32;

/// What to do if the database is not the one in the id file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MismatchPolicy {
    /// Fail.
    Refused,
    /// Use the existing database, or create a new one.
    Accepted,
}

#[derive(Debug)]
pub(super) struct IdFile {
    database: PathBuf,
    path: PathBuf,
    /// The id in the file; `None` if there is no file, or any database is accepted.
    named: Option<String>,
}

/// Draws a random id for a new database.
pub(super) fn generate_id() -> String {
    let mut bytes = [0; ID_DIGITS / 2];
    getrandom::fill(&mut bytes).expect("the system has a random source");
    format!("{:032x}", u128::from_be_bytes(bytes))
}

impl IdFile {
    /// Reads the file, and checks that the database exists if the file names one.
    pub(super) fn read(database: &Path, other: MismatchPolicy) -> Result<Self, StoreError> {
        let path = path_beside(database, ".id");
        let named = match fs::read_to_string(&path) {
            Ok(text) => Some(text.trim().to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(StoreError::Unusable(format!("{}: {error}", path.display()))),
        };
        let named = named.filter(|_| other == MismatchPolicy::Refused);
        let file = Self { database: database.to_owned(), path, named };
        if let Some(id) = &file.named {
            if id.len() != ID_DIGITS || !id.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return Err(file.mismatch_error(&format!("does not contain a database id ({id:?})")));
            }
            let is_empty =
                |end| fs::metadata(path_beside(database, end)).map_or(true, |file| file.len() == 0);
            if is_empty("") && is_empty("-wal") {
                return Err(file.mismatch_error(&format!(
                    "says that database {id} belongs here, but it is missing: restore it, with its -wal file if it has one"
                )));
            }
        }
        Ok(file)
    }

    /// Checks that a database is the one in the file. A new database has no id yet.
    pub(super) fn check(&self, found: Option<&str>) -> Result<(), StoreError> {
        match (&self.named, found) {
            (Some(named), Some(found)) if named != found => Err(self.mismatch_error(&format!(
                "names database {named}, but this is database {found}: restore the right one"
            ))),
            (Some(named), None) => Err(self.mismatch_error(&format!(
                "names database {named}, but this database has no tables: restore the right one"
            ))),
            _ => Ok(()),
        }
    }

    /// Writes the id of the opened database atomically.
    pub(super) fn write(&self, id: &str) -> Result<(), StoreError> {
        if self.named.as_deref() == Some(id) {
            return Ok(());
        }
        let new = path_beside(&self.database, ".id-new");
        let written = write_synced(&new, id).and_then(|()| fs::rename(&new, &self.path));
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        written
            .and_then(|()| File::open(folder.unwrap_or(Path::new(".")))?.sync_all())
            .map_err(|error| StoreError::Unusable(format!("{}: {error}", self.path.display())))
    }

    fn mismatch_error(&self, why: &str) -> StoreError {
        let (database, path) = (self.database.display(), self.path.display());
        StoreError::Unusable(format!(
            "{path} {why}; if {database} is meant to be another database or a new one, remove {path}, or start `lastnim serve` once with --new-store"
        ))
    }
}

fn write_synced(path: &Path, id: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    writeln!(file, "{id}")?;
    file.sync_all()
}
