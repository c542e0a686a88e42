//! The tables of the journal and of the parts of records.

use super::store_error_of;
use crate::store::StoreError;
use crate::store::sql::journal::{JournalWrite, RecordPart};
use sqlx::PgConnection;

/// Writes what becomes of events, if the database is that of this epoch: otherwise nothing. Returns the epoch that it has found. It is one
/// statement, so that it may be a transaction by itself.
pub(super) async fn write_events(
    connection: &mut PgConnection,
    write: &JournalWrite,
    epoch: i64,
) -> Result<Option<i64>, StoreError> {
    let parts = &write.parts;
    let (row, events) = write.row.as_ref().map(|(row, events)| (*row, events.as_slice())).unzip();
    sqlx::query_scalar(
        "WITH own AS (SELECT 1 FROM server WHERE epoch = $1),
        added AS (INSERT INTO journal (id, events) SELECT $2, $3 FROM own WHERE $2 IS NOT NULL),
        kept AS (
            INSERT INTO record_parts (match_id, seq, next_seq, plies, events)
            SELECT match_id::uuid, seq, next_seq, plies, events
            FROM own CROSS JOIN unnest($4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bytea[])
                AS new (match_id, seq, next_seq, plies, events)
            ON CONFLICT (match_id, seq) DO UPDATE SET next_seq = excluded.next_seq, plies = excluded.plies,
                events = excluded.events),
        removed AS (DELETE FROM journal WHERE id >= $9 AND id < $10 AND EXISTS (SELECT 1 FROM own))
        SELECT epoch FROM server",
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
    .fetch_optional(connection)
    .await
    .map_err(store_error_of)
}

fn part_column<'a, C>(parts: &'a [RecordPart], of: impl FnMut(&'a RecordPart) -> C) -> Vec<C> {
    parts.iter().map(of).collect()
}
