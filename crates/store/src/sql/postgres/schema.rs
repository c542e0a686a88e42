//! The tables of a database: whose they are, and of which version.

use super::db_error::{is_foreign_schema_error, open_error_of};
use super::store_error_of;
use crate::sql::migrations::{self, KNOWN, missing_migrations};
use crate::{StoreError, StoreUrl};
use sqlx::PgConnection;

/// Brings the tables up to date and takes the database for this server, which has its lock. Returns the server's epoch.
pub(super) async fn migrate_and_claim(
    connection: &mut PgConnection,
    url: &StoreUrl,
) -> Result<i64, StoreError> {
    let found = table_version(connection, url).await?;
    let missing = missing_migrations(migrations::POSTGRES, found)?;
    sqlx::query("BEGIN").execute(&mut *connection).await.map_err(store_error_of)?;
    for migration in missing {
        let made = sqlx::raw_sql(*migration).execute(&mut *connection).await;
        made.map_err(|error| match open_error_of(url, error) {
            StoreError::Unusable(why) => StoreError::Unusable(format!("the tables cannot be made: {why}")),
            other => other,
        })?;
    }
    let epoch = sqlx::query_scalar(
        "INSERT INTO server (id, schema_version, epoch) VALUES (1, $1, 1)
        ON CONFLICT (id) DO UPDATE SET schema_version = excluded.schema_version, epoch = server.epoch + 1
        RETURNING epoch",
    )
    .bind(i64::from(KNOWN))
    .fetch_one(&mut *connection)
    .await
    .map_err(|error| open_error_of(url, error))?;
    sqlx::query("COMMIT").execute(&mut *connection).await.map_err(store_error_of)?;
    Ok(epoch)
}

/// Returns the version of the tables, without touching anything.
pub(super) async fn table_version(connection: &mut PgConnection, url: &StoreUrl) -> Result<i64, StoreError> {
    let is_there: bool = sqlx::query_scalar("SELECT to_regclass('server') IS NOT NULL")
        .fetch_one(&mut *connection)
        .await
        .map_err(|error| open_error_of(url, error))?;
    if !is_there {
        return Ok(0);
    }
    let others =
        || StoreError::Unusable(format!("{url} holds the tables of another program: name another database"));
    let version = sqlx::query_scalar("SELECT schema_version FROM server").fetch_optional(connection).await;
    match version {
        Ok(Some(version)) => Ok(version),
        Ok(None) => Err(others()),
        Err(error) if is_foreign_schema_error(&error) => Err(others()),
        Err(error) => Err(open_error_of(url, error)),
    }
}
