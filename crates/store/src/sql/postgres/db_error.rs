//! Converts PostgreSQL's errors.

use super::session::shared_session_error;
use crate::sql::db_error::{database_message, driver_error_of};
use crate::{StoreError, StoreUrl};
use sqlx::Error;

/// The classes of errors in the written data: values that fit no column, and rows that violate a constraint.
const REFUSED_CLASSES: [&str; 2] = ["22", "23"];
/// The classes of transient errors: lost connection, rolled-back transaction, lack of resources, object in use,
/// operator intervention, system error.
const TRANSIENT_CLASSES: [&str; 6] = ["08", "40", "53", "55", "57", "58"];
/// The error code of a read-only database, for example one that is now a standby.
const READ_ONLY: &str = "25006";
/// The error code of a session that was ended because it was idle in a transaction for too long.
const IDLE_IN_TRANSACTION: &str = "25P03";
/// The error codes of corrupt pages and indexes.
const CORRUPTION_CODES: [&str; 2] = ["XX001", "XX002"];
/// The error codes of missing columns and unexpected column types, which mean that the tables belong to another
/// program.
const FOREIGN_SCHEMA_CODES: [&str; 3] = ["42703", "42804", "42883"];

/// The error codes of a prepared statement that is missing or already exists, which mean that the connection has been
/// moved to another session.
const OTHER_SESSION_CODES: [&str; 2] = ["26000", "42P05"];

fn error_class(code: &str) -> &str {
    code.get(..2).unwrap_or_default()
}

/// Returns whether an error means that the tables belong to another program.
pub(super) fn is_foreign_schema_error(error: &Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| FOREIGN_SCHEMA_CODES.contains(&code.as_ref()))
        || matches!(error, Error::ColumnDecode { .. })
}

/// Converts an error from an open database. An unknown error is assumed to be one that an operator must resolve, for
/// example after a table was dropped or a privilege was revoked.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
pub(super) fn store_error_of(error: Error) -> StoreError {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code).unwrap_or_default();
    if REFUSED_CLASSES.contains(&error_class(&code)) {
        StoreError::Refused(database_message(&error))
    } else if CORRUPTION_CODES.contains(&code.as_ref()) || FOREIGN_SCHEMA_CODES.contains(&code.as_ref()) {
        StoreError::Corrupt(database_message(&error))
    } else if OTHER_SESSION_CODES.contains(&code.as_ref()) {
        shared_session_error(&database_message(&error))
    } else {
        driver_error_of(&error)
    }
}

/// Converts an error from opening a database.
pub(super) fn open_error_of(url: &StoreUrl, error: Error) -> StoreError {
    let message = database_message(&error);
    match &error {
        Error::Database(told) => {
            let code = told.code().unwrap_or_default();
            let passes = TRANSIENT_CLASSES.contains(&error_class(&code))
                || [READ_ONLY, IDLE_IN_TRANSACTION].contains(&code.as_ref());
            if passes
                || CORRUPTION_CODES.contains(&code.as_ref())
                || OTHER_SESSION_CODES.contains(&code.as_ref())
            {
                return store_error_of(error);
            }
            StoreError::Unusable(format!("{url} cannot be opened: {message}"))
        }
        Error::Configuration(_) | Error::Tls(_) => {
            StoreError::Unusable(format!("{url} cannot be opened: {message}"))
        }
        Error::Io(_) => StoreError::Unavailable(format!("{url} cannot be reached: {message}")),
        _ => store_error_of(error),
    }
}
