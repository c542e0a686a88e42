//! Slots for connections of newcomers, strangers and holders of tokens.

use lastnim_rpc::ClientAddress;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// The limits on connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ConnectionLimits {
    pub connections: usize,
    /// The maximum number of strangers: connections that have made calls, but none with a valid token.
    pub strangers: usize,
    /// The maximum number of strangers from one address.
    pub strangers_per_address: usize,
    /// How long a stranger's call may run before its connection can be closed for another stranger.
    pub stranger_call_time: Duration,
    /// How long a newcomer keeps its slot even if all are taken, so that all connections of a burst can make their
    /// first calls.
    pub newcomer_grace: Duration,
}

/// The slots of a server.
///
/// A connection is a newcomer until its first call. Then it is a stranger, or known if one of its calls has a valid
/// token. Newcomers and strangers never keep anyone out: if all slots are taken, one of them is evicted.
///
/// A newcomer becomes a stranger with its first call, if that call has no valid token. If a limit on strangers is
/// reached, one of them is first told to close: one without a running call, or else one whose call has run for at least
/// `stranger_call_time`; the address with the most connections loses one first. If there is no such stranger, the
/// newcomer is refused and told to close instead.
#[derive(Debug)]
pub(super) struct ConnectionSlots {
    limits: ConnectionLimits,
    clock: Arc<ActivityClock>,
    table: Mutex<SlotTable>,
}

/// The connections that have slots.
#[derive(Debug, Default)]
struct SlotTable {
    last_id: u64,
    /// Connections with a valid token.
    known: usize,
    anonymous: BTreeMap<u64, AnonymousConnection>,
}

/// A connection that has not had a valid token.
#[derive(Debug)]
struct AnonymousConnection {
    /// `None` for a proxy's connection, which many clients share.
    address: Option<ClientAddress>,
    stage: AnonymousStage,
    activity: Arc<ConnectionActivity>,
}

/// How far a connection without a valid token has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnonymousStage {
    Newcomer,
    Stranger,
    /// The connection was told to close, but has not given up its slot yet.
    Leaving,
}

/// The answer to a new connection that needs a slot.
#[derive(Debug)]
pub(super) enum Admission {
    Admitted(ConnectionSlot),
    /// All slots are taken, but one can be taken over after this time.
    RetryAfter(Duration),
    /// All slots belong to authenticated connections.
    Full,
}

/// A limit on strangers is reached, and none of them can be told to close.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooManyStrangers;

/// A clock that orders events and measures when they happen.
#[derive(Debug)]
struct ActivityClock {
    began: Instant,
    last_tick: AtomicU64,
}

/// The activity on a connection, and the signals that close it.
#[derive(Debug)]
struct ConnectionActivity {
    clock: Arc<ActivityClock>,
    has_called: AtomicBool,
    calls: AtomicUsize,
    /// The time at which a call last began or ended, or at which the connection began if there was no call yet.
    /// `last_tick` gives the order of these events, and `last_us` the microseconds since the clock began.
    last_tick: AtomicU64,
    last_us: AtomicU64,
    leaving: CancellationToken,
    evicted: Notify,
}

/// The slot of a connection, released when dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    id: u64,
    slots: Arc<ConnectionSlots>,
    activity: Arc<ConnectionActivity>,
    is_known: AtomicBool,
}

/// Marks a call on a connection as running, until dropped.
#[derive(Debug)]
pub(super) struct CallMark(Arc<ConnectionActivity>);

impl ConnectionSlots {
    /// Creates slots that are all free.
    pub(super) fn new(limits: ConnectionLimits) -> Arc<Self> {
        let clock = Arc::new(ActivityClock { began: Instant::now(), last_tick: AtomicU64::new(0) });
        Arc::new(Self { limits, clock, table: Mutex::default() })
    }

    fn lock_slots(&self) -> MutexGuard<'_, SlotTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a slot to a newcomer. `address` is `None` for a proxy's connection.
    pub(super) fn admit(self: &Arc<Self>, address: Option<ClientAddress>) -> Admission {
        let mut taken = self.lock_slots();
        if taken.known + taken.anonymous.len() >= self.limits.connections {
            match taken.find_evictable(self.limits.newcomer_grace) {
                Evictable::Connection(id) => taken.evict(id),
                Evictable::After(time) => return Admission::RetryAfter(time),
                Evictable::None => return Admission::Full,
            }
        }
        let activity = Arc::new(ConnectionActivity {
            clock: Arc::clone(&self.clock),
            has_called: AtomicBool::new(false),
            calls: AtomicUsize::new(0),
            last_tick: AtomicU64::new(0),
            last_us: AtomicU64::new(0),
            leaving: CancellationToken::new(),
            evicted: Notify::new(),
        });
        activity.touch();
        taken.last_id += 1;
        let id = taken.last_id;
        let stage = AnonymousStage::Newcomer;
        taken.anonymous.insert(id, AnonymousConnection { address, stage, activity: Arc::clone(&activity) });
        let slots = Arc::clone(self);
        Admission::Admitted(ConnectionSlot { id, slots, activity, is_known: AtomicBool::new(false) })
    }
}

/// The connection to evict, if there is one.
enum Evictable {
    Connection(u64),
    /// No connection can be evicted now, but one can after this time.
    After(Duration),
    None,
}

impl SlotTable {
    /// Finds a connection to evict: among the connections of the address that has the most, the one that has had no
    /// call for the longest time. Newcomers in their grace period are spared, and connections with running calls come
    /// last.
    fn find_evictable(&self, newcomer_grace: Duration) -> Evictable {
        let held = self.connections_by_address(|_| true);
        let remaining_grace = |connection: &AnonymousConnection| match connection.stage {
            AnonymousStage::Newcomer => newcomer_grace.saturating_sub(connection.activity.time_in_state()),
            AnonymousStage::Stranger | AnonymousStage::Leaving => Duration::ZERO,
        };
        let victim = self
            .anonymous
            .iter()
            .filter(|(_, connection)| remaining_grace(connection).is_zero())
            .max_by_key(|(_, connection)| connection.eviction_rank(&held));
        match victim {
            Some((&id, connection)) if connection.activity.is_idle() => Evictable::Connection(id),
            // Every connection that is not spared has a running call.
            other => match self
                .anonymous
                .values()
                .map(remaining_grace)
                .filter(|remaining_grace| !remaining_grace.is_zero())
                .min()
            {
                Some(time) => Evictable::After(time),
                None => other.map_or(Evictable::None, |(&id, _)| Evictable::Connection(id)),
            },
        }
    }

    fn evict(&mut self, id: u64) {
        if let Some(evicted) = self.anonymous.remove(&id) {
            evicted.activity.leaving.cancel();
            evicted.activity.evicted.notify_one();
        }
    }

    /// Makes room for one more stranger among those that `among` selects: if there are already `limit` of them, tells
    /// one of them to close.
    fn make_room(
        &mut self,
        limits: &ConnectionLimits,
        limit: usize,
        among: impl Fn(&AnonymousConnection) -> bool,
    ) -> Result<(), TooManyStrangers> {
        let among =
            |stranger: &AnonymousConnection| stranger.stage == AnonymousStage::Stranger && among(stranger);
        if self.anonymous.values().filter(|stranger| among(stranger)).count() < limit {
            return Ok(());
        }
        let held = self.connections_by_address(|connection| connection.stage == AnonymousStage::Stranger);
        let may_leave = |stranger: &AnonymousConnection| {
            stranger.activity.is_idle() || stranger.activity.time_in_state() >= limits.stranger_call_time
        };
        let leaving = self
            .anonymous
            .values_mut()
            .filter(|stranger| among(stranger) && may_leave(stranger))
            .max_by_key(|stranger| stranger.eviction_rank(&held))
            .ok_or(TooManyStrangers)?;
        leaving.ask_to_leave();
        Ok(())
    }

    fn connections_by_address(
        &self,
        among: impl Fn(&AnonymousConnection) -> bool,
    ) -> HashMap<ClientAddress, usize> {
        let mut held = HashMap::new();
        let counted = self.anonymous.values().filter(|connection| among(connection));
        for address in counted.filter_map(|connection| connection.address) {
            *held.entry(address).or_default() += 1;
        }
        held
    }
}

impl AnonymousConnection {
    /// Ranks the connections that can be closed; the one to close first ranks highest.
    fn eviction_rank(&self, held: &HashMap<ClientAddress, usize>) -> (bool, usize, Reverse<u64>) {
        let held = self.address.and_then(|address| held.get(&address)).copied().unwrap_or(1);
        (self.activity.is_idle(), held, Reverse(self.activity.last_tick.load(Ordering::Relaxed)))
    }

    fn ask_to_leave(&mut self) {
        self.stage = AnonymousStage::Leaving;
        self.activity.leaving.cancel();
    }
}

impl ConnectionActivity {
    fn touch(&self) {
        let now = u64::try_from(self.clock.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.last_us.store(now, Ordering::Relaxed);
        let tick = self.clock.last_tick.fetch_add(1, Ordering::Relaxed);
        self.last_tick.store(tick, Ordering::Relaxed);
    }

    fn is_idle(&self) -> bool {
        self.calls.load(Ordering::Relaxed) == 0
    }

    /// Returns the time since a call last began or ended, or since the connection began if there was no call yet.
    fn time_in_state(&self) -> Duration {
        let last = Duration::from_micros(self.last_us.load(Ordering::Relaxed));
        self.clock.began.elapsed().saturating_sub(last)
    }
}

impl ConnectionSlot {
    /// Marks the connection as authenticated: one of its calls had a valid token.
    pub(super) fn mark_authenticated(&self) {
        if self.is_authenticated() {
            return;
        }
        let mut taken = self.slots.lock_slots();
        // A connection that was evicted is not marked, since it is already closing.
        if taken.anonymous.remove(&self.id).is_some() {
            taken.known += 1;
            self.is_known.store(true, Ordering::Relaxed);
        }
    }

    /// Marks the connection as a stranger's: a call had no valid token.
    ///
    /// # Errors
    /// If there are too many strangers. The connection is then told to close.
    pub(super) fn mark_stranger(&self) -> Result<(), TooManyStrangers> {
        if self.is_authenticated() {
            return Ok(());
        }
        let mut taken = self.slots.lock_slots();
        let Some(connection) = taken.anonymous.get(&self.id) else { return Ok(()) };
        let address = connection.address;
        match connection.stage {
            AnonymousStage::Stranger => return Ok(()),
            AnonymousStage::Leaving => return Err(TooManyStrangers),
            AnonymousStage::Newcomer => {}
        }
        let limits = self.slots.limits;
        let has_address = |stranger: &AnonymousConnection| stranger.address == address;
        let address_room = match address {
            Some(_) => taken.make_room(&limits, limits.strangers_per_address, has_address),
            None => Ok(()),
        };
        let room = address_room.and_then(|()| taken.make_room(&limits, limits.strangers, |_| true));
        if let Some(connection) = taken.anonymous.get_mut(&self.id) {
            match room {
                Ok(()) => connection.stage = AnonymousStage::Stranger,
                Err(TooManyStrangers) => connection.ask_to_leave(),
            }
        }
        room
    }

    /// Sets the client's address that a proxy has announced.
    pub(super) fn set_address(&self, address: ClientAddress) {
        if let Some(connection) = self.slots.lock_slots().anonymous.get_mut(&self.id) {
            connection.address = Some(address);
        }
    }

    /// Marks a call as running, until the mark is dropped.
    pub(super) fn mark_call(&self) -> CallMark {
        self.activity.has_called.store(true, Ordering::Relaxed);
        self.activity.calls.fetch_add(1, Ordering::Relaxed);
        self.activity.touch();
        CallMark(Arc::clone(&self.activity))
    }

    /// Returns whether any call on the connection had a valid token.
    pub(super) fn is_authenticated(&self) -> bool {
        self.is_known.load(Ordering::Relaxed)
    }

    pub(super) fn has_called(&self) -> bool {
        self.activity.has_called.load(Ordering::Relaxed)
    }

    /// Returns how long the connection has been without a call; `None` during a call.
    pub(super) fn idle_time(&self) -> Option<Duration> {
        self.activity.is_idle().then(|| self.activity.time_in_state())
    }

    /// Waits until the connection loses its slot.
    pub(super) async fn wait_until_evicted(&self) {
        self.activity.evicted.notified().await;
    }

    /// Waits until the connection is told to close.
    pub(super) async fn wait_until_leaving(&self) {
        self.activity.leaving.cancelled().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut taken = self.slots.lock_slots();
        if *self.is_known.get_mut() {
            taken.known -= 1;
        } else {
            taken.anonymous.remove(&self.id);
        }
    }
}

impl CallMark {
    /// Returns whether the connection was told to close.
    pub(super) fn is_leaving(&self) -> bool {
        self.0.leaving.is_cancelled()
    }

    /// Returns a future that waits until the connection is told to close.
    pub(super) fn leaving(&self) -> WaitForCancellationFutureOwned {
        self.0.leaving.clone().cancelled_owned()
    }
}

impl Drop for CallMark {
    fn drop(&mut self) {
        self.0.touch();
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
