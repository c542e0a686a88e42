//! The state of the live server, and the handle to it.

use crate::accounts::accounts::Accounts;
use crate::accounts::keyring::Principal;
use crate::durability::Durability;
use crate::environment::Environment;
use crate::error::ArenaError;
use crate::hand_over::HandOverRequests;
use crate::ids::IdGenerator;
use crate::limits::Limits;
use crate::matches::match_table::MatchTable;
use crate::matches::shard::{MatchContext, MatchTerms, Shards};
use crate::recovery::open_records::OpenRecords;
use crate::recovery::return_grace::ReturnGrace;
use crate::requests::RequestTable;
use crate::retention::clock_check::StartClock;
use crate::revision::LiveChanges;
use crate::sessions::roster::Roster;
use crate::tournaments::cross_table_queue::CrossTableQueue;
use crate::tournaments::ended_tournaments::EndedTournaments;
use crate::tournaments::tournament_table::TournamentTable;
use crate::wall_clock::WallClock;
use futures_core::future::BoxFuture;
use lastnim_core::referee::{PublicKey, SigningKey, Timestamp};
use lastnim_store::{
    Change, CommitCounts, GroupCommit, MemoryStore, RetentionLimits, Store, StoreError, Token, TokenHash,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long the store stays open for unfinished tasks after everything else has stopped.
const TASK_STOP_TIMEOUT: Duration = Duration::from_secs(1);
/// The maximum number of missed match ends that are read from the store at the same time.
const MAX_ENDS_READ_AT_ONCE: usize = 2;

/// The store, key and environment of an arena.
#[derive(Debug)]
pub struct Backend {
    /// The store.
    pub store: Arc<dyn Store>,
    /// When matches become durable; ignored if the store is not durable.
    pub durability: Durability,
    /// Signs the records of finished matches.
    pub key: SigningKey,
    /// The source of the time and of random bytes.
    pub environment: Environment,
}

impl Backend {
    /// Creates an in-memory backend with a new key, for short-lived servers.
    pub fn in_memory() -> Self {
        Self {
            store: Arc::new(MemoryStore::new(RetentionLimits::default())),
            durability: Durability::default(),
            key: generate_key(),
            environment: Environment::default(),
        }
    }
}

/// Generates a signing key.
pub fn generate_key() -> SigningKey {
    let mut seed = [0; SigningKey::SEED_BYTES];
    getrandom::fill(&mut seed).expect("the system has a random source");
    SigningKey::from_seed(&seed)
}

/// The live server without its network: bots, sessions, matches and tournaments. It is cheap to clone.
#[derive(Debug, Clone)]
pub struct Arena {
    pub(crate) inner: Arc<ArenaInner>,
}

/// The state that all clones of an arena share.
#[derive(Debug)]
pub(crate) struct ArenaInner {
    pub(crate) limits: Arc<Limits>,
    pub(crate) clock: WallClock,
    pub(crate) start_clock: StartClock,
    pub(crate) ids: IdGenerator,
    pub(crate) environment: Environment,
    pub(crate) accounts: Accounts,
    pub(crate) requests: RequestTable,
    pub(crate) roster: Arc<Roster>,
    /// The store, for reading only. Writes go through the context.
    pub(crate) store: Arc<dyn Store>,
    pub(crate) context: Arc<MatchContext>,
    pub(crate) shards: Shards,
    pub(crate) matches: MatchTable,
    pub(crate) tournaments: TournamentTable,
    pub(crate) return_grace: ReturnGrace,
    /// Limits how many tournaments are rated at the same time.
    pub(crate) rating: Arc<Semaphore>,
    /// The cross-tables that callers are waiting for.
    pub(crate) cross_tables: CrossTableQueue,
    /// A cache of finished tournaments.
    pub(crate) ended_tournaments: EndedTournaments,
    /// Counts the changes to the live state that are not written to the store.
    pub(crate) live_changes: LiveChanges,
    /// Limits how many missed match ends are read at the same time.
    pub(crate) missed_end_permits: Arc<Semaphore>,
    /// Locks the data of finished matches while records are removed, or transcripts are published or removed.
    pub(crate) record_lock: Arc<Mutex<()>>,
    pub(crate) hand_over: HandOverRequests,
    /// Cancelled when the arena stops: once no match is open, or the time for finishing matches is over.
    pub(crate) stopped: CancellationToken,
    /// The background tasks that may write to the store. The store is closed after they have ended.
    pub(crate) tasks: TaskTracker,
}

/// Proof that the caller holds the lock that the called function requires.
pub(crate) type HeldLock = OwnedMutexGuard<()>;

impl Arena {
    /// Opens an arena, and resumes the matches and tournaments in the store. The tokens passed here are valid in
    /// addition to those of registered bots.
    ///
    /// # Errors
    /// If the store cannot be read, or is damaged.
    pub fn open(
        limits: Limits,
        backend: Backend,
        tokens: impl IntoIterator<Item = (Token, Principal)>,
    ) -> BoxFuture<'static, Result<Self, ArenaError>> {
        Self::open_with(limits, backend, Accounts::new(tokens))
    }

    fn open_with(
        limits: Limits,
        backend: Backend,
        accounts: Accounts,
    ) -> BoxFuture<'static, Result<Self, ArenaError>> {
        Box::pin(async move {
            let Backend { store, durability, key, environment } = backend;
            let open = OpenRecords::read(store.as_ref()).await?;
            let clock = WallClock::start(environment.date(), limits.stall_threshold);
            let newest = store.newest_ids().await?;
            let requests = RequestTable::read(store.as_ref()).await?;
            let start_clock = StartClock::check(store.as_ref(), clock.now()).await?;
            let durability = if store.is_durable() { durability } else { Durability::Match };
            let terms = MatchTerms {
                key,
                durability,
                return_grace: limits.return_grace,
                unread_per_seat: limits.unread_per_seat,
            };
            let commits = GroupCommit::start(Arc::clone(&store));
            let context = MatchContext { clock: clock.clone(), commits, terms };
            let context = Arc::new(context);
            let shards = Shards::start(tokio::runtime::Handle::current().metrics().num_workers(), &context);
            let roster = Roster::new(limits.missed_ends);
            let inner = ArenaInner {
                limits: Arc::new(limits),
                ids: IdGenerator::new(clock.clone(), environment.clone(), newest),
                environment,
                clock,
                start_clock,
                accounts,
                requests,
                roster: Arc::new(roster),
                store,
                context,
                shards,
                matches: MatchTable::default(),
                tournaments: TournamentTable::default(),
                return_grace: ReturnGrace::default(),
                rating: Arc::new(Semaphore::new(1)),
                cross_tables: CrossTableQueue::default(),
                ended_tournaments: EndedTournaments::default(),
                live_changes: LiveChanges::default(),
                missed_end_permits: Arc::new(Semaphore::new(MAX_ENDS_READ_AT_ONCE)),
                record_lock: Arc::default(),
                hand_over: HandOverRequests::default(),
                stopped: CancellationToken::new(),
                tasks: TaskTracker::new(),
            };
            let arena = Self { inner: Arc::new(inner) };
            arena.recover(open).await?;
            Ok(arena)
        })
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// Returns the environment.
    pub fn environment(&self) -> &Environment {
        &self.inner.environment
    }

    /// Returns the limits.
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// Returns the holder of a token.
    pub fn principal_of_token(&self, token: &str) -> Option<Principal> {
        self.inner.accounts.principal_of_hash(TokenHash::of_token(token))
    }

    /// Returns the public key for verifying records.
    pub fn public_key(&self) -> PublicKey {
        self.inner.context.terms.key.public_key()
    }

    /// Derives a secret from the server's signing key. `context` names its purpose.
    pub fn derive_secret(&self, context: &'static str) -> [u8; 32] {
        self.inner.context.terms.key.derive_secret(context)
    }

    /// Returns the counts of commits to the store.
    pub fn commit_counts(&self) -> CommitCounts {
        self.inner.context.commits.commit_counts()
    }

    /// Closes the store. This is called after everything else has stopped, and first waits for running tasks to end,
    /// because a later write would open the database again.
    pub async fn close_store(&self) {
        self.inner.tasks.close();
        if timeout(TASK_STOP_TIMEOUT, self.inner.tasks.wait()).await.is_err() {
            tracing::warn!(tasks = self.inner.tasks.len(), "closing the store while tasks are still running");
        }
        // An error is ignored: the store then keeps the time that was last written to it.
        let _ = timeout(TASK_STOP_TIMEOUT, self.note_time()).await;
        self.inner.store.close().await;
    }

    /// Returns how long ago the database last confirmed that it belongs to this server; see
    /// [`Store::time_since_confirmed`](lastnim_store::Store::time_since_confirmed). `None` if no other server can take
    /// the database over.
    pub fn time_since_store_confirmed(&self) -> Option<Duration> {
        self.inner.store.time_since_confirmed()
    }

    /// Waits until the store can be used.
    pub async fn wait_until_store_usable(&self) {
        self.inner.context.commits.wait_until_usable().await;
    }

    /// Waits until the store cannot be used, and returns why.
    pub async fn wait_until_store_failed(&self) -> StoreError {
        self.inner.context.commits.wait_until_failed().await
    }

    /// Waits until the store is permanently lost, and returns why: another server has taken it over, it is damaged, or
    /// its writer has broken down.
    pub async fn wait_until_store_lost(&self) -> StoreError {
        self.inner.context.commits.wait_until_lost().await
    }

    /// Runs a change under a lock. The change runs to its end even if the caller stops waiting, so that the store and
    /// the live state change together. If the store fails while the caller waits for the lock, the request is rejected
    /// and nothing is done.
    ///
    /// Both futures are boxed, since each crate that awaits an `async` function compiles it again.
    pub(crate) fn run_locked<T, A>(
        &self,
        lock: &Arc<Mutex<()>>,
        act: impl FnOnce(Self, HeldLock) -> A + Send + 'static,
    ) -> BoxFuture<'static, Result<T, ArenaError>>
    where
        T: Send + 'static,
        A: Future<Output = Result<T, ArenaError>> + Send + 'static,
    {
        let (arena, lock) = (self.clone(), Arc::clone(lock));
        Box::pin(async move {
            arena.check_store()?;
            let held = tokio::select! {
                biased;
                held = lock.lock_owned() => held,
                error = arena.wait_until_store_failed() => return Err(error.into()),
            };
            arena.check_store()?;
            let change: BoxFuture<'static, _> = Box::pin(act(arena.clone(), held));
            tokio::select! {
                biased;
                done = arena.inner.tasks.spawn(change) => match done {
                    Ok(done) => done,
                    Err(broken) if broken.is_panic() => std::panic::resume_unwind(broken.into_panic()),
                    Err(_) => Err(ArenaError::Stopping),
                },
                error = arena.wait_until_store_failed() => Err(ArenaError::Delayed(error)),
            }
        })
    }

    /// Takes the lock on bot names, for a change that already holds the lock of a tournament.
    pub(crate) async fn lock_names(&self) -> HeldLock {
        Arc::clone(self.inner.accounts.names()).lock_owned().await
    }

    /// Fails while the store cannot be used. Call this before taking a lock or reading data for a write, because a
    /// database that does not answer may take seconds to fail.
    pub(crate) fn check_store(&self) -> Result<(), ArenaError> {
        Ok(self.inner.context.commits.check_usable()?)
    }

    /// Commits changes, and returns once they are stored. Fails at once while the store cannot be used.
    pub(crate) async fn commit(&self, changes: Vec<Change>) -> Result<(), ArenaError> {
        self.check_store()?;
        Ok(self.inner.context.commits.commit(changes).await?)
    }
}
