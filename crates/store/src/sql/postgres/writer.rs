//! The only connection that writes.

use super::commits::{Commits, ServerRow};
use super::journal::{Claim, begin_commit, commit_events, read_server_row, write_events};
use super::session::{apply_settings, check_own_session, read_timeline, shared_session_error};
use super::{lock, store_error_of};
use crate::boot_clock::time_since_boot;
use crate::sql::batch::WritePlan;
use crate::sql::journal::{Journal, JournalWrite};
use crate::sql::journal_loading::LoadedJournal;
use crate::{Change, StoreError};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgConnection, Postgres};
use std::sync::Arc;

/// Writes to the tables, and caches the state of unfinished matches. It holds the lock of the database. After a failure
/// it is dropped, and its successor reads that state again.
#[derive(Debug)]
pub(super) struct PostgresWriter {
    session: LockedSession,
    commits: Arc<Commits>,
    /// The number of the newest commit in the database.
    commit: i64,
    journal: Journal,
}

/// The session that has the lock of the database.
#[derive(Debug)]
pub(super) struct LockedSession {
    pub(super) connection: PgConnection,
    pub(super) pid: i32,
}

impl PostgresWriter {
    /// Reads the tables in a session that has the lock of the database.
    pub(super) async fn load(mut session: LockedSession, commits: Arc<Commits>) -> Result<Self, StoreError> {
        let asked_at = time_since_boot();
        let LockedSession { connection, pid } = &mut session;
        lock::set_writer_name(connection, commits.epoch()).await?;
        sqlx::query("BEGIN").execute(&mut *connection).await.map_err(store_error_of)?;
        let found = read_server_row(connection).await?;
        commits.check(found)?;
        let commit = found.map_or(0, |row| row.commit);
        let mut loaded = LoadedJournal::read::<Postgres>(connection).await?;
        let settled = JournalWrite { parts: std::mem::take(&mut loaded.parts), ..JournalWrite::default() };
        // This write only moves committed data to another table, so it gets no commit number.
        let claim = Claim { epoch: commits.epoch(), commit, pid: *pid };
        if !write_events(connection, &settled, claim).await? {
            return Err(refused_claim_error(connection, *pid, &commits).await);
        }
        loaded.remove_rows::<Postgres>(connection).await?;
        sqlx::query("COMMIT").execute(&mut *connection).await.map_err(store_error_of)?;
        commits.note_ownership(asked_at);
        Ok(Self { session, commits, commit, journal: loaded.journal })
    }

    /// Reconnects and takes the lock again, unless the database lost commits.
    pub(super) async fn reconnect(
        options: &PgConnectOptions,
        commits: &Commits,
    ) -> Result<LockedSession, StoreError> {
        let mut connection = options.connect().await.map_err(store_error_of)?;
        commits.check(read_server_row(&mut connection).await?)?;
        commits.check_timeline(read_timeline(&mut connection).await?)?;
        let pid = check_own_session(&mut connection, options).await?;
        apply_settings(&mut connection, &[]).await?;
        lock::retake_lock(&mut connection, commits.epoch()).await?;
        Ok(LockedSession { connection, pid })
    }

    /// Checks that the database still belongs to this server, has all its commits, and is locked by this session.
    pub(super) async fn check_ownership(&mut self) -> Result<(), StoreError> {
        let asked_at = time_since_boot();
        let LockedSession { connection, pid } = &mut self.session;
        let found = read_server_row(connection).await?;
        self.commits.check(found)?;
        let own = ServerRow { epoch: self.commits.epoch(), commit: self.commit };
        if found != Some(own) || !lock::has_lock(connection, *pid).await? {
            return Err(refused_claim_error(connection, *pid, &self.commits).await);
        }
        self.commits.note_ownership(asked_at);
        Ok(())
    }

    /// Replaces this server's description of itself, unless another server has taken over the database.
    pub(super) async fn set_holder_description(&mut self, holder: &str) -> Result<(), StoreError> {
        sqlx::query("UPDATE server SET holder = $1 WHERE epoch = $2")
            .bind(holder)
            .bind(self.commits.epoch())
            .execute(&mut self.session.connection)
            .await
            .map_err(store_error_of)?;
        Ok(())
    }

    /// Writes changes in one transaction.
    pub(super) async fn write(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        let asked_at = time_since_boot();
        let LockedSession { connection, pid } = &mut self.session;
        let plan = WritePlan::new::<Postgres>(connection, &mut self.journal, changes).await?;
        let claim = Claim { epoch: self.commits.epoch(), commit: self.commit + 1, pid: *pid };
        self.commits.note_try(claim.commit);
        // The epoch cannot change during the write, because raising it requires the lock, which this session holds.
        let is_own = if plan.has_only_events() {
            commit_events(connection, &plan.events, claim).await?
        } else {
            sqlx::query("BEGIN").execute(&mut *connection).await.map_err(store_error_of)?;
            let is_own = begin_commit(connection, claim).await?
                && write_events(connection, &plan.events, claim).await?;
            if is_own {
                plan.write_other_changes::<Postgres>(connection).await?;
                sqlx::query("COMMIT").execute(&mut *connection).await.map_err(store_error_of)?;
            }
            is_own
        };
        if !is_own {
            return Err(refused_claim_error(connection, *pid, &self.commits).await);
        }
        self.commit = claim.commit;
        self.commits.note_confirmed(claim.commit, changes);
        self.commits.note_ownership(asked_at);
        Ok(())
    }
}

/// Finds out why the database refused a claim of this server.
async fn refused_claim_error(connection: &mut PgConnection, pid: i32, commits: &Commits) -> StoreError {
    let checked = async {
        commits.check(read_server_row(connection).await?)?;
        if !lock::has_lock(connection, pid).await? {
            return Err(shared_session_error("the writing session does not hold the lock"));
        }
        Ok(())
    };
    // If nothing is wrong with the database, the next writer can go on after it has read the newest commit number
    // again.
    checked.await.err().unwrap_or_else(|| {
        StoreError::Unavailable(
            "the database's newest commit is not the one that this server expected".to_owned(),
        )
    })
}
