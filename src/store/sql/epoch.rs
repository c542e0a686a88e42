//! Whose a database is.

use crate::store::StoreError;

/// Fails if the epoch that was found in a database is not that of this server.
pub(super) fn check_own_epoch(found: Option<i64>, own: i64) -> Result<(), StoreError> {
    match found {
        Some(found) if found == own => Ok(()),
        Some(_) => Err(StoreError::Taken(
            "it has been opened by another server since, and this one lets go of it".to_owned(),
        )),
        None => Err(StoreError::Damaged {
            what: "the table `server`".to_owned(),
            why: "its row is gone, which says whose the database is".to_owned(),
        }),
    }
}
