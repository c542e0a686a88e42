//! The tables of the journal and the record parts.

use super::store_error_of;
use crate::StoreError;
use crate::sql::epoch;
use crate::sql::journal::{JournalWrite, RecordPart};
use sqlx::PgConnection;

/// Writes events in one statement, so that it can be a transaction by itself. A server that takes over the database
/// waits for its end.
pub(super) async fn write_events(
    connection: &mut PgConnection,
    write: &JournalWrite,
    epoch: i64,
) -> Result<(), StoreError> {
    let is_own = match &write.row {
        Some((row, events)) if write.parts.is_empty() && write.removed.is_empty() => {
            add_row(connection, *row, events, epoch).await?
        }
        _ => write_all(connection, write, epoch).await?,
    };
    if is_own { Ok(()) } else { Err(epoch::lost_database_error(read_epoch(connection).await?)) }
}

/// Only adds a row to the journal. Returns false, and adds nothing, if the database is not this server's.
async fn add_row(
    connection: &mut PgConnection,
    row: i64,
    events: &[u8],
    epoch: i64,
) -> Result<bool, StoreError> {
    let added =
        sqlx::query("INSERT INTO journal (id, events) SELECT $1, $2 FROM server WHERE epoch = $3 FOR SHARE")
            .bind(row)
            .bind(events)
            .bind(epoch)
            .execute(connection)
            .await
            .map_err(store_error_of)?;
    Ok(added.rows_affected() > 0)
}

/// Does a whole write. Returns false, and does nothing, if the database is not this server's.
async fn write_all(
    connection: &mut PgConnection,
    write: &JournalWrite,
    epoch: i64,
) -> Result<bool, StoreError> {
    let parts = &write.parts;
    let (row, events) = write.row.as_ref().map(|(row, events)| (*row, events.as_slice())).unzip();
    sqlx::query_scalar(
        "WITH own AS MATERIALIZED (SELECT 1 FROM server WHERE epoch = $1 FOR SHARE),
        added AS (INSERT INTO journal (id, events) SELECT $2, $3 FROM own WHERE $2 IS NOT NULL),
        kept AS (
            INSERT INTO record_parts (match_id, seq, next_seq, plies, events)
            SELECT match_id::uuid, seq, next_seq, plies, events
            FROM own CROSS JOIN unnest($4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bytea[])
                AS new (match_id, seq, next_seq, plies, events)
            ON CONFLICT (match_id, seq) DO UPDATE SET next_seq = excluded.next_seq, plies = excluded.plies,
                events = excluded.events),
        removed AS (DELETE FROM journal WHERE id >= $9 AND id < $10 AND EXISTS (SELECT 1 FROM own))
        SELECT EXISTS (SELECT 1 FROM own)",
    )
    .bind(epoch)
    .bind(row)
    .bind(events)
    .bind(part_column(parts, |part| String::from(part.id)))
    .bind(part_column(parts, |part| part.seq))
    .bind(part_column(parts, |part| part.next_seq))
    .bind(part_column(parts, |part| part.plies))
    .bind(part_column(parts, |part| part.bytes.as_slice()))
    .bind(write.removed.start)
    .bind(write.removed.end)
    .fetch_one(connection)
    .await
    .map_err(store_error_of)
}

/// Checks that the database is this server's. A server that takes it over waits for the end of the transaction.
pub(super) async fn check_epoch(connection: &mut PgConnection, own: i64) -> Result<(), StoreError> {
    epoch::check_epoch(own, read_epoch(connection).await?)
}

async fn read_epoch(connection: &mut PgConnection) -> Result<Option<i64>, StoreError> {
    let found = sqlx::query_scalar("SELECT epoch FROM server FOR SHARE").fetch_optional(connection).await;
    found.map_err(store_error_of)
}

fn part_column<'a, C>(parts: &'a [RecordPart], of: impl FnMut(&'a RecordPart) -> C) -> Vec<C> {
    parts.iter().map(of).collect()
}
