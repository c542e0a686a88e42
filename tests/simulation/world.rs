//! The shared state of a run's hosts.

use super::bounds::HeldResources;
use super::disk::Disk;
use super::history::History;
use super::network::{HostConnections, Link};
use super::plan::{Plan, Stream, draw_stream};
use lastnim_tournament::SeededDraw;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The servers that take turns to own the store.
pub const SERVERS: [&str; 2] = ["server-0", "server-1"];

/// The date at the start of every run, in seconds since 1970.
const FIRST_DATE: u64 = 1_700_000_000;

/// The shared state of a run's hosts.
pub struct World {
    pub plan: Plan,
    pub disk: Arc<Disk>,
    pub history: History,
    /// The links of the bots, and of the watcher.
    pub links: Vec<Arc<Link>>,
    /// The same hosts' ends of their connections.
    pub bot_connections: Vec<Arc<HostConnections>>,
    /// The servers' ends of their connections.
    pub server_connections: [Arc<HostConnections>; 2],
    /// The server that bots connect to, as an index into [`SERVERS`].
    owner: AtomicUsize,
    now_micros: AtomicU64,
    ids: Mutex<SeededDraw>,
    dates: Mutex<SeededDraw>,
    /// How long each server must stall from now on.
    stalls: [Mutex<Option<Duration>>; 2],
    /// The resources that each server held at its last check; `None` before the first one since its start.
    held: [Mutex<Option<HeldResources>>; 2],
    /// The number of sessions that bots have opened.
    sessions: AtomicU64,
}

impl World {
    pub fn new(plan: Plan, disk: Arc<Disk>) -> Self {
        let history = History::new(plan.seed, Arc::clone(&disk));
        Self {
            disk,
            history,
            links: (0..=plan.setting.bots.len()).map(|_| Arc::default()).collect(),
            bot_connections: (0..=plan.setting.bots.len()).map(|_| Arc::default()).collect(),
            server_connections: Default::default(),
            owner: AtomicUsize::new(0),
            now_micros: AtomicU64::new(0),
            ids: Mutex::new(draw_stream(plan.seed, Stream::Ids, 0)),
            dates: Mutex::new(draw_stream(plan.seed, Stream::Ids, 1)),
            stalls: Default::default(),
            held: Default::default(),
            sessions: AtomicU64::new(0),
            plan,
        }
    }

    /// Returns the simulated time.
    pub fn now(&self) -> Duration {
        Duration::from_micros(self.now_micros.load(Ordering::Relaxed))
    }

    pub fn set_now(&self, now: Duration) {
        let micros = u64::try_from(now.as_micros()).unwrap_or(u64::MAX);
        self.now_micros.store(micros, Ordering::Relaxed);
        self.history.set_now(now);
    }

    /// Returns the date by the system's clock of a server, which steps back or ahead by up to four hours whenever a server starts.
    pub fn date(&self) -> SystemTime {
        let seconds = lock(&self.dates).number_below(4 * 3_600);
        UNIX_EPOCH + Duration::from_secs(FIRST_DATE + seconds) + self.now()
    }

    /// Fills a buffer from the stream of ids.
    pub fn fill_random(&self, bytes: &mut [u8]) {
        let mut draw = lock(&self.ids);
        for chunk in bytes.chunks_mut(8) {
            let bits = draw.next_bits().to_le_bytes();
            chunk.copy_from_slice(&bits[..chunk.len()]);
        }
    }

    pub fn owner(&self) -> usize {
        self.owner.load(Ordering::Relaxed)
    }

    /// Makes bots connect to the other server, and returns its index.
    pub fn change_owner(&self) -> usize {
        let next = 1 - self.owner();
        self.owner.store(next, Ordering::Relaxed);
        next
    }

    pub fn order_stall(&self, server: usize, lasts: Duration) {
        *lock(&self.stalls[server]) = Some(lasts);
    }

    pub fn take_stall(&self, server: usize) -> Option<Duration> {
        lock(&self.stalls[server]).take()
    }

    /// Notes the start of a server, which has not been checked yet.
    pub fn note_start(&self, server: usize) {
        *lock(&self.held[server]) = None;
    }

    pub fn note_held(&self, server: usize, held: HeldResources) {
        *lock(&self.held[server]) = Some(held);
    }

    /// Returns the resources that the owner held at its last check.
    pub fn held(&self) -> Option<HeldResources> {
        *lock(&self.held[self.owner()])
    }

    pub fn next_session(&self) -> u64 {
        self.sessions.fetch_add(1, Ordering::Relaxed)
    }
}

/// Locks a mutex, ignoring poisoning: its data is never left half-changed.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
