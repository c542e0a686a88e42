//! The tables of matches and their seats.

use super::events::{OpenMatchRow, OpenMatchRows};
use super::multi_row::MultiRowStatement;
use super::store_error_of;
use crate::store::sql::batch::{EndedMatch, KnownProgress, MatchProgress, NewMatch, QuarantinedMatch};
use crate::store::sql::columns::small_number;
use crate::store::sql::dialect::Statement;
use crate::store::sql::matches::{check_sealed_count, check_seat_count, seat_results_of};
use crate::store::sql::row::RowColumns as _;
use crate::store::sql::rows::{self, name_damage};
use crate::store::sql::words::StoredWord;
use crate::store::{FinishedMatch, StoreError};
use sqlx::sqlite::SqliteRow;
use sqlx::{Sqlite, SqliteConnection};
use std::collections::HashMap;

/// The statements that write matches.
#[derive(Debug)]
pub(super) struct MatchTables {
    create: MultiRowStatement,
    seats: MultiRowStatement,
    end: MultiRowStatement,
    quarantine: MultiRowStatement,
    list: MultiRowStatement,
    seal: MultiRowStatement,
    figures: MultiRowStatement,
}

impl Default for MatchTables {
    fn default() -> Self {
        Self {
            create: MultiRowStatement::new(
                "INSERT INTO matches
                    (key, id, created_at_us, tournament_id, number, group_number, setup, unlisted_from) VALUES {}",
                "(?, ?, ?, ?, ?, ?, ?, ?)",
            ),
            seats: MultiRowStatement::new("INSERT INTO seats (match_id, seat, bot) VALUES {}", "(?, ?, ?)"),
            end: MultiRowStatement::new(
                "UPDATE matches SET plies = now.column2, reason = now.column3, winner = now.column4,
                    over_at_us = now.column5, head_hash = now.column6, event_ids = now.column7, unlisted_from = NULL
                FROM (VALUES {}) AS now WHERE id = now.column1",
                "(?, ?, ?, ?, ?, ?, ?)",
            ),
            quarantine: MultiRowStatement::new(
                "UPDATE matches SET plies = now.column2, over_at_us = now.column3, damage = now.column4,
                    event_ids = now.column5, unlisted_from = NULL
                FROM (VALUES {}) AS now WHERE id = now.column1",
                "(?, ?, ?, ?, ?)",
            ),
            list: MultiRowStatement::new(
                "UPDATE matches SET event_ids = now.column2 FROM (VALUES {}) AS now WHERE key = now.column1",
                "(?, ?)",
            ),
            seal: MultiRowStatement::new(
                "UPDATE matches SET signer = now.column2, signature = now.column3
                FROM (VALUES {}) AS now WHERE id = now.column1 AND over_at_us IS NOT NULL",
                "(?, ?, ?)",
            ),
            figures: MultiRowStatement::new(
                "UPDATE seats SET lost = now.column3, rank_actual = now.column4, regret = now.column5,
                    luck = now.column6, plies = now.column7, optimal_plies = now.column8
                FROM (VALUES {}) AS now WHERE match_id = now.column1 AND seat = now.column2",
                "(?, ?, ?, ?, ?, ?, ?, ?)",
            ),
        }
    }
}

impl MatchTables {
    /// Lists the events of the matches that are not over with their matches, and returns these and how far they have come.
    /// `unlisted` are the ids that are not listed yet, by key; `next` is the id of the event to come.
    pub(super) async fn load_unfinished(
        &self,
        connection: &mut SqliteConnection,
        unlisted: &mut HashMap<i64, Vec<i64>>,
        next: i64,
    ) -> Result<(OpenMatchRows, KnownProgress), StoreError> {
        let open_match = |row: &SqliteRow| {
            let id = rows::read_match_id(row)?;
            let read = || Ok((id, row.get("key")?, row.get::<String>("event_ids")?));
            name_damage(format_args!("match {id}"), read())
        };
        let found =
            Statement::<Sqlite>::new("SELECT id, key, event_ids FROM matches WHERE over_at_us IS NULL")
                .fetch(connection, open_match)
                .await?;
        let mut open = OpenMatchRows::with_capacity(found.len());
        for (id, key, listed) in found {
            let events = match serde_json::from_str::<Vec<i64>>(&listed) {
                Ok(mut events) => {
                    events.append(&mut unlisted.remove(&key).unwrap_or_default());
                    events
                }
                Err(error) => {
                    tracing::error!(%error, %id, "the list of a match's events cannot be read: it is made anew from the log");
                    logged_events(connection, key).await?
                }
            };
            open.insert(id, OpenMatchRow { key, events });
        }
        let lists: Vec<&OpenMatchRow> = open.values().collect();
        let listed = self.list.run(connection, &lists, |open, values| {
            values.add(open.key)?;
            values.add(serde_json::json!(open.events).to_string())
        });
        listed.await?;
        sqlx::query("UPDATE matches SET unlisted_from = $1 WHERE unlisted_from IS NOT NULL")
            .bind(next)
            .execute(&mut *connection)
            .await
            .map_err(store_error_of)?;
        let plies: Vec<(i64, u32)> = sqlx::query_as(
            "SELECT matches.key, count(*) FROM matches CROSS JOIN json_each(event_ids) AS place
                CROSS JOIN event_log ON event_log.id = place.value
            WHERE over_at_us IS NULL AND kind = 'took' GROUP BY matches.key",
        )
        .fetch_all(&mut *connection)
        .await
        .map_err(store_error_of)?;
        let plies: HashMap<i64, u32> = plies.into_iter().collect();
        let progress = |open: &OpenMatchRow| MatchProgress {
            events: open.events.len(),
            plies: plies.get(&open.key).copied().unwrap_or_default(),
        };
        let known = open.iter().map(|(&id, open)| (id, progress(open))).collect();
        Ok((open, known))
    }

    /// Adds matches and their seats, before the event of the id `next`.
    pub(super) async fn create_matches(
        &self,
        connection: &mut SqliteConnection,
        new: &[NewMatch<'_>],
        open: &OpenMatchRows,
        next: i64,
    ) -> Result<(), StoreError> {
        let created = self.create.run(connection, new, |new, values| {
            values.add(open[&new.id].key)?;
            values.add(String::from(new.id))?;
            values.add(new.created_at_us)?;
            values.add(new.tournament.map(String::from))?;
            values.add(new.number)?;
            values.add(new.group)?;
            values.add(new.setup.clone())?;
            values.add(next)
        });
        created.await?;
        let seats = new.iter().flat_map(|new| new.bots.enumerate().map(|(seat, bot)| (new.id, seat, bot)));
        let seats: Vec<_> = seats.collect();
        let seated = self.seats.run(connection, &seats, |&(id, seat, bot), values| {
            values.add(String::from(id))?;
            values.add(small_number(seat))?;
            values.add(bot.to_string())
        });
        seated.await.map(drop)
    }

    /// Says of matches how they ended, and where their events are.
    pub(super) async fn end_matches(
        &self,
        connection: &mut SqliteConnection,
        ended: &[EndedMatch],
        open: &OpenMatchRows,
    ) -> Result<(), StoreError> {
        let written = self.end.run(connection, ended, |ended, values| {
            values.add(String::from(ended.id))?;
            values.add(ended.plies)?;
            values.add(ended.reason.as_word())?;
            values.add(ended.winner)?;
            values.add(ended.over_at_us)?;
            values.add(ended.head.as_bytes().to_vec())?;
            values.add(serde_json::json!(open[&ended.id].events).to_string())
        });
        written.await.map(drop)
    }

    /// Says of matches that they are quarantined, and where what is kept of them is.
    pub(super) async fn quarantine_matches(
        &self,
        connection: &mut SqliteConnection,
        quarantined: &[QuarantinedMatch<'_>],
        open: &OpenMatchRows,
    ) -> Result<(), StoreError> {
        let written = self.quarantine.run(connection, quarantined, |found, values| {
            values.add(String::from(found.id))?;
            values.add(found.plies)?;
            values.add(found.at_us)?;
            values.add(found.why.to_owned())?;
            values.add(serde_json::json!(open[&found.id].events).to_string())
        });
        written.await.map(drop)
    }

    /// Adds the seals of matches that are over, and the figures of their seats.
    pub(super) async fn seal_matches(
        &self,
        connection: &mut SqliteConnection,
        sealed: &[&FinishedMatch],
    ) -> Result<(), StoreError> {
        let changed = self.seal.run(connection, sealed, |over, values| {
            values.add(String::from(over.id))?;
            values.add(over.seal.signer.as_bytes().to_vec())?;
            values.add(over.seal.signature.as_bytes().to_vec())
        });
        check_sealed_count(sealed, changed.await?.rows_affected())?;
        let figures = seat_results_of(sealed);
        let changed = self.figures.run(connection, &figures, |&(id, seat, result), values| {
            values.add(String::from(id))?;
            values.add(small_number(seat))?;
            values.add(result.lost.map(StoredWord::as_word))?;
            values.add(result.rank_actual)?;
            values.add(result.regret)?;
            values.add(result.luck)?;
            values.add(result.plies)?;
            values.add(result.optimal_plies)
        });
        check_seat_count(figures.len(), changed.await?.rows_affected())
    }
}

/// Returns the ids of the events of a match by looking through the whole log.
async fn logged_events(connection: &mut SqliteConnection, key: i64) -> Result<Vec<i64>, StoreError> {
    sqlx::query_scalar("SELECT id FROM event_log WHERE match_key = $1 ORDER BY seq")
        .bind(key)
        .fetch_all(connection)
        .await
        .map_err(store_error_of)
}
