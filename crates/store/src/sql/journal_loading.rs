//! Reads the unfinished matches and journal rows that the previous writer left.

use super::dialect::{Dialect, Statement};
use super::event_bytes::parse_journal_row;
use super::journal::{Journal, RecordPart};
use super::matches::json_keys;
use super::row::RowColumns as _;
use super::rows::{self, with_damage_context};
use crate::StoreError;

/// The state from which a writer starts. After the writer has written `parts` and removed the rows in `removed`, the
/// journal table contains only unreadable rows.
#[derive(Debug)]
pub(super) struct LoadedJournal {
    pub(super) journal: Journal,
    /// Record parts with the events of unfinished matches that are in the journal.
    pub(super) parts: Vec<RecordPart>,
    /// Ranges of rows that are no longer needed, each as its first and last id.
    pub(super) removed: Vec<(i64, i64)>,
}

impl LoadedJournal {
    /// Reads the unfinished matches and the journal.
    pub(super) async fn read<D: Dialect>(connection: &mut D::Connection) -> Result<Self, StoreError> {
        let first = Statement::<D>::new(
            "SELECT coalesce((SELECT max(id) FROM journal), 0) + 1 AS next_row,
                coalesce((SELECT max(journal_from) FROM matches WHERE over_at_us IS NULL), 0) AS newest",
        );
        let next_row = |row: &D::Row| {
            let read = || Ok(row.get::<i64>("next_row")?.max(row.get("newest")?));
            with_damage_context("the journal", read())
        };
        let next_row = first.fetch(connection, next_row).await?.pop().unwrap_or(1);
        let mut journal = Journal::starting_at(next_row);
        load_open_matches::<D>(connection, &mut journal).await?;
        let (mut parts, mut removed, mut from) = (Vec::new(), Vec::new(), 0);
        let add_loaded_run = |row: &D::Row| {
            let read = || Ok((row.get::<i64>("id")?, row.get::<Vec<u8>>("events")?));
            let (id, bytes) = with_damage_context("the journal", read())?;
            match parse_journal_row(&bytes) {
                Ok(runs) => runs.iter().try_for_each(|run| journal.add_loaded_run(run, &mut parts))?,
                Err(why) => {
                    tracing::error!(row = id, %why, "a journal row cannot be read: unfinished matches with events only in it are damaged");
                    removed.push((from, id - 1));
                    from = id + 1;
                }
            }
            Ok(())
        };
        Statement::<D>::new("SELECT id, events FROM journal ORDER BY id")
            .fetch(connection, add_loaded_run)
            .await?;
        removed.push((from, next_row));
        parts.append(&mut journal.finish_loading()?);
        Ok(Self { journal, parts, removed })
    }

    /// Removes the rows that are no longer needed.
    pub(super) async fn remove_rows<D: Dialect>(
        &self,
        connection: &mut D::Connection,
    ) -> Result<(), StoreError> {
        for &(first, last) in &self.removed {
            Statement::<D>::new("DELETE FROM journal WHERE id >= $1 AND id <= $2")
                .bind(first)
                .bind(last)
                .execute(connection)
                .await?;
        }
        Ok(())
    }
}

/// Reads the progress of unfinished matches from their record parts, without the journal.
async fn load_open_matches<D: Dialect>(
    connection: &mut D::Connection,
    journal: &mut Journal,
) -> Result<(), StoreError> {
    let unfinished = Statement::<D>::new("SELECT id::text FROM matches WHERE over_at_us IS NULL");
    let ids = unfinished.fetch(connection, rows::read_match_id).await?;
    for &id in &ids {
        // The match counts as empty until its newest part is read below.
        journal.open_match(id);
    }
    let newest_parts = Statement::<D>::new(
        "SELECT match_id::text AS id, seq, next_seq, plies, events FROM record_parts
        WHERE match_id IN (SELECT key::uuid FROM json_each($1::json))
            AND seq = (SELECT max(seq) FROM record_parts AS other WHERE other.match_id = record_parts.match_id)",
    );
    let part = |row: &D::Row| {
        let id = rows::read_match_id(row)?;
        let read = || {
            Ok(RecordPart {
                id,
                seq: row.get("seq")?,
                next_seq: row.get("next_seq")?,
                plies: row.get("plies")?,
                bytes: row.get("events")?,
            })
        };
        let part = with_damage_context(format_args!("the record of match {id}"), read())?;
        journal.insert_last_part(part)
    };
    newest_parts.bind(json_keys(&ids)).fetch(connection, part).await.map(drop)
}
