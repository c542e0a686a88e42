//! The id file next to a database, which identifies the database and says whether it was closed.
//!
//! Without this file, a server whose database was lost would silently create a new one. It would also not notice the
//! loss of the write-ahead log, which has the newest commits after a crash.

use super::files::path_beside;
use crate::StoreError;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The length of an id in hexadecimal digits.
const ID_DIGITS: usize = 32;

/// The size of a write-ahead log's header. A log of this size or less has no commit.
const LOG_HEADER: u64 = 32;
/// How many times to look for a missing log, since a server may open or close the database between two checks.
const MAX_LOG_CHECKS: usize = 3;
/// The pause between two checks.
const LOG_CHECK_PAUSE: Duration = Duration::from_millis(100);

/// Identifies a commit. A database that has this commit also has all earlier ones.
///
/// A commit that only adds events has no number, and is identified by its journal row. A later commit may
/// remove that row, but then the later commit has a higher number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommitMark {
    /// The newest commit number in the table `server`.
    pub(super) number: i64,
    /// The newest journal row added since that commit, by commits without a number; 0 if no row was added.
    pub(super) row: i64,
}

impl CommitMark {
    /// Returns the mark of a commit with a number.
    pub(super) const fn numbered(number: i64) -> Self {
        Self { number, row: 0 }
    }
}

/// The state of the database according to the id file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DatabaseState {
    /// A server has the database open, or ended without closing it. This commit and later ones may be in the log only.
    Open(CommitMark),
    /// The last server closed it, so the file has all commits.
    Closed,
}

impl DatabaseState {
    fn parse(line: &str) -> Option<Self> {
        let words: Vec<_> = line.split_whitespace().collect();
        match words[..] {
            ["closed"] => Some(Self::Closed),
            ["open", "commit", number, "row", row] => {
                Some(Self::Open(CommitMark { number: number.parse().ok()?, row: row.parse().ok()? }))
            }
            _ => None,
        }
    }
}

impl fmt::Display for DatabaseState {
    /// Writes the second line of the id file. It always has the same length for an open database, so that it can be
    /// overwritten in place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(CommitMark { number, row }) => write!(f, "open commit {number:020} row {row:020}"),
            Self::Closed => f.write_str("closed"),
        }
    }
}

/// How to proceed if the database is not the one that the id file names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MismatchPolicy {
    /// Fail.
    Refused,
    /// Use the existing database, or create a new one if it is missing.
    Accepted,
}

/// The id file of a database.
#[derive(Debug)]
pub(super) struct IdFile {
    database: PathBuf,
    path: PathBuf,
    /// The id in the file; `None` if there is no file, or any database is accepted.
    named: Option<String>,
    /// A commit that the database must have. `None` if it was closed, or a loss is accepted.
    newest: Option<CommitMark>,
    /// The id file, opened for writing; `None` until the database is open.
    open: Option<File>,
}

/// Parses the two lines of the file: the id and the state.
fn parse_lines(text: &str) -> (String, Option<DatabaseState>) {
    let mut lines = text.lines();
    let id = lines.next().unwrap_or_default().trim().to_owned();
    (id, lines.next().and_then(DatabaseState::parse))
}

/// Returns whether the write-ahead log of a database has no commit.
fn is_log_empty(database: &Path) -> bool {
    fs::metadata(path_beside(database, "-wal")).map_or(true, |log| log.len() <= LOG_HEADER)
}

/// Checks that the log of a database exists if part of the database is in the log. This does not open the database in
/// the usual way, because SQLite would then create an empty log.
///
/// # Errors
/// [`StoreError::Unusable`] if the log is missing.
pub(super) async fn check_log(database: &Path) -> Result<(), StoreError> {
    let path = path_beside(database, ".id");
    for look in 1.. {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let Some(DatabaseState::Open(newest)) = parse_lines(&text).1 else { return Ok(()) };
        // Another program may have moved the whole log into the database, and removed it.
        if !is_log_empty(database) || has_commit(database, newest).await {
            return Ok(());
        }
        if look == MAX_LOG_CHECKS {
            break;
        }
        tokio::time::sleep(LOG_CHECK_PAUSE).await;
    }
    Err(lost_log_error(database))
}

fn lost_log_error(database: &Path) -> StoreError {
    let (name, path) = (database.display(), path_beside(database, ".id"));
    let path = path.display();
    StoreError::Unusable(format!(
        "{name} lacks its newest changes: {name}-wal is missing, is empty or belongs to another database, and {path} says that the database was not closed; put its own {name}-wal back, or, if that file is lost, open the database once with --accept-lost-wal (`lastnim serve` or `lastnim store`)"
    ))
}

impl CommitMark {
    /// Returns whether a database has the commit. Returns false if it cannot be read.
    async fn is_in(self, connection: &mut SqliteConnection) -> bool {
        let text = "SELECT commit_number, (SELECT coalesce(max(id), 0) FROM journal) FROM server";
        let found: Result<(i64, i64), _> = sqlx::query_as(text).fetch_one(connection).await;
        found.is_ok_and(|(number, row)| number > self.number || (number == self.number && row >= self.row))
    }
}

/// Returns whether a database file has a commit, without its log. Returns false if it cannot be read.
async fn has_commit(database: &Path, mark: CommitMark) -> bool {
    let options = SqliteConnectOptions::new().filename(database).read_only(true).immutable(true);
    let Ok(mut connection) = options.disable_statement_logging().connect().await else { return false };
    let found = mark.is_in(&mut connection).await;
    // The connection was only used for reading, so a failure to close it does no harm.
    let _ = connection.close().await;
    found
}

/// Generates a random id for a new database.
pub(super) fn generate_id() -> String {
    let mut bytes = [0; ID_DIGITS / 2];
    getrandom::fill(&mut bytes).expect("the system has a random source");
    format!("{:032x}", u128::from_be_bytes(bytes))
}

impl IdFile {
    /// Reads the file, and checks that the database exists if the file names one.
    pub(super) fn read(database: &Path, other: MismatchPolicy) -> Result<Self, StoreError> {
        let path = path_beside(database, ".id");
        let (named, newest) = match fs::read_to_string(&path) {
            Ok(text) => {
                let (id, state) = parse_lines(&text);
                let newest = match state {
                    Some(DatabaseState::Open(newest)) => Some(newest),
                    _ => None,
                };
                (Some(id), newest)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (None, None),
            Err(error) => return Err(StoreError::Unusable(format!("{}: {error}", path.display()))),
        };
        let named = named.filter(|_| other == MismatchPolicy::Refused);
        let file = Self { database: database.to_owned(), path, named, newest, open: None };
        if let Some(id) = &file.named {
            if id.len() != ID_DIGITS || !id.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return Err(file.mismatch_error(&format!("does not contain a database id ({id:?})")));
            }
            let is_empty =
                |end| fs::metadata(path_beside(database, end)).map_or(true, |file| file.len() == 0);
            if is_empty("") && is_empty("-wal") {
                return Err(file.mismatch_error(&format!(
                    "expects database {id} here, but it is missing: restore it, with its -wal file if it has one"
                )));
            }
        }
        Ok(file)
    }

    /// Checks that a database is the one that the file names. A new database has no id yet.
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

    /// Accepts that the newest commits are lost.
    pub(super) fn accept_loss(&mut self) {
        self.newest = None;
    }

    /// Checks that a database has the newest commit that the file names, which shows that its log is the right one.
    pub(super) async fn check_newest(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        match self.newest {
            Some(newest) if !newest.is_in(connection).await => Err(lost_log_error(&self.database)),
            _ => Ok(()),
        }
    }

    /// Writes the id of the database to the file, and that the database is open and has the commit `newest`.
    pub(super) fn mark_open(&mut self, id: &str, newest: CommitMark) -> Result<(), StoreError> {
        self.write(id, DatabaseState::Open(newest))?;
        self.named = Some(id.to_owned());
        let opened = OpenOptions::new().write(true).open(&self.path);
        self.open = Some(opened.map_err(|error| self.write_error(&error))?);
        Ok(())
    }

    /// Writes that the database has a newer commit, without waiting for the disk. After a system crash, the file may
    /// therefore name an earlier commit.
    pub(super) fn note_commit(&self, newest: CommitMark) {
        let Some(open) = &self.open else { return };
        let line = DatabaseState::Open(newest).to_string();
        // The state comes after the id and its line break.
        if let Err(error) = write_at(open, line.as_bytes(), ID_DIGITS as u64 + 1) {
            tracing::debug!(%error, "the newest commit could not be noted in the id file");
        }
    }

    /// Writes that the database is closed, so that the database file has all commits.
    pub(super) fn mark_closed(&self) -> Result<(), StoreError> {
        let Some(id) = &self.named else { return Ok(()) };
        self.write(id, DatabaseState::Closed)
    }

    /// Writes the file atomically.
    fn write(&self, id: &str, state: DatabaseState) -> Result<(), StoreError> {
        let new = path_beside(&self.database, ".id-new");
        let written =
            write_synced(&new, &format!("{id}\n{state}")).and_then(|()| fs::rename(&new, &self.path));
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        written
            .and_then(|()| File::open(folder.unwrap_or(Path::new(".")))?.sync_all())
            .map_err(|error| self.write_error(&error))
    }

    fn write_error(&self, error: &io::Error) -> StoreError {
        StoreError::Unusable(format!("{}: {error}", self.path.display()))
    }

    fn mismatch_error(&self, why: &str) -> StoreError {
        let (database, path) = (self.database.display(), self.path.display());
        StoreError::Unusable(format!(
            "{path} {why}; if {database} is meant to be another database or a new one, remove {path}, or start `lastnim serve` once with --new-store"
        ))
    }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn write_at(mut file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    use std::io::Seek as _;
    file.seek(io::SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

fn write_synced(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    writeln!(file, "{text}")?;
    file.sync_all()
}
