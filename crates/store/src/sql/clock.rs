//! Stores the latest time that a server has observed and the jumps of its clock, and sets back timestamps that are too
//! late.

use super::columns::to_column_integer;
use super::dialect::{Dialect, Statement};
use super::row::RowColumns;
use super::rows::with_damage_context;
use crate::{Change, ClockJump, LaterTimes, NewestIds, StoreError};
use lastnim_core::referee::Timestamp;
use std::time::Duration;

/// The statements that set back the timestamps that no signature covers: every timestamp later than $1 becomes $1.
const CLOCK_REPAIR_STATEMENTS: [&str; 9] = [
    "UPDATE bots SET registered_at_us = $1 WHERE registered_at_us > $1",
    "UPDATE bot_versions SET first_seen_at_us = $1 WHERE first_seen_at_us > $1",
    "UPDATE bot_versions SET last_seen_at_us = $1 WHERE last_seen_at_us > $1",
    "UPDATE tournaments SET created_at_us = $1 WHERE created_at_us > $1",
    "UPDATE tournaments SET over_at_us = $1 WHERE over_at_us > $1",
    "UPDATE matches SET over_at_us = $1 WHERE over_at_us > $1 AND damage IS NOT NULL",
    "UPDATE matches SET pruned_at_us = $1 WHERE pruned_at_us > $1",
    "UPDATE transcripts SET published_at_us = $1 WHERE published_at_us > $1",
    "UPDATE requests SET at_us = $1 WHERE at_us > $1",
];

/// Writes the changes that concern the clock.
pub(super) async fn write_clock<D: Dialect>(
    connection: &mut D::Connection,
    changes: &[Change],
) -> Result<(), StoreError> {
    for change in changes {
        match change {
            Change::ClockSeen { at, jump } => note_time::<D>(connection, *at, *jump).await?,
            Change::ClockRepaired { at } => repair_clock::<D>(connection, *at).await?,
            _ => {}
        }
    }
    Ok(())
}

async fn note_time<D: Dialect>(
    connection: &mut D::Connection,
    at: Timestamp,
    jump: Option<Duration>,
) -> Result<(), StoreError> {
    let at_us = to_column_integer("a time", at.as_micros())?;
    Statement::<D>::new(
        "INSERT INTO clock (id, latest_at_us) VALUES (1, $1)
        ON CONFLICT (id) DO UPDATE SET latest_at_us = excluded.latest_at_us
            WHERE clock.latest_at_us < excluded.latest_at_us",
    )
    .bind(at_us)
    .execute(connection)
    .await?;
    let Some(jump) = jump else { return Ok(()) };
    Statement::<D>::new(
        "INSERT INTO clock_jumps (found_at_us, length_us) VALUES ($1, $2) ON CONFLICT (found_at_us) DO NOTHING",
    )
    .bind(at_us)
    .bind(to_column_integer("a duration", jump.as_micros())?)
    .execute(connection)
    .await
}

async fn repair_clock<D: Dialect>(connection: &mut D::Connection, at: Timestamp) -> Result<(), StoreError> {
    let at_us = to_column_integer("a time", at.as_micros())?;
    for statement in CLOCK_REPAIR_STATEMENTS {
        Statement::<D>::new(statement).bind(at_us).execute(connection).await?;
    }
    Statement::<D>::new("DELETE FROM clock_jumps").execute(connection).await?;
    Statement::<D>::new(
        "INSERT INTO clock (id, latest_at_us) VALUES (1, $1)
        ON CONFLICT (id) DO UPDATE SET latest_at_us = excluded.latest_at_us",
    )
    .bind(at_us)
    .execute(connection)
    .await
}

/// Returns the statement that reads the latest time that a server has observed.
pub(super) fn latest_time_statement<D: Dialect>() -> Statement<D> {
    Statement::new("SELECT latest_at_us FROM clock")
}

/// Reads the latest time from a row.
pub(super) fn read_latest_time(row: &impl RowColumns) -> Result<Timestamp, StoreError> {
    with_damage_context("the latest time", row.time("latest_at_us"))
}

/// Returns the statement that reads the jumps of the clock.
pub(super) fn clock_jumps_statement<D: Dialect>() -> Statement<D> {
    Statement::new("SELECT found_at_us, length_us FROM clock_jumps ORDER BY found_at_us")
}

/// Reads a jump of the clock from a row.
pub(super) fn read_clock_jump(row: &impl RowColumns) -> Result<ClockJump, StoreError> {
    let read = || {
        Ok(ClockJump {
            found_at: row.time("found_at_us")?,
            length: Duration::from_micros(row.number("length_us")?),
        })
    };
    with_damage_context("a clock jump", read())
}

/// Returns the statement that reads the ids of the newest match and the newest tournament.
pub(super) fn newest_ids_statement<D: Dialect>() -> Statement<D> {
    Statement::new(
        "SELECT (SELECT id FROM matches ORDER BY matches.id DESC LIMIT 1)::text AS match_id,
            (SELECT id FROM tournaments ORDER BY tournaments.id DESC LIMIT 1)::text AS tournament_id",
    )
}

/// Reads the ids of the newest match and the newest tournament from a row.
pub(super) fn read_newest_ids(row: &impl RowColumns) -> Result<NewestIds, StoreError> {
    let read = || {
        let has_match = row.nullable::<String>("match_id")?.is_some();
        let has_tournament = row.nullable::<String>("tournament_id")?.is_some();
        Ok(NewestIds {
            match_id: has_match.then(|| row.parse_text("match_id")).transpose()?,
            tournament: has_tournament.then(|| row.parse_text("tournament_id")).transpose()?,
        })
    };
    with_damage_context("the newest match or tournament id", read())
}

/// Returns the statement that counts the timestamps later than a given one.
pub(super) fn later_times_statement<D: Dialect>(at: Timestamp) -> Statement<D> {
    let statement = Statement::new(
        "SELECT (SELECT count(*) FROM bots WHERE registered_at_us > $1)
            + (SELECT count(*) FROM bot_versions WHERE first_seen_at_us > $1)
            + (SELECT count(*) FROM bot_versions WHERE last_seen_at_us > $1)
            + (SELECT count(*) FROM tournaments WHERE created_at_us > $1)
            + (SELECT count(*) FROM tournaments WHERE over_at_us > $1)
            + (SELECT count(*) FROM matches WHERE over_at_us > $1 AND damage IS NOT NULL)
            + (SELECT count(*) FROM matches WHERE pruned_at_us > $1)
            + (SELECT count(*) FROM transcripts WHERE published_at_us > $1)
            + (SELECT count(*) FROM requests WHERE at_us > $1) AS unsigned_times,
            (SELECT count(*) FROM matches WHERE created_at_us > $1 OR over_at_us > $1 AND damage IS NULL)
            AS matches",
    );
    statement.bind(i64::try_from(at.as_micros()).unwrap_or(i64::MAX))
}

/// Reads how many timestamps are later than the one given to [`later_times_statement`].
pub(super) fn read_later_times(row: &impl RowColumns) -> Result<LaterTimes, StoreError> {
    let read = || Ok(LaterTimes { unsigned: row.number("unsigned_times")?, matches: row.number("matches")? });
    with_damage_context("the number of timestamps in the future", read())
}
