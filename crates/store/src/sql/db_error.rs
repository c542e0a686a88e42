//! Converts errors of the database drivers.

use crate::StoreError;
use sqlx::Error;

/// Converts an error from a database driver. An unknown error is assumed to be one that an operator must resolve,
/// rather than a bad change or damaged data.
pub(super) fn driver_error_of(error: &Error) -> StoreError {
    let why = database_message(error);
    match error {
        Error::ColumnDecode { index, .. } => StoreError::Damaged { what: format!("column {index}"), why },
        Error::Decode(_) => StoreError::Damaged { what: "a row".to_owned(), why },
        Error::Encode(_) | Error::InvalidArgument(_) => StoreError::Refused(why),
        _ => StoreError::Unavailable(why),
    }
}

/// Returns the message from the database or its driver.
pub(super) fn database_message(error: &Error) -> String {
    match error {
        Error::Database(told) => told.message().to_owned(),
        Error::Io(error) => error.to_string(),
        other => other.to_string(),
    }
}
