//! The log of events.
//!
//! A table in the order of matches would have a page of its own to write for each take of a transaction: that is dear with
//! hundreds of matches. So events stand in the order in which they are committed, and a match knows the ids of its own.

use super::multi_row::{MultiRowStatement, RowValues};
use super::store_error_of;
use crate::game::MatchId;
use crate::oracle::Mover;
use crate::referee::Event;
use crate::store::sql::batch::EventRun;
use crate::store::sql::columns::{EventColumns, small_number, to_column_integer};
use crate::store::{ChainedEvent, StoreError};
use sqlx::SqliteConnection;
use std::collections::HashMap;

/// A match that is not over.
#[derive(Debug)]
pub(super) struct OpenMatchRow {
    /// What stands for its id in the log.
    pub(super) key: i64,
    /// The ids of its events, in their order.
    pub(super) events: Vec<i64>,
}

/// The matches that are not over.
pub(super) type OpenMatchRows = HashMap<MatchId, OpenMatchRow>;

/// The statements that write events.
#[derive(Debug)]
pub(super) struct EventLog {
    /// Takes without a note hash, by far the most common.
    takes: MultiRowStatement,
    others: MultiRowStatement,
}

/// An event and where it goes.
type PlacedEvent<'a> = (i64, i64, &'a ChainedEvent);

impl Default for EventLog {
    fn default() -> Self {
        Self {
            takes: MultiRowStatement::new(
                "INSERT INTO event_log
                    (match_key, seq, at_us, kind, seat, ply, take, steward, charged_us, lag_us, hash) VALUES {}",
                "(?, ?, ?, 'took', ?, ?, ?, ?, ?, ?, ?)",
            ),
            others: MultiRowStatement::new(
                "INSERT INTO event_log
                    (match_key, seq, at_us, kind, seat, ply, take, steward, charged_us, lag_us, reason, winner, detail,
                    note_hash, hash) VALUES {}",
                "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ),
        }
    }
}

impl EventLog {
    /// Appends events, the first of them with the id `next`, and notes their ids. Returns the id of the event to come.
    pub(super) async fn append_events(
        &self,
        connection: &mut SqliteConnection,
        runs: &[EventRun<'_>],
        open: &mut OpenMatchRows,
        next: i64,
    ) -> Result<i64, StoreError> {
        let is_take =
            |chained: &ChainedEvent| matches!(chained.event.event, Event::Took { note_hash: None, .. });
        let count = runs.iter().flat_map(|run| run.events).filter(|chained| !is_take(chained)).count();
        let (mut takes, mut others) = (Vec::new(), Vec::with_capacity(count));
        let (mut next_other, mut next_take) = (next, next + to_column_integer("a number of events", count)?);
        for run in runs {
            let Some(known) = open.get_mut(&run.id) else {
                return Err(StoreError::Refused(format!("events of match {}, which is not open", run.id)));
            };
            for (seq, chained) in (run.first..).zip(run.events) {
                let (rows, id) = if is_take(chained) {
                    (&mut takes, &mut next_take)
                } else {
                    (&mut others, &mut next_other)
                };
                rows.push((known.key, seq, chained));
                known.events.push(*id);
                *id += 1;
            }
        }
        let mut last = next - 1;
        for (statement, rows, bind) in [
            (&self.others, &others, bind_event as fn(&PlacedEvent<'_>, &mut RowValues) -> _),
            (&self.takes, &takes, bind_take),
        ] {
            if !rows.is_empty() {
                last = statement.run(connection, rows, bind).await?.last_insert_rowid();
            }
        }
        if last + 1 == next_take {
            Ok(next_take)
        } else {
            let why = format!("the event after {} was given the id {last}", next - 1);
            Err(StoreError::Damaged { what: "the log of events".to_owned(), why })
        }
    }

    /// Returns the ids, by the keys of their matches, that no match lists yet, and the id of the event to come.
    pub(super) async fn read_unlisted_ids(
        connection: &mut SqliteConnection,
    ) -> Result<(HashMap<i64, Vec<i64>>, i64), StoreError> {
        let next: i64 = sqlx::query_scalar("SELECT coalesce(max(id), 0) + 1 FROM event_log")
            .fetch_one(&mut *connection)
            .await
            .map_err(store_error_of)?;
        let unlisted: Vec<(i64, i64)> = sqlx::query_as(
            "SELECT match_key, event_log.id FROM event_log CROSS JOIN matches ON key = match_key
            WHERE event_log.id >= (SELECT min(unlisted_from) FROM matches WHERE unlisted_from IS NOT NULL)
                AND event_log.id >= unlisted_from
            ORDER BY seq",
        )
        .fetch_all(&mut *connection)
        .await
        .map_err(store_error_of)?;
        let mut by_match: HashMap<i64, Vec<i64>> = HashMap::new();
        for (key, id) in unlisted {
            by_match.entry(key).or_default().push(id);
        }
        Ok((by_match, next))
    }
}

fn bind_take(placed: &PlacedEvent<'_>, values: &mut RowValues) -> Result<(), StoreError> {
    let &(key, seq, chained) = placed;
    let Event::Took { ply, seat, take, mover, charged, credited, note_hash: None } = chained.event.event
    else {
        return Err(StoreError::Refused("an event that is not a take without a note hash".to_owned()));
    };
    values.add(key)?;
    values.add(seq)?;
    values.add(to_column_integer("a time", chained.event.at.as_micros())?)?;
    values.add(small_number(seat))?;
    values.add(small_number(ply))?;
    values.add(to_column_integer("a take", take)?)?;
    values.add(mover == Mover::Steward)?;
    values.add(to_column_integer("a charged time", charged.as_micros())?)?;
    values.add(to_column_integer("a lag", credited.as_micros())?)?;
    values.add(chained.hash.as_bytes().to_vec())
}

fn bind_event(placed: &PlacedEvent<'_>, values: &mut RowValues) -> Result<(), StoreError> {
    let &(key, seq, chained) = placed;
    let columns = EventColumns::of_event(chained)?;
    values.add(key)?;
    values.add(seq)?;
    values.add(columns.at_us)?;
    values.add(columns.kind)?;
    values.add(columns.seat)?;
    values.add(columns.ply)?;
    values.add(columns.take)?;
    values.add(columns.steward)?;
    values.add(columns.charged_us)?;
    values.add(columns.lag_us)?;
    values.add(columns.reason)?;
    values.add(columns.winner)?;
    values.add(columns.detail)?;
    values.add(columns.note_hash)?;
    values.add(chained.hash.as_bytes().to_vec())
}
