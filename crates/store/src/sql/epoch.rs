//! The number of the server that a database belongs to.
//!
//! Each server that opens a database raises its epoch. Every transaction of a writer checks the epoch, so that a server which was cut off and has
//! lost the database writes nothing more.

use crate::StoreError;

/// Checks the epoch that a transaction has found in the row of `server`.
///
/// # Errors
/// As [`lost_database_error`] says, if it is not this server's.
pub(super) fn check_epoch(own: i64, found: Option<i64>) -> Result<(), StoreError> {
    if found == Some(own) { Ok(()) } else { Err(lost_database_error(found)) }
}

/// Says why a database is not this server's, by the epoch that it has.
pub(super) fn lost_database_error(found: Option<i64>) -> StoreError {
    match found {
        Some(_) => StoreError::Taken(
            "it has been opened by another server since, and this one lets go of it".to_owned(),
        ),
        None => StoreError::Damaged {
            what: "the table `server`".to_owned(),
            why: "its row is gone, which says whose the database is".to_owned(),
        },
    }
}
