//! The store in a SQLite file.

mod backup;
mod db_error;
mod files;
mod id_file;
mod integrity;
mod journal;
mod lock;
mod log_keeper;
mod multi_row;
mod schema;
mod writer;

use super::backend::WriteBackend;
use super::dialect::{Dialect, SqlValue, Translations, strip_casts};
use super::multi_row::ColumnValues;
use super::read_only::ReadOnlyBackend;
use super::schema::check_readable;
use super::sql_store::SqlStore;
use crate::{Change, OpenOptions, Store, StoreError, StoreReader};
use async_trait::async_trait;
pub(crate) use backup::copy_database;
use db_error::store_error_of;
use files::{OpenedFile, path_beside};
use id_file::{IdFile, MismatchPolicy};
use integrity::IntegrityCheck;
use lock::DatabaseLock;
use log_keeper::LogKeeper;
use sqlx::error::BoxDynError;
use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions, SqlitePoolOptions, SqliteRow, SqliteSynchronous};
use sqlx::{Arguments as _, ConnectOptions, Connection, SqlStr, Sqlite, SqliteConnection};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio_stream::Stream;
use writer::SqliteWriter;

/// How long a connection waits for a lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);
/// The maximum number of concurrent readers.
const MAX_READERS: u32 = 4;
/// The maximum number of prepared statements cached per connection. It is large enough for all statements.
const MAX_CACHED_STATEMENTS: usize = 256;

/// All statements, with PostgreSQL's casts removed.
static TRANSLATIONS: LazyLock<Translations> = LazyLock::new(Translations::default);

#[derive(Debug)]
pub(super) struct SqliteBackend {
    options: SqliteConnectOptions,
    file: OpenedFile,
    /// This server's epoch.
    epoch: i64,
    /// `None` after a failure. The next write then creates a new writer, which reads the tables again.
    writer: Mutex<Option<SqliteWriter>>,
    integrity: IntegrityCheck,
    id_file: IdFile,
    /// This must be dropped after the writer, so that SQLite does not remove the log.
    keeper: Mutex<LogKeeper>,
    _lock: DatabaseLock,
}

/// Opens or creates a file, and locks it for this server.
pub(crate) async fn open_sqlite(path: &Path, how: &OpenOptions) -> Result<Arc<dyn Store>, StoreError> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let lock = DatabaseLock::take(&path)?;
    let other = if how.accept_other { MismatchPolicy::Accepted } else { MismatchPolicy::Refused };
    let mut id_file = IdFile::read(&path, other)?;
    if how.accept_lost_wal || how.accept_other {
        id_file.accept_loss();
    } else {
        id_file::check_log(&path).await?;
    }
    make_private(&path)?;
    // After a clean stop, the log is empty.
    let was_cut_off = std::fs::metadata(path_beside(&path, "-wal")).is_ok_and(|log| log.len() > 0);
    let common = SqliteConnectOptions::new()
        .filename(&path)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .statement_cache_capacity(MAX_CACHED_STATEMENTS)
        .pragma("cell_size_check", "ON")
        .disable_statement_logging();
    let options = common
        .clone()
        .create_if_missing(true)
        .synchronous(SqliteSynchronous::Full)
        .pragma("temp_store", "MEMORY")
        .pragma("cache_size", "-16384");
    let open_error = |error| db_error::open_error_of(&path, error);
    let reading = common.read_only(true);
    // The keeper is opened before any other connection, so that a failed start does not remove the log.
    let keeper = match std::fs::metadata(&path) {
        Ok(found) if found.len() > 0 => Some(LogKeeper::open(&reading).await.map_err(open_error)?),
        _ => None,
    };
    let mut connection = options.connect().await.map_err(open_error)?;
    let epoch = schema::create_and_claim_schema(&mut connection, &path, &mut id_file).await?;
    let file = OpenedFile::of_path(path.clone())?;
    // The file exists now, and must not be created again if it disappears.
    let options = options.create_if_missing(false);
    let keeper = match keeper {
        Some(keeper) => keeper,
        None => LogKeeper::open(&reading).await.map_err(open_error)?,
    };
    let keeper = Mutex::new(keeper);
    connection.close().await.map_err(open_error)?;
    let readers = SqlitePoolOptions::new().max_connections(MAX_READERS).connect_lazy_with(reading.clone());
    let writer = SqliteWriter::open(&options, epoch, &file).await?;
    id_file.note_commit(writer.newest_commit());
    let writer = Mutex::new(Some(writer));
    let looking = reading
        .pragma("cache_size", "-2048")
        // This check covers only pages: rows that violate constraints are found when they are read.
        .pragma("ignore_check_constraints", "ON");
    let first = if was_cut_off { Duration::ZERO } else { how.integrity_interval };
    let integrity = IntegrityCheck::start(looking, first, how.integrity_interval);
    if was_cut_off {
        tracing::info!("the database was not closed cleanly: checking its pages in the background");
    }
    let backend = SqliteBackend { options, file, epoch, writer, integrity, id_file, keeper, _lock: lock };
    Ok(Arc::new(SqlStore::new(backend, readers)))
}

/// Opens a file for reading only, even while a server has it open. If `accept_lost_wal` is set, accepts a database
/// whose log is missing.
pub(crate) async fn open_sqlite_for_reading(
    path: &Path,
    accept_lost_wal: bool,
) -> Result<Arc<dyn StoreReader>, StoreError> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if !path.is_file() {
        return Err(StoreError::Unusable(format!("there is no database {}: check the path", path.display())));
    }
    if !accept_lost_wal {
        id_file::check_log(&path).await?;
    }
    let options = reading_options(&path);
    let mut connection = options.connect().await.map_err(|error| db_error::open_error_of(&path, error))?;
    check_readable(schema::table_version(&mut connection, &path).await?)?;
    connection.close().await.map_err(store_error_of)?;
    let readers = SqlitePoolOptions::new().max_connections(1).connect_lazy_with(options);
    Ok(Arc::new(SqlStore::new(ReadOnlyBackend, readers)))
}

fn reading_options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(BUSY_TIMEOUT)
        .read_only(true)
        .disable_statement_logging()
}

/// Creates the file of a new database so that only its owner can access it, since it contains token hashes. SQLite
/// gives the files next to it the same mode. Refuses a file with several names (hard links), because a second server
/// could open it under another name despite the lock.
#[cfg(unix)]
fn make_private(path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    match std::fs::metadata(path) {
        Ok(file) if file.nlink() > 1 => Err(StoreError::Unusable(format!(
            "{} has {} names (hard links): remove all but one, because the lock of a database depends on its name",
            path.display(),
            file.nlink()
        ))),
        Ok(_) => Ok(()),
        // Any other fault is reported by SQLite when it opens the file.
        Err(_) => {
            let _ = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
            Ok(())
        }
    }
}

#[cfg(not(unix))]
fn make_private(_path: &Path) -> Result<(), StoreError> {
    Ok(())
}

impl Dialect for Sqlite {
    const BEGIN_SNAPSHOT: &'static str = "BEGIN";
    const CHECK_PAGES: Option<&'static str> =
        Some("SELECT integrity_check AS found FROM pragma_integrity_check()");
    const SIZE: &'static str =
        "SELECT page_count * page_size AS bytes, freelist_count * page_size AS free_bytes
        FROM pragma_page_count(), pragma_page_size(), pragma_freelist_count()";
    // Reads of a local file need no time limit.
    const READ_TIMEOUT: Option<Duration> = None;

    fn translate(text: &'static str) -> SqlStr {
        TRANSLATIONS.get_or_translate(text, 0, || strip_casts(text))
    }

    fn is_foreign_schema(error: &sqlx::Error) -> bool {
        db_error::is_foreign_schema_error(error)
    }

    fn store_error(error: sqlx::Error) -> StoreError {
        store_error_of(error)
    }

    fn bind<'v>(values: &mut SqliteArguments, value: impl SqlValue<'v>) -> Result<(), BoxDynError> {
        values.add(value)
    }

    fn fetch(
        connection: &mut SqliteConnection,
        statement: SqlStr,
        values: SqliteArguments,
    ) -> impl Stream<Item = Result<SqliteRow, sqlx::Error>> + Send + Unpin {
        sqlx::query_with(statement, values).fetch(connection)
    }

    fn write_rows(
        connection: &mut SqliteConnection,
        text: &'static str,
        columns: Vec<ColumnValues>,
        rows: usize,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send {
        multi_row::write_rows(connection, text, columns, rows)
    }
}

#[async_trait]
impl WriteBackend for SqliteBackend {
    async fn write(&self, changes: &[Change]) -> Result<(), StoreError> {
        let mut slot = self.writer.lock().await;
        // If this is cancelled or fails, the writer is dropped, since it may be in the middle of a transaction.
        let mut writer = if let Some(writer) = slot.take() {
            writer
        } else {
            self.file.clone().check_unchanged()?;
            let writer = SqliteWriter::open(&self.options, self.epoch, &self.file).await?;
            self.id_file.note_commit(writer.newest_commit());
            writer
        };
        let written = writer.write(changes).await;
        match written {
            // Even if the files were removed, the writer can still checkpoint them while it has them open.
            Ok(()) | Err(StoreError::Gone(_)) => {
                self.id_file.note_commit(writer.newest_commit());
                *slot = Some(writer);
            }
            Err(_) => writer.close().await,
        }
        written
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.integrity.check_result()?;
        // If a write is in progress, that write checks the files itself.
        let Ok(mut slot) = self.writer.try_lock() else { return Ok(()) };
        match &mut *slot {
            Some(writer) => writer.check_files(),
            None => self.file.clone().check_unchanged(),
        }
    }

    async fn close(&self) {
        self.integrity.stop();
        let Some(mut writer) = self.writer.lock().await.take() else { return };
        if writer.checkpoint().await
            && let Err(error) = self.id_file.mark_closed()
        {
            tracing::warn!(%error, "the id file could not be updated, and still says that the database is open; no data is lost");
        }
        // The keeper is released only after the id file is marked, because SQLite may remove the log from then on.
        if let Err(error) = self.keeper.lock().await.release().await {
            tracing::debug!(%error, "the connection that keeps the write-ahead log could not be closed");
        }
        writer.truncate_and_close().await;
    }
}
