//! What errors mean that no database gave.

use crate::StoreError;
use sqlx::Error;

/// Says what an error of the driver of a database means. What is not known to be the fault of a change, nor to be damage, is for an
/// operator to set right.
pub(super) fn driver_error_of(error: &Error) -> StoreError {
    let why = database_message(error);
    match error {
        Error::ColumnDecode { index, .. } => StoreError::Damaged { what: format!("column {index}"), why },
        Error::Decode(_) => StoreError::Damaged { what: "a row".to_owned(), why },
        Error::Encode(_) | Error::InvalidArgument(_) => StoreError::Refused(why),
        _ => StoreError::Unavailable(why),
    }
}

/// Returns the words of the database, or of its driver.
pub(super) fn database_message(error: &Error) -> String {
    match error {
        Error::Database(told) => told.message().to_owned(),
        Error::Io(error) => error.to_string(),
        other => other.to_string(),
    }
}
