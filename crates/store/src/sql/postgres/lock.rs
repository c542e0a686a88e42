//! One server, one database.
//!
//! The session that writes holds an advisory lock. PostgreSQL lets go of it when the session has ended and nothing of it
//! can be committed any more: who has the lock writes alone.

use super::store_error_of;
use crate::{StoreError, StoreUrl};
use sqlx::PgConnection;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The two numbers of the lock. The first is "lnim".
const LOCK: (i32, i32) = (0x6c6e_696d, 1);
/// How long the session of a server that was killed may take to end.
const GRACE: Duration = Duration::from_secs(5);
/// The pause before the lock is tried again.
const PAUSE: Duration = Duration::from_millis(100);

/// Takes the database for a server that starts.
pub(super) async fn take_lock(connection: &mut PgConnection, url: &StoreUrl) -> Result<(), StoreError> {
    if wait_for_lock(connection).await? {
        return Ok(());
    }
    let holder: Option<(i32, String)> = sqlx::query_as(
        "SELECT pid, coalesce(host(client_addr), 'this machine') FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND granted AND classid::bigint = $1 AND objid::bigint = $2
            AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    )
    .bind(i64::from(LOCK.0))
    .bind(i64::from(LOCK.1))
    .fetch_optional(connection)
    .await
    .map_err(store_error_of)?;
    let holder =
        holder.map_or_else(String::new, |(pid, from)| format!(", connected from {from} (session {pid})"));
    Err(StoreError::Taken(format!("a server{holder} has {url} open; stop it, or name another database")))
}

/// Takes the database again for a server whose session was lost.
pub(super) async fn retake_lock(connection: &mut PgConnection, epoch: i64) -> Result<(), StoreError> {
    // Where the network is to blame the lost session may live on, and hold the lock.
    sqlx::query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = $1 AND datname = current_database() AND pid <> pg_backend_pid()",
    )
    .bind(session_name(epoch))
    .execute(&mut *connection)
    .await
    .map_err(store_error_of)?;
    if wait_for_lock(connection).await? {
        Ok(())
    } else {
        Err(StoreError::Unavailable("another session holds the lock of this server".to_owned()))
    }
}

/// Gives a session the name by which [`retake`] finds it.
pub(super) async fn set_session_name(connection: &mut PgConnection, epoch: i64) -> Result<(), StoreError> {
    sqlx::query("SELECT set_config('application_name', $1, false)")
        .bind(session_name(epoch))
        .execute(connection)
        .await
        .map_err(store_error_of)?;
    Ok(())
}

fn session_name(epoch: i64) -> String {
    format!("lastnim writer {epoch}")
}

async fn wait_for_lock(connection: &mut PgConnection) -> Result<bool, StoreError> {
    let until = Instant::now() + GRACE;
    loop {
        let taken: bool = sqlx::query_scalar("SELECT pg_try_advisory_lock($1, $2)")
            .bind(LOCK.0)
            .bind(LOCK.1)
            .fetch_one(&mut *connection)
            .await
            .map_err(store_error_of)?;
        if taken || Instant::now() > until {
            return Ok(taken);
        }
        sleep(PAUSE).await;
    }
}
