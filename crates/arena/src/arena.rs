//! Everything that is live, behind one handle.

use crate::accounts::accounts::Accounts;
use crate::accounts::keyring::Principal;
use crate::durability::Durability;
use crate::environment::Environment;
use crate::error::ArenaError;
use crate::ids::IdGenerator;
use crate::limits::Limits;
use crate::matches::match_table::MatchTable;
use crate::matches::shard::{MatchContext, MatchTerms, Shards};
use crate::recovery::open_records::OpenRecords;
use crate::recovery::return_grace::ReturnGrace;
use crate::revision::LiveChanges;
use crate::sessions::roster::Roster;
use crate::tournaments::cross_table_queue::CrossTableQueue;
use crate::tournaments::ended_tournaments::EndedTournaments;
use crate::tournaments::tournament_table::TournamentTable;
use crate::wall_clock::WallClock;
use futures_core::future::BoxFuture;
use lastnim_core::referee::{PublicKey, SigningKey, Timestamp};
use lastnim_store::{
    Change, CommitCounts, GroupCommit, MemoryStore, RetentionLimits, Store, StoreError, Token,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long the store stays open for tasks that have not ended when everything is stopped.
const LAST_TASKS: Duration = Duration::from_secs(1);
/// Ends that bots missed that are read from the store at the same time.
const MAX_ENDS_READ_AT_ONCE: usize = 2;

/// What an arena is built on.
#[derive(Debug)]
pub struct Backend {
    /// What must last.
    pub store: Arc<dyn Store>,
    /// How soon a match lasts; of no account where the store is not durable.
    pub durability: Durability,
    /// Signs the records of matches that are over.
    pub key: SigningKey,
    /// The date and the random bytes.
    pub environment: Environment,
}

impl Backend {
    /// Keeps everything in memory and draws a key: for servers that live no longer than what they are for.
    pub fn in_memory() -> Self {
        Self {
            store: Arc::new(MemoryStore::new(RetentionLimits::default())),
            durability: Durability::default(),
            key: generate_key(),
            environment: Environment::default(),
        }
    }
}

/// Draws a key for signing from the system's random source.
pub fn generate_key() -> SigningKey {
    let mut seed = [0; SigningKey::SEED_BYTES];
    getrandom::fill(&mut seed).expect("the system has a random source");
    SigningKey::from_seed(&seed)
}

/// The live server without its network: bots, sessions, matches, tournaments. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Arena {
    pub(crate) inner: Arc<ArenaInner>,
}

/// What all clones of an arena share.
#[derive(Debug)]
pub(crate) struct ArenaInner {
    pub(crate) limits: Arc<Limits>,
    pub(crate) clock: WallClock,
    pub(crate) ids: IdGenerator,
    pub(crate) environment: Environment,
    pub(crate) accounts: Accounts,
    pub(crate) roster: Arc<Roster>,
    /// For reading; writing goes through the context.
    pub(crate) store: Arc<dyn Store>,
    pub(crate) context: Arc<MatchContext>,
    pub(crate) shards: Shards,
    pub(crate) matches: MatchTable,
    pub(crate) tournaments: TournamentTable,
    pub(crate) return_grace: ReturnGrace,
    /// Held while the bots of a tournament are rated.
    pub(crate) rating: Arc<Semaphore>,
    /// The cross-tables that somebody waits for.
    pub(crate) cross_tables: CrossTableQueue,
    /// The tournaments that are over and were shown last.
    pub(crate) ended_tournaments: EndedTournaments,
    /// What changes without a transaction.
    pub(crate) live_changes: LiveChanges,
    /// Held while an end that a bot missed is read.
    pub(crate) catching_up: Arc<Semaphore>,
    /// Held while what is kept of matches that are over is changed: records are removed, or transcripts published or removed.
    pub(crate) changing_kept: Arc<Mutex<()>>,
    /// Whether everything has been stopped.
    pub(crate) stopped: CancellationToken,
    /// What goes on by itself and may still write: the store is closed after it.
    pub(crate) tasks: TaskTracker,
}

/// Shows a function that its caller holds the lock that its name or its documentation says.
pub(crate) type HeldLock = OwnedMutexGuard<()>;

impl Arena {
    /// Opens an arena, and carries on what a server before it has left in the store. The tokens are let in besides those
    /// of the bots.
    ///
    /// # Errors
    /// If the store cannot be read, or what it keeps is damaged.
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
            let clock = WallClock::start(environment.date(), open.last_event_time(), limits.stall_threshold);
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
                ids: IdGenerator::new(clock.clone(), environment.clone()),
                environment,
                clock,
                accounts,
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
                catching_up: Arc::new(Semaphore::new(MAX_ENDS_READ_AT_ONCE)),
                changing_kept: Arc::default(),
                stopped: CancellationToken::new(),
                tasks: TaskTracker::new(),
            };
            let arena = Self { inner: Arc::new(inner) };
            arena.recover(open).await?;
            Ok(arena)
        })
    }

    /// Returns the time now.
    pub(crate) fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// Returns what it takes from the system around it.
    pub fn environment(&self) -> &Environment {
        &self.inner.environment
    }

    /// Returns the limits.
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// Returns whom a token stands for.
    pub fn principal_of_token(&self, token: &str) -> Option<Principal> {
        self.inner.accounts.principal_of_token(token)
    }

    /// Returns the key that the signatures of records are verified with.
    pub fn public_key(&self) -> PublicKey {
        self.inner.context.terms.key.public_key()
    }

    /// Returns how much was written to the store so far.
    pub fn commit_counts(&self) -> CommitCounts {
        self.inner.context.commits.commit_counts()
    }

    /// Lets go of the store, after everything has been stopped and what was begun has ended: a task that writes later would
    /// open a database again.
    pub async fn close_store(&self) {
        self.inner.tasks.close();
        if timeout(LAST_TASKS, self.inner.tasks.wait()).await.is_err() {
            tracing::warn!(tasks = self.inner.tasks.len(), "the store is closed before all tasks have ended");
        }
        self.inner.store.close().await;
    }

    /// Waits until the store can be used.
    pub async fn wait_until_store_usable(&self) {
        self.inner.context.commits.wait_until_usable().await;
    }

    /// Waits until the store cannot be used, and returns why.
    pub async fn wait_until_store_failed(&self) -> StoreError {
        self.inner.context.commits.wait_until_failed().await
    }

    /// Waits until the store is lost for good, and returns how: another server has it, it is damaged, or its writer has broken down.
    pub async fn wait_until_store_lost(&self) -> StoreError {
        self.inner.context.commits.wait_until_lost().await
    }

    /// Takes a lock and changes what it is for. The change is carried out to its end even if whoever asked for it has gone: what is
    /// written and what is live change together. Nobody waits for a store that cannot be used: a request that still waits for
    /// the lock when the store fails is refused, and nothing is done.
    ///
    /// Both futures are boxed here: an `async` function would be compiled again in each crate that awaits it.
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

    /// Waits for the lock of the names, for a change that holds the lock of a tournament already.
    pub(crate) async fn lock_names(&self) -> HeldLock {
        Arc::clone(self.inner.accounts.names()).lock_owned().await
    }

    /// Fails while the store cannot be used. Whoever is about to write asks first, before anything is locked or read: a
    /// database that does not answer may take seconds to say so.
    pub(crate) fn check_store(&self) -> Result<(), ArenaError> {
        Ok(self.inner.context.commits.check_usable()?)
    }

    /// Makes changes last. Somebody waits for an answer here: while the store cannot be used, there is one at once.
    pub(crate) async fn commit(&self, changes: Vec<Change>) -> Result<(), ArenaError> {
        self.check_store()?;
        Ok(self.inner.context.commits.commit(changes).await?)
    }
}
