//! Removes the events and published transcripts of finished matches; their results stay.

use super::columns::to_column_integer;
use super::dialect::{Dialect, Statement};
use super::matches::json_keys;
use super::sql_store::sql_limit;
use crate::{Change, PruneFilter, PrunePage, StoreError};
use lastnim_core::game::MatchId;

/// Builds the statement that reads the matches whose events may be removed, the oldest first: at most $5 matches in
/// scope that come after match $1 and ended before $2. If $3 is not 0, it leaves out the newest $4 + 1 finished matches
/// in scope that still have their events.
macro_rules! prunable_matches {
    ($scope:literal) => {
        concat!(
            "SELECT id::text FROM matches
            WHERE pruned_at_us IS NULL AND over_at_us IS NOT NULL AND damage IS NULL AND signature IS NOT NULL
                AND NOT (reason = 'cancelled' AND plies = 0)
                AND id > $1::uuid AND over_at_us < $2",
            $scope,
            " AND ($3 = 0 OR id < (SELECT id FROM matches
                    WHERE pruned_at_us IS NULL AND over_at_us IS NOT NULL",
            $scope,
            " ORDER BY matches.id DESC LIMIT 1 OFFSET $4))
            ORDER BY matches.id LIMIT $5"
        )
    };
}

/// Returns the statement that reads a page of matches whose events may be removed.
pub(super) fn prunable_statement<D: Dialect>(page: &PrunePage) -> Statement<D> {
    let &PrunePage { filter: PruneFilter { tournament, over_before, keep_newest }, after, limit } = page;
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let text = match tournament {
        Some(_) => prunable_matches!(" AND tournament_id = $6::uuid"),
        None => prunable_matches!(""),
    };
    let statement = Statement::new(text)
        .bind(String::from(after.unwrap_or(MatchId::least())))
        .bind(number(over_before.as_micros()))
        .bind(number(keep_newest))
        .bind(number(keep_newest.saturating_sub(1)))
        .bind(sql_limit(limit));
    match tournament {
        Some(tournament) => statement.bind(String::from(tournament)),
        None => statement,
    }
}

/// Removes the events and transcripts of matches, and marks the matches as pruned. Unfinished and quarantined matches
/// keep theirs.
pub(super) async fn prune_records<D: Dialect>(
    connection: &mut D::Connection,
    changes: &[Change],
) -> Result<(), StoreError> {
    for change in changes {
        let Change::RecordsPruned { ids, at } = change else { continue };
        let ids = json_keys(ids);
        for statement in [
            "DELETE FROM record_parts WHERE match_id IN (
                SELECT id FROM matches WHERE id IN (SELECT key::uuid FROM json_each($1::json))
                    AND over_at_us IS NOT NULL AND damage IS NULL)",
            "DELETE FROM transcripts WHERE match_id IN (
                SELECT id FROM matches WHERE id IN (SELECT key::uuid FROM json_each($1::json))
                    AND over_at_us IS NOT NULL AND damage IS NULL)",
        ] {
            Statement::<D>::new(statement).bind(ids.as_str()).execute(connection).await?;
        }
        Statement::<D>::new(
            "UPDATE matches SET pruned_at_us = $2 WHERE id IN (SELECT key::uuid FROM json_each($1::json))
                AND over_at_us IS NOT NULL AND damage IS NULL AND pruned_at_us IS NULL",
        )
        .bind(ids)
        .bind(to_column_integer("a time", at.as_micros())?)
        .execute(connection)
        .await?;
    }
    Ok(())
}
