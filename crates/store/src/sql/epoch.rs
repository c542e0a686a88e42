//! The epoch of a database.
//!
//! Each server that opens a database raises the epoch of the database. Every write transaction checks the epoch, so
//! that a server that has lost the database without noticing can no longer write to it.

use crate::StoreError;

/// Checks the epoch that a transaction has read from the table `server`.
///
/// # Errors
/// The error of [`lost_database_error`] if the epoch is not this server's.
pub(super) fn check_epoch(own: i64, found: Option<i64>) -> Result<(), StoreError> {
    if found == Some(own) { Ok(()) } else { Err(lost_database_error(found)) }
}

/// Returns the error for a database that does not belong to this server, given the epoch found in it.
pub(super) fn lost_database_error(found: Option<i64>) -> StoreError {
    match found {
        Some(_) => {
            StoreError::Taken("another server has opened it since, so this server stops using it".to_owned())
        }
        None => StoreError::Damaged {
            what: "the table `server`".to_owned(),
            why: "the row that names the database's server is missing".to_owned(),
        },
    }
}
