//! The file beside a database that says which one belongs there.
//!
//! Without it a server whose database is gone would make a new one, and nobody would notice that everything is lost.

use super::files::path_beside;
use crate::StoreError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Hexadecimal digits of an id.
const DIGITS: usize = 32;

/// What to do where the database is not the one that the file beside it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MismatchPolicy {
    /// Refuse it.
    Refused,
    /// Take what is there, or begin a new one.
    Accepted,
}

/// The file beside a database that names its id.
#[derive(Debug)]
pub(super) struct IdFile {
    database: PathBuf,
    path: PathBuf,
    /// The id that it names; none where there is no such file, or another database is accepted.
    named: Option<String>,
}

/// Draws the id of a new database from the system's random source.
pub(super) fn generate_id() -> String {
    let mut bytes = [0; DIGITS / 2];
    getrandom::fill(&mut bytes).expect("the system has a random source");
    format!("{:032x}", u128::from_be_bytes(bytes))
}

impl IdFile {
    /// Reads the file, and checks that the database is there if it says so.
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
            if id.len() != DIGITS || !id.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return Err(file.mismatch_error(&format!("holds no id of a database ({id:?})")));
            }
            let is_empty =
                |end| fs::metadata(path_beside(database, end)).map_or(true, |file| file.len() == 0);
            if is_empty("") && is_empty("-wal") {
                return Err(file.mismatch_error(&format!(
                    "says that the database {id} lies here, and it is gone: put it back, with its -wal if it has one"
                )));
            }
        }
        Ok(file)
    }

    /// Checks that a database is the one that is named. A new one has no id yet.
    pub(super) fn check(&self, found: Option<&str>) -> Result<(), StoreError> {
        match (&self.named, found) {
            (Some(named), Some(found)) if named != found => Err(self.mismatch_error(&format!(
                "names the database {named}, and another one lies here, {found}: put the right one back"
            ))),
            (Some(named), None) => Err(self.mismatch_error(&format!(
                "names the database {named}, and the one that lies here has no tables: put the right one back"
            ))),
            _ => Ok(()),
        }
    }

    /// Names the id of the database that was opened, whole or not at all.
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
