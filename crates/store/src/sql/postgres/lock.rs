//! Ensures that only one server uses a database.
//!
//! The writing session holds an advisory lock. PostgreSQL releases it once the session has ended and can commit nothing
//! more, so the holder of the lock is the only writer.

use super::session::shared_session_error;
use super::store_error_of;
use crate::{StoreError, StoreUrl};
use sqlx::PgConnection;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The two keys of the advisory lock. The first is "lnim".
const LOCK: (i32, i32) = (0x6c6e_696d, 1);
/// How long to wait for the lock, because the session of a killed server may still hold it for a while.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// The pause before the next attempt to take the lock.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Takes the lock for a starting server.
pub(super) async fn take_lock(
    connection: &mut PgConnection,
    pid: i32,
    url: &StoreUrl,
) -> Result<(), StoreError> {
    // This is checked first, because PostgreSQL grants the lock again to a session that already has it.
    if has_lock(connection, pid).await? {
        return Err(shared_session_error("a new connection already has another server's lock"));
    }
    if wait_for_lock(connection).await? {
        return Ok(());
    }
    let holder = find_holder(connection).await?;
    let holder = holder.map_or_else(String::new, |LockHolder { pid, host, .. }| {
        format!(", connected from {host} (session {pid}),")
    });
    Err(StoreError::Taken(format!("a server{holder} has {url} open; stop it, or name another database")))
}

/// The session that has the lock.
#[derive(Debug)]
pub(super) struct LockHolder {
    pub(super) pid: i32,
    /// The address from which the session is connected.
    pub(super) host: String,
    /// The last activity of the session. `None` if this user has no right to see it.
    pub(super) activity: Option<SessionActivity>,
}

/// The last activity of a session.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SessionActivity {
    /// Whether a statement is running. It can take a long time: a commit may wait for a disk or a replica.
    pub(super) is_busy: bool,
    /// When its last statement began or ended, by the database's clock.
    changed_at: String,
}

/// Finds the session that has the lock.
pub(super) async fn find_holder(connection: &mut PgConnection) -> Result<Option<LockHolder>, StoreError> {
    let found: Option<(i32, String, Option<bool>, Option<String>)> = sqlx::query_as(
        "SELECT pid, coalesce(host(client_addr), 'this machine'), state = 'active', state_change::text
        FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND granted AND classid::bigint = $1 AND objid::bigint = $2
            AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    )
    .bind(i64::from(LOCK.0))
    .bind(i64::from(LOCK.1))
    .fetch_optional(connection)
    .await
    .map_err(store_error_of)?;
    Ok(found.map(|(pid, host, is_busy, changed_at)| {
        let activity = is_busy.zip(changed_at);
        let activity = activity.map(|(is_busy, changed_at)| SessionActivity { is_busy, changed_at });
        LockHolder { pid, host, activity }
    }))
}

/// Takes the lock again for a server that lost its session.
pub(super) async fn retake_lock(connection: &mut PgConnection, epoch: i64) -> Result<(), StoreError> {
    // After a network failure the lost session may still hold the lock.
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
        Err(StoreError::Unavailable("another session holds the database's lock".to_owned()))
    }
}

/// Returns whether the session of a connection is still the one with process id `pid` and has the lock.
pub(super) async fn has_lock(connection: &mut PgConnection, pid: i32) -> Result<bool, StoreError> {
    sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM pg_locks
        WHERE locktype = 'advisory' AND granted AND classid::bigint = $1 AND objid::bigint = $2 AND objsubid = 2
            AND pid = pg_backend_pid() AND pid = $3
            AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database()))",
    )
    .bind(i64::from(LOCK.0))
    .bind(i64::from(LOCK.1))
    .bind(pid)
    .fetch_one(connection)
    .await
    .map_err(store_error_of)
}

/// Names the session of the writer so that [`retake_lock`] can find it.
pub(super) async fn set_writer_name(connection: &mut PgConnection, epoch: i64) -> Result<(), StoreError> {
    set_session_name(connection, &session_name(epoch)).await
}

/// Names a session in the list of the database's sessions. PostgreSQL keeps the first 63 bytes.
pub(super) async fn set_session_name(connection: &mut PgConnection, name: &str) -> Result<(), StoreError> {
    sqlx::query("SELECT set_config('application_name', $1, false)")
        .bind(name)
        .execute(connection)
        .await
        .map_err(store_error_of)?;
    Ok(())
}

fn session_name(epoch: i64) -> String {
    format!("lastnim writer {epoch}")
}

async fn wait_for_lock(connection: &mut PgConnection) -> Result<bool, StoreError> {
    let until = Instant::now() + LOCK_TIMEOUT;
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
        sleep(RETRY_INTERVAL).await;
    }
}
