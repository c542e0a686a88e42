//! Removes the events of matches that are over, and what was published of their transcripts; what they came to stays.

use super::columns::to_column_integer;
use super::dialect::{Dialect, Statement};
use super::matches::json_keys;
use crate::{Change, StoreError};

/// Writes the statement that returns matches whose events may be removed: all that are in its scope.
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

pub(super) use prunable_matches;

/// Removes the events of matches, and says so of these. Matches that are not over, or are quarantined, keep theirs.
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
