//! Waits for a database that another server has open.

use super::lock::{LockHolder, find_holder, set_session_name};
use super::session::plain_options;
use super::{CONNECT_TIMEOUT, db_error, schema, store_error_of};
use crate::boot_clock::time_since_boot;
use crate::open::DatabaseHolder;
use crate::sql::schema::check_version;
use crate::sql::sql_store::within_deadline;
use crate::{StoreError, StoreUrl};
use sqlx::{ConnectOptions as _, PgConnection};
use std::time::Duration;
use tokio::time::sleep;

/// How often this server looks for the holder of the lock.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// PostgreSQL's error code for a missing privilege.
const INSUFFICIENT_PRIVILEGE: &str = "42501";
/// The beginning of the names of sessions in which servers wait. The name of the server follows.
const SESSION_PREFIX: &str = "lastnim standby ";

/// The holder of the lock, as seen over time.
#[derive(Debug)]
struct WatchedHolder {
    newest: LockHolder,
    /// When `newest` was first seen, as the time since the machine started.
    seen_at: Duration,
    /// Whether this server has tried to end the holder's session.
    is_ended: bool,
}

impl WatchedHolder {
    fn new(newest: LockHolder) -> Self {
        Self { newest, seen_at: time_since_boot(), is_ended: false }
    }

    fn update(&mut self, found: LockHolder) {
        let is_same = found.pid == self.newest.pid && found.activity == self.newest.activity;
        // A session whose statement takes long is not silent.
        if !is_same || found.activity.as_ref().is_some_and(|activity| activity.is_busy) {
            *self = Self { is_ended: self.is_ended && found.pid == self.newest.pid, ..Self::new(found) };
        }
    }

    /// Returns for how long the holder has sent no query, by the clock of this server.
    fn silent_for(&self) -> Option<Duration> {
        self.newest.activity.as_ref().map(|_| time_since_boot().saturating_sub(self.seen_at))
    }
}

/// Waits until no live server has the database open, as [`wait_for_database`](crate::wait_for_database) says.
pub(crate) async fn wait_for_postgres(
    url: &StoreUrl,
    own_name: &str,
    max_silence: Duration,
    note_holder: &mut (dyn FnMut(&DatabaseHolder) -> Result<(), StoreError> + Send),
) -> Result<u64, StoreError> {
    let options = plain_options(url)?;
    let connecting = async { options.connect().await.map_err(|error| db_error::open_error_of(url, error)) };
    let mut connection = within_deadline(CONNECT_TIMEOUT, connecting).await?;
    let name = format!("{SESSION_PREFIX}{own_name}");
    within_deadline(CONNECT_TIMEOUT, set_session_name(&mut connection, &name)).await?;
    let mut watched: Option<WatchedHolder> = None;
    while let Some(found) = within_deadline(CONNECT_TIMEOUT, find_holder(&mut connection)).await? {
        let holder = match &mut watched {
            Some(watched) => {
                watched.update(found);
                watched
            }
            none => none.insert(WatchedHolder::new(found)),
        };
        let (description, commit) = within_deadline(CONNECT_TIMEOUT, read_row(&mut connection, url)).await?;
        let (host, silent_for) = (holder.newest.host.clone(), holder.silent_for());
        note_holder(&DatabaseHolder { description, host, silent_for, commit })?;
        if silent_for.is_some_and(|silent_for| silent_for > max_silence) && !holder.is_ended {
            holder.is_ended = true;
            tracing::warn!(
                ?silent_for,
                host = holder.newest.host,
                "the server that has the database open is silent: ending its session to take over"
            );
            within_deadline(CONNECT_TIMEOUT, end_session(&mut connection, holder.newest.pid)).await?;
        }
        sleep(POLL_INTERVAL).await;
    }
    let (_, commit) = within_deadline(CONNECT_TIMEOUT, read_row(&mut connection, url)).await?;
    Ok(commit)
}

/// Returns the names of the servers that wait for the database.
pub(super) async fn find_waiting_servers(connection: &mut PgConnection) -> Result<Vec<String>, StoreError> {
    sqlx::query_scalar(
        "SELECT substr(application_name, length($1) + 1) FROM pg_stat_activity
        WHERE starts_with(application_name, $1) AND datname = current_database() ORDER BY application_name",
    )
    .bind(SESSION_PREFIX)
    .fetch_all(connection)
    .await
    .map_err(store_error_of)
}

/// Reads how the newest owner of the database describes itself, and the number of the newest commit; empty and 0 if nobody
/// has created the tables yet.
async fn read_row(connection: &mut PgConnection, url: &StoreUrl) -> Result<(String, u64), StoreError> {
    let Some(version) = schema::table_version(connection, url).await? else { return Ok(Default::default()) };
    check_version(version)?;
    let reading = sqlx::query_as("SELECT holder, commit_number FROM server").fetch_optional(connection);
    let row: Option<(String, i64)> = reading.await.map_err(store_error_of)?;
    Ok(row.map(|(holder, commit)| (holder, commit.unsigned_abs())).unwrap_or_default())
}

/// Ends a session. PostgreSQL releases its lock once it can commit nothing more. Without the right to do so, this only
/// logs a warning.
async fn end_session(connection: &mut PgConnection, pid: i32) -> Result<(), StoreError> {
    match sqlx::query("SELECT pg_terminate_backend($1)").bind(pid).execute(connection).await {
        Ok(_) => Ok(()),
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(INSUFFICIENT_PRIVILEGE) => {
            tracing::error!(%error, "this database user cannot end the session of the silent server: use that server's database user, or grant pg_signal_backend");
            Ok(())
        }
        Err(error) => Err(store_error_of(error)),
    }
}
