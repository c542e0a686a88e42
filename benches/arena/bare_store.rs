//! The minimum that makes a ply durable: all waiting takes are written as one row, in one transaction.
//!
//! It checks and removes nothing and does not know about matches, and nobody could verify the stored data. So its
//! cost is the minimum for any server that commits a take before it announces it, with the same library and database
//! settings.

use anyhow::Context as _;
use lastnim_proto::pb::Take;
use sqlx::{
    ConnectOptions as _, PgConnection, SqliteConnection,
    postgres::PgConnectOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::mpsc;

use crate::bare::Group;

/// Maximum number of takes in one transaction.
const MAX_GROUP: usize = 4_096;
/// The number of empty polls of the queue before a batch is written; all other tasks run between two polls.
const LOOKS_IN_VAIN: u32 = 8;

/// A take that must be durable before it is forwarded.
pub(crate) struct WaitingTake {
    /// The group that receives it.
    pub(crate) group: Arc<Group>,
    /// The seat that made it.
    pub(crate) seat: usize,
    /// The take.
    pub(crate) take: Take,
}

/// A handle to the task that stores takes.
#[derive(Clone)]
pub(crate) struct TakeQueue {
    sender: mpsc::UnboundedSender<WaitingTake>,
    counts: Arc<WriteCounts>,
}

/// Counts of the written takes and transactions.
#[derive(Default)]
struct WriteCounts {
    takes: AtomicUsize,
    transactions: AtomicUsize,
}

impl TakeQueue {
    /// Queues a take to be written and then forwarded.
    pub(crate) fn send(&self, take: WaitingTake) {
        // Once the database is gone, there is no receiver; the failure has already been reported.
        let _ = self.sender.send(take);
    }

    /// Prints the counts, in the format of the real server's log.
    pub(crate) fn say_counts(&self) {
        let WriteCounts { takes, transactions } = self.counts.as_ref();
        eprintln!(
            "commits={} transactions={}",
            takes.load(Ordering::Relaxed),
            transactions.load(Ordering::Relaxed)
        );
    }
}

/// A database with one table.
enum BareDatabase {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl BareDatabase {
    async fn open(url: &str) -> anyhow::Result<Self> {
        if url.starts_with("sqlite:") {
            let options: SqliteConnectOptions = url.parse()?;
            let options = options
                .create_if_missing(true)
                .journal_mode(SqliteJournalMode::Wal)
                .synchronous(SqliteSynchronous::Full)
                .disable_statement_logging();
            let mut connection = options.connect().await?;
            sqlx::query("CREATE TABLE journal (id INTEGER PRIMARY KEY, takes BLOB NOT NULL)")
                .execute(&mut connection)
                .await?;
            return Ok(Self::Sqlite(connection));
        }
        let options: PgConnectOptions = url.parse()?;
        let options = options.options([("synchronous_commit", "on")]).disable_statement_logging();
        let mut connection = options.connect().await?;
        sqlx::query("CREATE TABLE journal (id BIGSERIAL PRIMARY KEY, takes BYTEA NOT NULL)")
            .execute(&mut connection)
            .await?;
        Ok(Self::Postgres(connection))
    }

    /// Adds a row in a separate transaction.
    async fn add_row(&mut self, takes: &[u8]) -> sqlx::Result<()> {
        match self {
            Self::Sqlite(connection) => {
                sqlx::query("INSERT INTO journal (takes) VALUES (?)").bind(takes).execute(connection).await?;
            }
            Self::Postgres(connection) => {
                sqlx::query("INSERT INTO journal (takes) VALUES ($1)")
                    .bind(takes)
                    .execute(connection)
                    .await?;
            }
        }
        Ok(())
    }
}

/// Opens a database, and starts the task that writes to it.
pub(crate) async fn start_writer(url: &str) -> anyhow::Result<TakeQueue> {
    let database = BareDatabase::open(url).await.context("cannot open the bare server's database")?;
    let (sender, waiting) = mpsc::unbounded_channel();
    let counts = Arc::<WriteCounts>::default();
    tokio::spawn(write_takes(database, waiting, Arc::clone(&counts)));
    Ok(TakeQueue { sender, counts })
}

async fn write_takes(
    mut database: BareDatabase,
    mut waiting: mpsc::UnboundedReceiver<WaitingTake>,
    counts: Arc<WriteCounts>,
) {
    let (mut group, mut row) = (Vec::new(), Vec::new());
    while waiting.recv_many(&mut group, MAX_GROUP).await > 0 {
        let mut looks_in_vain = 0;
        while looks_in_vain < LOOKS_IN_VAIN && group.len() < MAX_GROUP {
            tokio::task::yield_now().await;
            let before = group.len();
            while let Ok(take) = waiting.try_recv() {
                group.push(take);
            }
            looks_in_vain = if group.len() == before { looks_in_vain + 1 } else { 0 };
        }
        row.clear();
        for WaitingTake { seat, take, .. } in &group {
            // An id takes 16 bytes, as in a record; it does not matter which part of its text is used here.
            row.extend_from_slice(&take.match_id.as_bytes()[..16]);
            row.extend_from_slice(&take.take.to_le_bytes());
            row.extend_from_slice(&take.ply.to_le_bytes());
            row.push(*seat as u8);
        }
        if let Err(error) = database.add_row(&row).await {
            eprintln!("the bare server cannot write: {error}");
            return;
        }
        counts.takes.fetch_add(group.len(), Ordering::Relaxed);
        counts.transactions.fetch_add(1, Ordering::Relaxed);
        for WaitingTake { group, seat, take } in group.drain(..) {
            group.forward(seat, take);
        }
    }
}
