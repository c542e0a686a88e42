//! Sessions of PostgreSQL: their settings, and the check that each connection has its own.
//!
//! The lock of the database belongs to a session. A pooler that gives one session to several clients in turn also gives
//! them the lock and the settings of that session, so the server refuses to work with such a pooler.

use super::db_error::open_error_of;
use super::store_error_of;
use crate::{StoreError, StoreUrl};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, Row as _};

/// The settings of every session. With these settings, a peer that was lost silently is noticed within 30 seconds, so
/// that it does not keep a lock for longer.
const SETTINGS: [(&str, &str); 7] = [
    (SYNCHRONOUS_COMMIT, "on"),
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "25000"),
    ("idle_in_transaction_session_timeout", "30000"),
    ("lock_timeout", "5000"),
];
const SYNCHRONOUS_COMMIT: &str = "synchronous_commit";
/// A value of `synchronous_commit` that is safer than the one in [`SETTINGS`], so it is kept.
const REMOTE_APPLY: &str = "remote_apply";
/// The prefix of the names of TCP settings. PostgreSQL reports these settings as 0 on a local socket.
const TCP_SETTING_PREFIX: &str = "tcp_";
/// How many times to check that a connection has its own session.
const SESSION_CHECKS: usize = 3;

/// Creates the options of a connection. They contain no startup parameters, because poolers refuse or drop them.
pub(super) fn plain_options(url: &StoreUrl) -> Result<PgConnectOptions, StoreError> {
    let StoreUrl::Postgres(text) = url else {
        return Err(StoreError::Unusable(format!("{url} is not a PostgreSQL database")));
    };
    let options: PgConnectOptions = text.parse().map_err(|error| open_error_of(url, error))?;
    Ok(options.extra_float_digits(None).disable_statement_logging())
}

/// Checks that a connection has its own session. The check runs several transactions, some of them while another
/// connection has a transaction open. Returns the process id of the session.
///
/// # Errors
/// [`StoreError::Unusable`] if a pooler also gives the session to other connections.
pub(super) async fn check_own_session(
    connection: &mut PgConnection,
    options: &PgConnectOptions,
) -> Result<i32, StoreError> {
    let own = backend_pid(connection).await?;
    let mut probe = options.connect().await.map_err(store_error_of)?;
    for _ in 0..SESSION_CHECKS {
        // A pooler in statement mode refuses transactions.
        let begun = sqlx::raw_sql("BEGIN").execute(&mut probe).await;
        begun.map_err(|error| match error {
            sqlx::Error::Database(told) => shared_session_error(told.message()),
            other => store_error_of(other),
        })?;
        let other = backend_pid(&mut probe).await?;
        let during = backend_pid(connection).await?;
        sqlx::raw_sql("ROLLBACK").execute(&mut probe).await.map_err(store_error_of)?;
        // This runs twice, because a pooler may alternate between two sessions.
        let after = [backend_pid(connection).await?, backend_pid(connection).await?];
        if other == own {
            return Err(shared_session_error("two connections share one session"));
        }
        if [during, after[0], after[1]] != [own; 3] {
            return Err(shared_session_error("the session changes from one transaction to the next"));
        }
    }
    // The probe is no longer needed, so a failure to close it does not matter.
    let _ = probe.close().await;
    Ok(own)
}

/// Returns the error for a connection that does not have its own session.
pub(super) fn shared_session_error(why: &str) -> StoreError {
    StoreError::Unusable(format!(
        "{why}: there is a connection pooler in transaction or statement mode, so one database could have two servers; connect to PostgreSQL directly, or set the pooler to session mode (PgBouncer: pool_mode = session)"
    ))
}

async fn backend_pid(connection: &mut PgConnection) -> Result<i32, StoreError> {
    // The statement is not prepared, because a pooler may send the next statement to another session.
    let row = sqlx::raw_sql("SELECT pg_backend_pid()").fetch_one(connection).await;
    row.and_then(|row| row.try_get(0)).map_err(store_error_of)
}

/// Applies the [`SETTINGS`] of every session and the settings in `more`, and checks in another transaction that all of
/// them are in force.
///
/// # Errors
/// [`StoreError::Unusable`] if they are not.
pub(super) async fn apply_settings(
    connection: &mut PgConnection,
    more: &[(&str, &str)],
) -> Result<(), StoreError> {
    let (names, values): (Vec<&str>, Vec<&str>) = SETTINGS.iter().chain(more).copied().unzip();
    sqlx::query(
        "SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS wanted (name, value)
        WHERE NOT (name = $3 AND current_setting(name) = $4)",
    )
    .bind(&names)
    .bind(&values)
    .bind(SYNCHRONOUS_COMMIT)
    .bind(REMOTE_APPLY)
    .execute(&mut *connection)
    .await
    .map_err(store_error_of)?;
    let server_settings: Vec<(String, String)> =
        sqlx::query_as("SELECT name, setting FROM pg_settings WHERE name = ANY ($1)")
            .bind(&names)
            .fetch_all(connection)
            .await
            .map_err(store_error_of)?;
    for (&name, &wanted) in
        names.iter().zip(&values).filter(|(name, _)| !name.starts_with(TCP_SETTING_PREFIX))
    {
        let found = server_settings.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value);
        let is_stronger = name == SYNCHRONOUS_COMMIT && found == REMOTE_APPLY;
        if found != wanted && !is_stronger {
            return Err(StoreError::Unusable(format!(
                "the session does not keep its settings: {name} is {found:?} instead of {wanted:?}; connect to PostgreSQL directly if this goes through a connection pooler"
            )));
        }
    }
    Ok(())
}

/// Returns the timeline to which PostgreSQL writes, which is part of the name of its newest write-ahead log file.
/// Returns `None` for a replica, or if this user may not read that name. Every user may read it by default.
pub(super) async fn read_timeline(connection: &mut PgConnection) -> Result<Option<u32>, StoreError> {
    let name: Result<Option<String>, _> = sqlx::query_scalar(
        "SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_lsn()) END",
    )
    .fetch_one(connection)
    .await;
    match name {
        Ok(name) => Ok(name.and_then(|name| u32::from_str_radix(name.get(..8)?, 16).ok())),
        Err(sqlx::Error::Database(error)) => {
            tracing::debug!(%error, "PostgreSQL does not report its timeline: only commit numbers are compared");
            Ok(None)
        }
        Err(error) => Err(store_error_of(error)),
    }
}
