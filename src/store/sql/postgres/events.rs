//! The table of events.

use super::fault;
use crate::store::StoreError;
use crate::store::sql::batch::Run;
use crate::store::sql::columns::EventColumns;
use sqlx::PgConnection;

/// The columns of many events.
#[derive(Default)]
struct Events {
    match_id: Vec<String>,
    seq: Vec<i64>,
    at_us: Vec<i64>,
    kind: Vec<&'static str>,
    seat: Vec<Option<i64>>,
    ply: Vec<Option<i64>>,
    take: Vec<Option<i64>>,
    steward: Vec<Option<bool>>,
    charged_us: Vec<Option<i64>>,
    lag_us: Vec<Option<i64>>,
    reason: Vec<Option<&'static str>>,
    winner: Vec<Option<i64>>,
    detail: Vec<Option<String>>,
    note_hash: Vec<Option<Vec<u8>>>,
    hash: Vec<Vec<u8>>,
}

/// Adds events to their matches.
pub(super) async fn append_events(connection: &mut PgConnection, runs: &[Run<'_>]) -> Result<(), StoreError> {
    if runs.is_empty() {
        return Ok(());
    }
    let mut events = Events::default();
    for run in runs {
        for (seq, chained) in (run.first..).zip(run.events) {
            let columns = EventColumns::of(chained)?;
            events.match_id.push(run.id.into());
            events.seq.push(seq);
            events.at_us.push(columns.at_us);
            events.kind.push(columns.kind);
            events.seat.push(columns.seat);
            events.ply.push(columns.ply);
            events.take.push(columns.take);
            events.steward.push(columns.steward);
            events.charged_us.push(columns.charged_us);
            events.lag_us.push(columns.lag_us);
            events.reason.push(columns.reason);
            events.winner.push(columns.winner);
            events.detail.push(columns.detail);
            events.note_hash.push(columns.note_hash);
            events.hash.push(chained.hash.as_bytes().to_vec());
        }
    }
    sqlx::query(
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
    )
    .bind(events.match_id)
    .bind(events.seq)
    .bind(events.at_us)
    .bind(events.kind)
    .bind(events.seat)
    .bind(events.ply)
    .bind(events.take)
    .bind(events.steward)
    .bind(events.charged_us)
    .bind(events.lag_us)
    .bind(events.reason)
    .bind(events.winner)
    .bind(events.detail)
    .bind(events.note_hash)
    .bind(events.hash)
    .execute(connection)
    .await
    .map_err(fault)?;
    Ok(())
}
