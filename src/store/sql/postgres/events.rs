//! The table of events.

use super::multi_row::MultiRow;
use crate::game::MatchId;
use crate::referee::EventHash;
use crate::store::StoreError;
use crate::store::sql::batch::EventRun;
use crate::store::sql::columns::EventColumns;
use sqlx::PgConnection;

/// An event in its columns.
struct EventRow {
    match_id: MatchId,
    seq: i64,
    columns: EventColumns,
    hash: EventHash,
}

/// Adds events to their matches.
pub(super) async fn append_events(
    connection: &mut PgConnection,
    runs: &[EventRun<'_>],
) -> Result<(), StoreError> {
    let placed = runs.iter().flat_map(|run| (run.first..).zip(run.events).map(|placed| (run.id, placed)));
    let rows = placed.map(|(match_id, (seq, chained))| {
        Ok(EventRow { match_id, seq, columns: EventColumns::of_event(chained)?, hash: chained.hash })
    });
    let rows: Vec<_> = rows.collect::<Result<_, StoreError>>()?;
    MultiRow::new(
        "INSERT INTO events (match_id, seq, at_us, kind, seat, ply, take, steward, charged_us, lag_us, reason, winner,
            detail, note_hash, hash)
        SELECT match_id::uuid, seq, at_us, kind, seat, ply, take, steward, charged_us, lag_us, reason, winner,
            detail::jsonb, note_hash, hash
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[],
            $8::boolean[], $9::bigint[], $10::bigint[], $11::text[], $12::bigint[], $13::text[], $14::bytea[],
            $15::bytea[])
        AS new (match_id, seq, at_us, kind, seat, ply, take, steward, charged_us, lag_us, reason, winner, detail,
            note_hash, hash)
        ON CONFLICT DO NOTHING",
        &rows,
    )
    .column(|row| String::from(row.match_id))
    .column(|row| row.seq)
    .column(|row| row.columns.at_us)
    .column(|row| row.columns.kind)
    .column(|row| row.columns.seat)
    .column(|row| row.columns.ply)
    .column(|row| row.columns.take)
    .column(|row| row.columns.steward)
    .column(|row| row.columns.charged_us)
    .column(|row| row.columns.lag_us)
    .column(|row| row.columns.reason)
    .column(|row| row.columns.winner)
    .column(|row| row.columns.detail.as_deref())
    .column(|row| row.columns.note_hash.as_deref())
    .column(|row| row.hash.as_bytes().as_slice())
    .run(connection)
    .await
    .map(drop)
}
