//! Waits for a database that another server has open.

use super::lock::find_holder;
use super::session::plain_options;
use super::{CONNECT_TIMEOUT, db_error, store_error_of};
use crate::open::DatabaseHolder;
use crate::sql::sql_store::within_deadline;
use crate::{StoreError, StoreUrl};
use sqlx::{ConnectOptions as _, PgConnection};
use std::time::Duration;
use tokio::time::sleep;

/// How often the holder of the lock is looked for.
const INTERVAL: Duration = Duration::from_millis(100);

/// Waits until no live server has the database open, as [`wait_for_database`](crate::wait_for_database) says.
pub(crate) async fn wait_for_postgres(
    url: &StoreUrl,
    max_silence: Duration,
    note_holder: &mut (dyn FnMut(&DatabaseHolder) -> Result<(), StoreError> + Send),
) -> Result<(), StoreError> {
    let options = plain_options(url)?;
    let connecting = async { options.connect().await.map_err(|error| db_error::open_error_of(url, error)) };
    let mut connection = within_deadline(CONNECT_TIMEOUT, connecting).await?;
    while let Some((pid, holder)) = within_deadline(CONNECT_TIMEOUT, describe_holder(&mut connection)).await?
    {
        note_holder(&holder)?;
        if let Some(silent_for) = holder.silent_for.filter(|&silent_for| silent_for > max_silence) {
            tracing::warn!(
                ?silent_for,
                host = holder.host,
                "the server that has the database open is silent: ending its session to take over"
            );
            end_session(&mut connection, pid).await?;
        }
        sleep(INTERVAL).await;
    }
    Ok(())
}

async fn describe_holder(connection: &mut PgConnection) -> Result<Option<(i32, DatabaseHolder)>, StoreError> {
    let Some(found) = find_holder(connection).await? else { return Ok(None) };
    let described = sqlx::query_scalar("SELECT holder FROM server").fetch_optional(connection).await;
    let description = match described {
        Ok(description) => description.unwrap_or_default(),
        // The holder has not created the tables yet.
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(super::journal::NO_TABLE) => {
            String::new()
        }
        Err(error) => return Err(store_error_of(error)),
    };
    Ok(Some((found.pid, DatabaseHolder { description, host: found.host, silent_for: found.silent_for })))
}

/// Ends a session. PostgreSQL releases its lock once it can commit nothing more.
async fn end_session(connection: &mut PgConnection, pid: i32) -> Result<(), StoreError> {
    let ending = sqlx::query("SELECT pg_terminate_backend($1)").bind(pid).execute(connection);
    ending.await.map(drop).map_err(|error| {
        StoreError::Unusable(format!("the session of a silent server cannot be ended: {error}"))
    })
}
