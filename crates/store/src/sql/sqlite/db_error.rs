//! Converts SQLite's errors.

use crate::StoreError;
use crate::sql::db_error::{database_message, driver_error_of};
use sqlx::Error;
use std::path::Path;

// SQLite's primary result codes.
const ERROR: i32 = 1;
const READ_ONLY: i32 = 8;
const CORRUPT: i32 = 11;
const CANNOT_OPEN: i32 = 14;
const TOO_BIG: i32 = 18;
const CONSTRAINT: i32 = 19;
const MISMATCH: i32 = 20;
const RANGE: i32 = 25;
const NO_DATABASE: i32 = 26;

/// Returns the primary result code of an error from SQLite itself.
fn error_code(error: &Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    // The higher bits belong to the extended result code.
    Some(code & 0xff)
}

/// Returns whether an error means that the tables belong to another program.
pub(super) fn is_foreign_schema_error(error: &Error) -> bool {
    error_code(error) == Some(ERROR) || matches!(error, Error::ColumnDecode { .. })
}

/// Converts an error from an open database. An unknown error is assumed to be one that an operator must resolve, for
/// example after a table was dropped or a file became read-only.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
pub(super) fn store_error_of(error: Error) -> StoreError {
    match error_code(&error) {
        Some(TOO_BIG | CONSTRAINT | MISMATCH | RANGE) => StoreError::Refused(database_message(&error)),
        Some(CORRUPT | NO_DATABASE) => StoreError::Corrupt(database_message(&error)),
        _ => driver_error_of(&error),
    }
}

/// Converts an error from opening a database.
pub(super) fn open_error_of(path: &Path, error: Error) -> StoreError {
    let name = path.display();
    match error_code(&error) {
        Some(NO_DATABASE) => {
            StoreError::Unusable(format!("{name} is not a SQLite database: name another file or a new one"))
        }
        Some(CANNOT_OPEN | READ_ONLY) => StoreError::Unusable(format!(
            "{name} cannot be opened ({}): name a file that this user can read and write",
            database_message(&error)
        )),
        _ => store_error_of(error),
    }
}
