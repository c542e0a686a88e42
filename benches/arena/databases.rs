//! Databases for the servers that are measured, each new and for one server.

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

/// Times that a file is synced to learn what that takes.
const SYNCS: u64 = 200;
/// The bytes of a page of SQLite.
const PAGE_BYTES: usize = 4096;

/// Where databases are made.
pub(crate) struct Databases {
    folder: PathBuf,
    made: AtomicU32,
    /// None where PostgreSQL is not installed.
    postgres: Option<PostgresServer>,
}

/// One database; its files go when this is dropped.
pub(crate) struct Database {
    folder: PathBuf,
    url: String,
}

impl Databases {
    /// Makes a folder for all of them.
    pub(crate) fn new() -> anyhow::Result<Self> {
        let folder = env::temp_dir().join(format!("lastnim-bench-{}", process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
        Ok(Self { folder, made: AtomicU32::new(0), postgres: PostgresServer::start() })
    }

    /// Returns how long it takes to write two pages of a file and to have them on the disk, in microseconds, a few hundred times.
    pub(crate) fn sync_times_us(&self) -> anyhow::Result<Vec<f64>> {
        let path = self.folder.join("synced");
        let file = File::create(&path).with_context(|| format!("making {}", path.display()))?;
        let pages = [7; 2 * PAGE_BYTES];
        let times = (0..SYNCS).map(|number| {
            let began = Instant::now();
            file.write_all_at(&pages, number * pages.len() as u64)?;
            file.sync_data()?;
            Ok(began.elapsed().as_secs_f64() * 1e6)
        });
        times.collect::<std::io::Result<_>>().context("syncing a file")
    }

    /// Returns whether a server can be started.
    pub(crate) fn has(&self, target: Target) -> bool {
        !matches!(target, Target::PlyPostgres | Target::BarePlyPostgres) || self.postgres.is_some()
    }

    /// Makes what a server needs; nothing for one that keeps all in memory.
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
    /// Returns how a server is told of it.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns where the server keeps its key.
    pub(crate) fn key(&self) -> PathBuf {
        self.folder.join("lastnim.key")
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
