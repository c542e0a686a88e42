//! Writes and reads the requests that their callers may repeat.

use super::columns::to_column_integer;
use super::dialect::{Dialect, Statement};
use super::row::RowColumns;
use super::rows::with_damage_context;
use crate::{
    Change, Creation, MAX_REQUESTS, MAX_REQUESTS_PER_CALLER, REQUEST_LIFETIME, RequestHash, RequestKey,
    StoreError, StoredRequest,
};
use lastnim_core::game::BotName;
use std::collections::BTreeSet;

/// Writes the requests that were carried out, and deletes those that are too old or too many.
pub(super) async fn write_requests<D: Dialect>(
    connection: &mut D::Connection,
    changes: &[Change],
) -> Result<(), StoreError> {
    let (mut newest, mut callers) = (None, BTreeSet::new());
    for change in changes {
        if let Change::RequestDone(request) = change {
            write_request::<D>(connection, request).await?;
            newest = newest.max(Some(request.at));
            callers.insert(caller_column(&request.key));
        }
    }
    let Some(newest) = newest else { return Ok(()) };
    Statement::<D>::new("DELETE FROM requests WHERE at_us < $1")
        .bind(to_column_integer("a time", newest.minus(REQUEST_LIFETIME).as_micros())?)
        .execute(connection)
        .await?;
    for caller in callers {
        Statement::<D>::new(
            "DELETE FROM requests WHERE caller = $1
                AND id <= (SELECT id FROM requests WHERE caller = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)",
        )
        .bind(caller)
        .bind(to_column_integer("a count", MAX_REQUESTS_PER_CALLER)?)
        .execute(connection)
        .await?;
    }
    Statement::<D>::new("DELETE FROM requests WHERE id <= (SELECT max(id) FROM requests) - $1")
        .bind(to_column_integer("a count", MAX_REQUESTS)?)
        .execute(connection)
        .await
}

/// Returns the name of the calling bot; empty for an admin.
fn caller_column(key: &RequestKey) -> &str {
    key.caller.as_ref().map_or("", BotName::as_str)
}

async fn write_request<D: Dialect>(
    connection: &mut D::Connection,
    StoredRequest { key, hash, created, at }: &StoredRequest,
) -> Result<(), StoreError> {
    let (tournament, played) = match created {
        Creation::Tournament(id) => (Some(String::from(*id)), None),
        Creation::Match(id) => (None, Some(String::from(*id))),
    };
    Statement::<D>::new(
        "INSERT INTO requests (id, caller, request_id, request_hash, tournament_id, match_id, at_us)
        VALUES ((SELECT 1 + coalesce(max(id), 0) FROM requests), $1, $2, $3, $4::uuid, $5::uuid, $6)
        ON CONFLICT (caller, request_id) DO UPDATE SET id = excluded.id, request_hash = excluded.request_hash,
            tournament_id = excluded.tournament_id, match_id = excluded.match_id, at_us = excluded.at_us",
    )
    .bind(caller_column(key))
    .bind(key.id.as_str())
    .bind(hash.as_bytes().as_slice())
    .bind(tournament)
    .bind(played)
    .bind(to_column_integer("a time", at.as_micros())?)
    .execute(connection)
    .await
}

/// Returns the statement that reads all requests, the oldest first.
pub(super) fn requests_statement<D: Dialect>() -> Statement<D> {
    Statement::new(
        "SELECT caller, request_id, request_hash, tournament_id::text, match_id::text, at_us FROM requests
        ORDER BY id",
    )
}

/// Reads a request.
pub(super) fn read_request(row: &impl RowColumns) -> Result<StoredRequest, StoreError> {
    let read = || {
        let caller = match row.get::<String>("caller")? {
            admin if admin.is_empty() => None,
            _ => Some(row.parse_text("caller")?),
        };
        let created = match row.nullable::<String>("tournament_id")? {
            Some(_) => Creation::Tournament(row.parse_text("tournament_id")?),
            None => Creation::Match(row.parse_text("match_id")?),
        };
        Ok(StoredRequest {
            key: RequestKey { caller, id: row.parse_text("request_id")? },
            hash: RequestHash::from_bytes(row.bytes("request_hash")?),
            created,
            at: row.time("at_us")?,
        })
    };
    with_damage_context(format_args!("request \"{}\"", row.label("request_id")), read())
}
