//! New databases, one for each measured server.

use anyhow::Context as _;
use std::{
    env,
    fs::{self, File},
    os::unix::fs::FileExt as _,
    path::PathBuf,
    process,
    sync::atomic::{AtomicU32, Ordering},
    time::Instant,
};

use crate::{Target, postgres::PostgresServer};

/// Number of times that a file is synced to measure how long a sync takes.
const SYNCS: u64 = 200;
/// The size of a SQLite page, in bytes.
const PAGE_BYTES: usize = 4096;

/// The place where databases are created.
pub(crate) struct Databases {
    folder: PathBuf,
    made: AtomicU32,
    /// `None` if PostgreSQL is not installed.
    postgres: Option<PostgresServer>,
}

/// One database; its files are deleted when this is dropped.
pub(crate) struct Database {
    folder: PathBuf,
    url: String,
}

impl Databases {
    /// Creates a folder for all databases.
    pub(crate) fn new() -> anyhow::Result<Self> {
        let folder = env::temp_dir().join(format!("lastnim-bench-{}", process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Self { folder, made: AtomicU32::new(0), postgres: PostgresServer::start() })
    }

    /// Writes and syncs two pages of a file a few hundred times, and returns each duration in microseconds.
    pub(crate) fn sync_times_us(&self) -> anyhow::Result<Vec<f64>> {
        let path = self.folder.join("synced");
        let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
        let pages = [7; 2 * PAGE_BYTES];
        let times = (0..SYNCS).map(|number| {
            let began = Instant::now();
            file.write_all_at(&pages, number * pages.len() as u64)?;
            file.sync_data()?;
            Ok(began.elapsed().as_secs_f64() * 1e6)
        });
        times.collect::<std::io::Result<_>>().context("cannot sync a file")
    }

    /// Returns whether a server can be started.
    pub(crate) fn has(&self, target: Target) -> bool {
        !matches!(target, Target::PlyPostgres | Target::BarePlyPostgres) || self.postgres.is_some()
    }

    /// Creates the database that a server needs; `None` for a server that keeps everything in memory.
    pub(crate) fn make(&self, target: Target) -> anyhow::Result<Option<Database>> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.join(number.to_string());
        let url = match target {
            Target::Bare | Target::Memory => return Ok(None),
            Target::Match | Target::Ply | Target::BarePly => {
                format!("sqlite:{}", folder.join("lastnim.db").display())
            }
            Target::PlyPostgres | Target::BarePlyPostgres => {
                let server = self.postgres.as_ref().context("PostgreSQL is not installed")?;
                server.create_database(&format!("bench{number}"))
            }
        };
        fs::create_dir_all(&folder)?;
        Ok(Some(Database { folder, url }))
    }
}

impl Drop for Databases {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Database {
    /// Returns the value of the server's `--store`.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the path of the file with the server's signing key.
    pub(crate) fn key(&self) -> PathBuf {
        self.folder.join("lastnim.key")
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
