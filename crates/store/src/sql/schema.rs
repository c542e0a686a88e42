//! Checks the tables of a database and their version.

use super::dialect::Dialect;
use crate::StoreError;
use std::fmt::Display;

/// The version of the tables that each database's `schema.sql` creates. This program reads no other version.
pub(super) const SCHEMA_VERSION: i64 = 8;

/// Fails if the tables have another version.
pub(super) fn check_version(found: i64) -> Result<(), StoreError> {
    if found == SCHEMA_VERSION {
        return Ok(());
    }
    Err(StoreError::OtherVersion { found, wanted: SCHEMA_VERSION })
}

/// Fails if the tables are missing or have another version; a reader cannot create them.
pub(super) fn check_readable(found: Option<i64>) -> Result<(), StoreError> {
    let no_tables = "the database has no tables yet: start `lastnim serve` on it once to create them";
    check_version(found.ok_or_else(|| StoreError::Unusable(no_tables.to_owned()))?)
}

/// Reads the version from the table `server`. Fails if this is not lastnim's table.
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

/// Returns the error for a database that belongs to another program.
pub(super) fn foreign_tables_error(database: impl Display) -> StoreError {
    StoreError::Unusable(format!(
        "{database} has tables of another program: name a different or a new database"
    ))
}
