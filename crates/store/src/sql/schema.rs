//! The tables of a database: whether they are there, and of which version.

use super::dialect::Dialect;
use crate::StoreError;
use std::fmt::Display;

/// The version of the tables, as `schema.sql` in the folder of each database makes them. Another one is not read.
pub(super) const SCHEMA_VERSION: i64 = 1;

/// Fails unless tables are of the version that this program reads.
pub(super) fn check_version(found: i64) -> Result<(), StoreError> {
    if found == SCHEMA_VERSION {
        return Ok(());
    }
    Err(StoreError::OtherVersion { found, wanted: SCHEMA_VERSION })
}

/// Fails unless there are tables of the version that this program reads: whoever only reads makes none.
pub(super) fn check_readable(found: Option<i64>) -> Result<(), StoreError> {
    let no_tables = "it has no tables yet: start `lastnim serve` on it once, which makes them";
    check_version(found.ok_or_else(|| StoreError::Unusable(no_tables.to_owned()))?)
}

/// Reads the version from a row of `server`, if that is a table of lastnim.
pub(super) fn read_version<D: Dialect>(
    row: Result<Option<i64>, sqlx::Error>,
    database: impl Display,
    open_error: impl FnOnce(sqlx::Error) -> StoreError,
) -> Result<i64, StoreError> {
    match row {
        Ok(Some(version)) => Ok(version),
        Err(error) if !D::is_foreign_schema(&error) => Err(open_error(error)),
        _ => Err(foreign_tables_error(database)),
    }
}

/// Says that a database is not lastnim's.
pub(super) fn foreign_tables_error(database: impl Display) -> StoreError {
    StoreError::Unusable(format!(
        "{database} holds the tables of another program: name another database, or a new one"
    ))
}
