//! Removes the events of matches that are over; what they came to stays.

use super::columns::to_column_integer;
use super::dialect::{Dialect, Statement};
use super::matches::json_keys;
use crate::store::{Change, StoreError};

/// Removes the events of matches, and says so of these. Matches that are not over, or are quarantined, keep theirs.
pub(super) async fn prune_records<D: Dialect>(
    connection: &mut D::Connection,
    changes: &[Change],
) -> Result<(), StoreError> {
    for change in changes {
        let Change::RecordsPruned { ids, at } = change else { continue };
        let ids = json_keys(ids);
        Statement::<D>::new(D::REMOVE_EVENTS).bind(ids.as_str()).execute(connection).await?;
        Statement::<D>::new(D::MARK_PRUNED)
            .bind(ids.as_str())
            .bind(to_column_integer("a time", at.as_micros())?)
            .execute(connection)
            .await?;
    }
    Ok(())
}
