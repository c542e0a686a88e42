//! Read-only access to a database, and the reads that concern a store as a whole.

use super::backend::WriteBackend;
use super::dialect::{Dialect, Statement};
use super::row::RowColumns as _;
use super::rows::{self, with_damage_context};
use super::sql_store::SqlStore;
use crate::{Change, MatchCounts, StoreError, StoreReader, StoreSize};
use async_trait::async_trait;
use lastnim_core::game::MatchId;
use lastnim_tournament::MatchOutcome;

/// A backend that refuses every write.
#[derive(Debug)]
pub(super) struct ReadOnlyBackend;

#[async_trait]
impl WriteBackend for ReadOnlyBackend {
    async fn write(&self, _changes: &[Change]) -> Result<(), StoreError> {
        Err(StoreError::Refused("the store is open for reading only".to_owned()))
    }

    async fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn close(&self) {}
}

impl<D: Dialect> SqlStore<D> {
    /// Runs a statement without a time limit.
    async fn fetch_without_deadline<T>(
        &self,
        statement: Statement<D>,
        read: impl FnMut(&D::Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut reader = self.readers().acquire().await.map_err(D::store_error)?;
        statement.fetch(&mut reader, read).await
    }
}

#[async_trait]
impl<D: Dialect> StoreReader for SqlStore<D> {
    async fn check_pages(&self) -> Result<Vec<String>, StoreError> {
        let Some(statement) = D::CHECK_PAGES else { return Ok(Vec::new()) };
        let read_finding =
            |row: &D::Row| with_damage_context("the page check's result", row.get::<String>("found"));
        let mut found = self.fetch_without_deadline(Statement::new(statement), read_finding).await?;
        found.retain(|line| line != "ok");
        Ok(found)
    }

    async fn size(&self) -> Result<StoreSize, StoreError> {
        let size = |row: &D::Row| {
            let read =
                || Ok(StoreSize { bytes: row.number("bytes")?, free_bytes: row.number("free_bytes")? });
            with_damage_context("the database's size", read())
        };
        Ok(self.fetch_without_deadline(Statement::new(D::SIZE), size).await?.pop().unwrap_or_default())
    }

    async fn match_counts(&self) -> Result<Vec<MatchCounts>, StoreError> {
        let statement = Statement::new(
            "SELECT tournament_id::text AS tournament, count(*) AS matches,
                sum(CASE WHEN over_at_us IS NULL THEN 1 ELSE 0 END) AS unfinished,
                sum(CASE WHEN damage IS NULL THEN 0 ELSE 1 END) AS quarantined,
                sum(CASE WHEN pruned_at_us IS NULL THEN 0 ELSE 1 END) AS pruned,
                coalesce(sum(plies), 0)::bigint AS plies, min(created_at_us) AS oldest_at_us,
                max(created_at_us) AS newest_at_us
            FROM matches GROUP BY tournament_id ORDER BY max(id::text)",
        );
        let counts = |row: &D::Row| {
            let read = || {
                let tournament = row.nullable::<String>("tournament")?;
                Ok(MatchCounts {
                    tournament: tournament.map(|_| row.parse_text("tournament")).transpose()?,
                    matches: row.number("matches")?,
                    unfinished: row.number("unfinished")?,
                    quarantined: row.number("quarantined")?,
                    pruned: row.number("pruned")?,
                    plies: row.number("plies")?,
                    oldest: row.time("oldest_at_us")?,
                    newest: row.time("newest_at_us")?,
                })
            };
            with_damage_context("a count of matches", read())
        };
        self.fetch_without_deadline(statement, counts).await
    }

    async fn outcome(&self, id: MatchId) -> Result<Option<MatchOutcome>, StoreError> {
        let statement = Statement::new(
            "SELECT coalesce(number, 0) AS number, coalesce(group_number, 0) AS group_number, id::text,
                winner, bot, lost, rank_actual, rank_honest, regret, luck, seats.plies, optimal_plies,
                seat_versions::text
            FROM matches JOIN seats ON match_id = id WHERE id = $1::uuid ORDER BY seat",
        );
        let seats =
            self.fetch_without_deadline(statement.bind(String::from(id)), rows::read_result_seat).await?;
        Ok(rows::read_results(&seats)?.pop().and_then(|result| result.outcome))
    }
}
