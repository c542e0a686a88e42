//! The epoch of a database.
//!
//! Each server that opens a database raises its epoch. Every write transaction checks it, so that a server that has
//! lost the database without noticing it cannot write any more.

use crate::StoreError;

/// Checks the epoch that a transaction read from `server`.
///
/// # Errors
/// As [`lost_database_error`] says, if it is not this server's.
pub(super) fn check_epoch(own: i64, found: Option<i64>) -> Result<(), StoreError> {
    if found == Some(own) { Ok(()) } else { Err(lost_database_error(found)) }
}

/// Explains why a database is not this server's, given the epoch found in it.
pub(super) fn lost_database_error(found: Option<i64>) -> StoreError {
    match found {
        Some(_) => {
            StoreError::Taken("another server has opened it since; this one stops using it".to_owned())
        }
        None => StoreError::Damaged {
            what: "the table `server`".to_owned(),
            why: "the row with the database's owner is missing".to_owned(),
        },
    }
}
