//! What PostgreSQL's errors mean.

use crate::sql::db_error::{database_message, driver_error_of};
use crate::{StoreError, StoreUrl};
use sqlx::Error;

/// The classes of errors of what is to be written: values that fit no column, and rows that break a rule of the tables.
const REFUSED_CLASSES: [&str; 2] = ["22", "23"];
/// The classes of errors that pass by themselves: lost connections, transactions undone, resources that are short, objects in use,
/// operators who intervene, a failing system.
const PASSING_CLASSES: [&str; 6] = ["08", "40", "53", "55", "57", "58"];
/// A database that is read only for now, as a standby is.
const READ_ONLY: &str = "25006";
/// Sessions that waited too long in a transaction are ended.
const IDLE_IN_TRANSACTION: &str = "25P03";
/// Pages or indices that hold nonsense.
const CORRUPT: [&str; 2] = ["XX001", "XX002"];
/// Columns that are not there, or of another type: tables that lastnim has not made.
const FOREIGN: [&str; 3] = ["42703", "42804", "42883"];

fn error_class(code: &str) -> &str {
    code.get(..2).unwrap_or_default()
}

/// Returns whether an error says that the tables are those of another program.
pub(super) fn is_foreign_schema_error(error: &Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| FOREIGN.contains(&code.as_ref())) || matches!(error, Error::ColumnDecode { .. })
}

/// Says what an error of a database that is open means. What is not known to be the fault of a change, nor to be damage,
/// is for an operator to set right: a table that was dropped, a right that was taken away.
#[expect(clippy::needless_pass_by_value, reason = "it is what a `map_err` has")]
pub(super) fn store_error_of(error: Error) -> StoreError {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code).unwrap_or_default();
    if REFUSED_CLASSES.contains(&error_class(&code)) {
        StoreError::Refused(database_message(&error))
    } else if CORRUPT.contains(&code.as_ref()) || FOREIGN.contains(&code.as_ref()) {
        StoreError::Corrupt(database_message(&error))
    } else {
        driver_error_of(&error)
    }
}

/// Says what an error while a database is opened means.
pub(super) fn open_error_of(url: &StoreUrl, error: Error) -> StoreError {
    let words = database_message(&error);
    match &error {
        Error::Database(told) => {
            let code = told.code().unwrap_or_default();
            let passes = PASSING_CLASSES.contains(&error_class(&code))
                || [READ_ONLY, IDLE_IN_TRANSACTION].contains(&code.as_ref());
            if passes || CORRUPT.contains(&code.as_ref()) {
                return store_error_of(error);
            }
            StoreError::Unusable(format!("{url} cannot be opened: {words}"))
        }
        Error::Configuration(_) | Error::Tls(_) => {
            StoreError::Unusable(format!("{url} cannot be opened: {words}"))
        }
        Error::Io(_) => StoreError::Unavailable(format!("{url} cannot be reached: {words}")),
        _ => store_error_of(error),
    }
}
