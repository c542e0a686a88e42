//! Writes the tables of the journal and the record parts.

use super::commits::ServerRow;
use super::store_error_of;
use crate::StoreError;
use crate::sql::journal::{JournalWrite, RecordPart};
use sqlx::PgConnection;

/// PostgreSQL's error code for a missing table, which means that the database is in a state from before the tables were
/// created.
const UNDEFINED_TABLE: &str = "42P01";

/// The conditions that a write transaction checks: the database belongs to this server and has all earlier commits, and
/// this session has the lock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim {
    /// This server's epoch.
    pub(super) epoch: i64,
    /// The number of this commit.
    pub(super) commit: i64,
    /// The id of the PostgreSQL process that serves the session.
    pub(super) pid: i32,
}

/// Builds the statement that does a whole write if the statement `own` returns a row.
macro_rules! write_all {
    ($own:literal) => {
        concat!(
            "WITH own AS (",
            $own,
            "),
        added AS (INSERT INTO journal (id, events) SELECT $2, $3 FROM own WHERE $2 IS NOT NULL),
        kept AS (
            INSERT INTO record_parts (match_id, seq, next_seq, plies, events)
            SELECT match_id::uuid, seq, next_seq, plies, events
            FROM own CROSS JOIN unnest($4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bytea[])
                AS new (match_id, seq, next_seq, plies, events)
            ON CONFLICT (match_id, seq) DO UPDATE SET next_seq = excluded.next_seq, plies = excluded.plies,
                events = excluded.events),
        removed AS (DELETE FROM journal WHERE id >= $9 AND id < $10 AND EXISTS (SELECT 1 FROM own))
        SELECT EXISTS (SELECT 1 FROM own)"
        )
    };
}

/// Commits events in one statement, which is a transaction by itself. A server that takes over the database waits until
/// this transaction ends. Returns false, and does nothing, if the claim is wrong.
pub(super) async fn commit_events(
    connection: &mut PgConnection,
    write: &JournalWrite,
    claim: Claim,
) -> Result<bool, StoreError> {
    match &write.row {
        Some((row, events)) if write.parts.is_empty() && write.removed.is_empty() => {
            add_row(connection, *row, events, claim).await
        }
        _ => {
            let text = write_all!(
                "UPDATE server SET commit_number = $11
                WHERE epoch = $1 AND commit_number = $11 - 1 AND pg_backend_pid() = $12 RETURNING 1"
            );
            run_write(connection, text, write, claim).await
        }
    }
}

/// Writes events in a transaction that began with a claim. Returns false, and does nothing, if the claim is wrong.
pub(super) async fn write_events(
    connection: &mut PgConnection,
    write: &JournalWrite,
    claim: Claim,
) -> Result<bool, StoreError> {
    let text = write_all!(
        "SELECT 1 FROM server WHERE epoch = $1 AND commit_number = $11 AND pg_backend_pid() = $12"
    );
    run_write(connection, text, write, claim).await
}

/// Begins a commit in a transaction. A server that takes over the database waits until this transaction ends. Returns
/// false, and does nothing, if the claim is wrong.
pub(super) async fn begin_commit(connection: &mut PgConnection, claim: Claim) -> Result<bool, StoreError> {
    let raised = sqlx::query(
        "UPDATE server SET commit_number = $2
        WHERE epoch = $1 AND commit_number = $2 - 1 AND pg_backend_pid() = $3",
    )
    .bind(claim.epoch)
    .bind(claim.commit)
    .bind(claim.pid)
    .execute(connection)
    .await
    .map_err(store_error_of)?;
    Ok(raised.rows_affected() > 0)
}

/// Commits a new row of the journal, and nothing else. Returns false, and adds nothing, if the claim is wrong.
async fn add_row(
    connection: &mut PgConnection,
    row: i64,
    events: &[u8],
    claim: Claim,
) -> Result<bool, StoreError> {
    let added = sqlx::query(
        "WITH own AS (UPDATE server SET commit_number = $4
            WHERE epoch = $3 AND commit_number = $4 - 1 AND pg_backend_pid() = $5 RETURNING 1)
        INSERT INTO journal (id, events) SELECT $1, $2 FROM own",
    )
    .bind(row)
    .bind(events)
    .bind(claim.epoch)
    .bind(claim.commit)
    .bind(claim.pid)
    .execute(connection)
    .await
    .map_err(store_error_of)?;
    Ok(added.rows_affected() > 0)
}

async fn run_write(
    connection: &mut PgConnection,
    text: &'static str,
    write: &JournalWrite,
    claim: Claim,
) -> Result<bool, StoreError> {
    let parts = &write.parts;
    let (row, events) = write.row.as_ref().map(|(row, events)| (*row, events.as_slice())).unzip();
    sqlx::query_scalar(text)
        .bind(claim.epoch)
        .bind(row)
        .bind(events)
        .bind(part_column(parts, |part| String::from(part.id)))
        .bind(part_column(parts, |part| part.seq))
        .bind(part_column(parts, |part| part.next_seq))
        .bind(part_column(parts, |part| part.plies))
        .bind(part_column(parts, |part| part.bytes.as_slice()))
        .bind(write.removed.start)
        .bind(write.removed.end)
        .bind(claim.commit)
        .bind(claim.pid)
        .fetch_one(connection)
        .await
        .map_err(store_error_of)
}

/// Reads the owner's epoch and the newest commit number from the table `server`. Returns `None` if there is no such
/// table. If this is called in a transaction, a server that takes over the database waits until the transaction ends.
///
/// # Errors
/// [`StoreError::Damaged`] if the table has no row.
pub(super) async fn read_server_row(connection: &mut PgConnection) -> Result<Option<ServerRow>, StoreError> {
    let found =
        sqlx::query_as("SELECT epoch, commit_number FROM server FOR SHARE").fetch_optional(connection);
    match found.await {
        Ok(Some((epoch, commit))) => Ok(Some(ServerRow { epoch, commit })),
        Ok(None) => Err(crate::sql::epoch::lost_database_error(None)),
        Err(sqlx::Error::Database(error)) if error.code().is_some_and(|code| code == UNDEFINED_TABLE) => {
            Ok(None)
        }
        Err(error) => Err(store_error_of(error)),
    }
}

fn part_column<'a, C>(parts: &'a [RecordPart], of: impl FnMut(&'a RecordPart) -> C) -> Vec<C> {
    parts.iter().map(of).collect()
}
