//! Creates the tables, reads their version, and claims them for this server.

use super::commits::ServerRow;
use super::db_error::open_error_of;
use super::store_error_of;
use crate::sql::schema::{SCHEMA_VERSION, check_version, read_version};
use crate::{StoreError, StoreUrl};
use sqlx::{PgConnection, Postgres};

/// Creates the tables if they are missing, and claims the database for this server, which holds its lock and describes
/// itself as `holder`. Returns the server's epoch and the newest commit number.
///
/// The epoch is raised by a random number, so that no other server gets the same epoch, even if it opens a replica that
/// lacks this transaction.
pub(super) async fn create_and_claim_schema(
    connection: &mut PgConnection,
    url: &StoreUrl,
    holder: &str,
) -> Result<ServerRow, StoreError> {
    let found = table_version(connection, url).await?;
    found.map_or(Ok(()), check_version)?;
    sqlx::query("BEGIN").execute(&mut *connection).await.map_err(store_error_of)?;
    if found.is_none() {
        let made = sqlx::raw_sql(include_str!("schema.sql")).execute(&mut *connection).await;
        made.map_err(|error| match open_error_of(url, error) {
            StoreError::Unusable(why) => {
                StoreError::Unusable(format!("the tables cannot be created, so {why}"))
            }
            other => other,
        })?;
    }
    let (epoch, commit) = sqlx::query_as(
        "INSERT INTO server (id, schema_version, epoch, holder) VALUES (1, $1, 1 + floor(random() * 1048576), $2)
        ON CONFLICT (id) DO UPDATE SET epoch = server.epoch + excluded.epoch, holder = excluded.holder
        RETURNING epoch, commit_number",
    )
    .bind(SCHEMA_VERSION)
    .bind(holder)
    .fetch_one(&mut *connection)
    .await
    .map_err(|error| open_error_of(url, error))?;
    sqlx::query("COMMIT").execute(&mut *connection).await.map_err(store_error_of)?;
    Ok(ServerRow { epoch, commit })
}

/// Returns the version of the tables, if they exist. Changes nothing.
pub(super) async fn table_version(
    connection: &mut PgConnection,
    url: &StoreUrl,
) -> Result<Option<i64>, StoreError> {
    let open_error = |error| open_error_of(url, error);
    let is_there: bool = sqlx::query_scalar("SELECT to_regclass('server') IS NOT NULL")
        .fetch_one(&mut *connection)
        .await
        .map_err(open_error)?;
    if !is_there {
        return Ok(None);
    }
    let version = sqlx::query_scalar("SELECT schema_version FROM server").fetch_optional(connection).await;
    read_version::<Postgres>(version, url, open_error).map(Some)
}
