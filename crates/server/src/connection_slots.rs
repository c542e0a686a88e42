//! The slots for connections, authenticated ones and strangers.

use lastnim_rpc::ClientAddress;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// The limits on connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ConnectionLimits {
    pub connections: usize,
    /// Connections without a valid token.
    pub strangers: usize,
    /// Of these, connections from one address.
    pub strangers_per_address: usize,
}

/// The slots of a server.
///
/// A connection is a stranger until one of its calls has a valid token. Strangers never keep anyone out: if there is no
/// room, the newcomer replaces a stranger.
#[derive(Debug)]
pub(super) struct ConnectionSlots {
    limits: ConnectionLimits,
    clock: Arc<ActivityClock>,
    taken: Mutex<TakenSlots>,
}

#[derive(Debug, Default)]
struct TakenSlots {
    last_id: u64,
    /// Connections with a valid token.
    known: usize,
    strangers: BTreeMap<u64, AnonymousConnection>,
}

#[derive(Debug)]
struct AnonymousConnection {
    /// `None` for a proxy's connection, which many clients share.
    address: Option<ClientAddress>,
    activity: Arc<ConnectionActivity>,
}

/// Orders and times events.
#[derive(Debug)]
struct ActivityClock {
    began: Instant,
    last_tick: AtomicU64,
}

/// The activity of a connection.
#[derive(Debug)]
struct ConnectionActivity {
    clock: Arc<ActivityClock>,
    has_called: AtomicBool,
    calls: AtomicUsize,
    /// When a call last began or ended, or else when the connection began: as a tick, and in microseconds since the
    /// clock began.
    last_tick: AtomicU64,
    last_us: AtomicU64,
    given_way: Notify,
}

/// The slot of a connection, released when dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    id: u64,
    places: Arc<ConnectionSlots>,
    activity: Arc<ConnectionActivity>,
    is_known: AtomicBool,
}

/// Marks a running call on a connection.
#[derive(Debug)]
pub(super) struct CallMark(Arc<ConnectionActivity>);

impl ConnectionSlots {
    /// Creates free slots.
    pub(super) fn new(limits: ConnectionLimits) -> Arc<Self> {
        let clock = Arc::new(ActivityClock { began: Instant::now(), last_tick: AtomicU64::new(0) });
        Arc::new(Self { limits, clock, taken: Mutex::default() })
    }

    fn lock_taken(&self) -> MutexGuard<'_, TakenSlots> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a slot to a newcomer; `None` if all belong to authenticated connections. `address` is `None` for a proxy's
    /// connection.
    pub(super) fn admit(self: &Arc<Self>, address: Option<ClientAddress>) -> Option<ConnectionSlot> {
        let activity = Arc::new(ConnectionActivity {
            clock: Arc::clone(&self.clock),
            has_called: AtomicBool::new(false),
            calls: AtomicUsize::new(0),
            last_tick: AtomicU64::new(0),
            last_us: AtomicU64::new(0),
            given_way: Notify::new(),
        });
        activity.touch();
        let mut taken = self.lock_taken();
        taken.make_room_for_address(address, self.limits.strangers_per_address);
        let is_full = taken.strangers.len() >= self.limits.strangers
            || taken.known + taken.strangers.len() >= self.limits.connections;
        if is_full && !taken.evict_one(|_| true) {
            return None;
        }
        taken.last_id += 1;
        let id = taken.last_id;
        taken.strangers.insert(id, AnonymousConnection { address, activity: Arc::clone(&activity) });
        Some(ConnectionSlot { id, places: Arc::clone(self), activity, is_known: AtomicBool::new(false) })
    }
}

impl TakenSlots {
    /// Makes room for one more stranger from an address.
    fn make_room_for_address(&mut self, address: Option<ClientAddress>, limit: usize) {
        let Some(address) = address else { return };
        let at_address = |stranger: &AnonymousConnection| stranger.address == Some(address);
        if self.strangers.values().filter(|stranger| at_address(stranger)).count() >= limit {
            self.evict_one(at_address);
        }
    }

    /// Evicts one of these strangers: of the address with the most connections, the one that has been without a call
    /// longest. Returns false if all have calls.
    fn evict_one(&mut self, among: impl Fn(&AnonymousConnection) -> bool) -> bool {
        let mut held = BTreeMap::<ClientAddress, usize>::new();
        for address in self.strangers.values().filter_map(|stranger| stranger.address) {
            *held.entry(address).or_default() += 1;
        }
        let rank = |stranger: &AnonymousConnection| {
            let held = stranger.address.and_then(|address| held.get(&address)).copied().unwrap_or(1);
            let last = stranger.activity.last_tick.load(Ordering::Relaxed);
            (held, stranger.activity.is_idle(), std::cmp::Reverse(last))
        };
        let candidates = self.strangers.iter().filter(|(_, stranger)| among(stranger));
        let victim = candidates.max_by_key(|(_, stranger)| rank(stranger)).map(|(&id, _)| id);
        let Some(evicted) = victim.and_then(|id| self.strangers.remove(&id)) else { return false };
        evicted.activity.given_way.notify_one();
        true
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
}

impl ConnectionSlot {
    /// Marks the connection as authenticated: one of its calls had a valid token.
    pub(super) fn mark_authenticated(&self) {
        if self.is_known.load(Ordering::Relaxed) {
            return;
        }
        let mut taken = self.places.lock_taken();
        // An evicted connection is already closing.
        if taken.strangers.remove(&self.id).is_some() {
            taken.known += 1;
            self.is_known.store(true, Ordering::Relaxed);
        }
    }

    /// Sets the client's address from a proxy.
    pub(super) fn set_address(&self, address: ClientAddress) {
        let mut taken = self.places.lock_taken();
        // Removed first, so that it cannot evict itself.
        let Some(mut stranger) = taken.strangers.remove(&self.id) else { return };
        stranger.address = Some(address);
        taken.make_room_for_address(Some(address), self.places.limits.strangers_per_address);
        taken.strangers.insert(self.id, stranger);
    }

    /// Marks a running call until dropped.
    pub(super) fn mark_call(&self) -> CallMark {
        self.activity.has_called.store(true, Ordering::Relaxed);
        self.activity.calls.fetch_add(1, Ordering::Relaxed);
        self.activity.touch();
        CallMark(Arc::clone(&self.activity))
    }

    /// Returns whether a call had a valid token.
    pub(super) fn is_authenticated(&self) -> bool {
        self.is_known.load(Ordering::Relaxed)
    }

    pub(super) fn has_called(&self) -> bool {
        self.activity.has_called.load(Ordering::Relaxed)
    }

    /// Returns how long there has been no call; `None` during a call.
    pub(super) fn idle_time(&self) -> Option<Duration> {
        let last = Duration::from_micros(self.activity.last_us.load(Ordering::Relaxed));
        self.activity.is_idle().then(|| self.activity.clock.began.elapsed().saturating_sub(last))
    }

    /// Waits until the connection is evicted.
    pub(super) async fn wait_until_evicted(&self) {
        self.activity.given_way.notified().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut taken = self.places.lock_taken();
        if *self.is_known.get_mut() {
            taken.known -= 1;
        } else {
            taken.strangers.remove(&self.id);
        }
    }
}

impl Drop for CallMark {
    fn drop(&mut self) {
        self.0.touch();
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    const LIMITS: ConnectionLimits =
        ConnectionLimits { connections: 6, strangers: 4, strangers_per_address: 3 };

    fn address(last: u8) -> ClientAddress {
        IpAddr::from(Ipv4Addr::new(127, 0, 0, last)).into()
    }

    /// Returns which of these still have a slot.
    fn holders(places: &[ConnectionSlot]) -> Vec<usize> {
        let holds = |place: &ConnectionSlot| {
            place.is_authenticated() || place.places.lock_taken().strangers.contains_key(&place.id)
        };
        places.iter().enumerate().filter(|(_, place)| holds(place)).map(|(index, _)| index).collect()
    }

    fn admitted<const N: usize>(places: &Arc<ConnectionSlots>, addresses: [u8; N]) -> Vec<ConnectionSlot> {
        addresses.map(|last| places.admit(Some(address(last))).expect("a place")).into()
    }

    #[test]
    fn a_newcomer_replaces_the_stranger_idle_longest() {
        let places = ConnectionSlots::new(LIMITS);
        let strangers = admitted(&places, [1, 2, 3, 4, 5]);
        assert_eq!(holders(&strangers), [1, 2, 3, 4]);
        // One has a running call, and one had a call recently.
        let _call = strangers[1].mark_call();
        drop(strangers[2].mark_call());
        let more = admitted(&places, [6, 7]);
        assert_eq!((holders(&strangers), holders(&more)), (vec![1, 2], vec![0, 1]));
    }

    #[test]
    fn the_address_with_the_most_slots_loses_one() {
        let places = ConnectionSlots::new(LIMITS);
        let strangers = admitted(&places, [1, 2, 2, 3]);
        let _calls = [strangers[1].mark_call(), strangers[2].mark_call()];
        let more = admitted(&places, [4]);
        assert_eq!((holders(&strangers), holders(&more)), (vec![0, 2, 3], vec![0]));
    }

    #[test]
    fn an_address_has_its_own_limit() {
        let places = ConnectionSlots::new(LIMITS);
        let strangers = admitted(&places, [1, 1, 1, 1]);
        assert_eq!(holders(&strangers), [1, 2, 3]);
        // A proxy announces the address after connecting; it counts the same.
        let behind_proxy = places.admit(None).unwrap();
        behind_proxy.set_address(address(1));
        assert_eq!((holders(&strangers), holders(&[behind_proxy])), (vec![2, 3], vec![0]));
    }

    #[test]
    fn authenticated_connections_are_never_evicted() {
        let places = ConnectionSlots::new(LIMITS);
        let known = admitted(&places, [1; 3]);
        for place in &known {
            place.mark_authenticated();
            place.mark_authenticated();
        }
        let strangers = admitted(&places, [1, 1, 1, 2, 3]);
        assert_eq!((holders(&known), holders(&strangers)), (vec![0, 1, 2], vec![2, 3, 4]));
        // An evicted connection authenticates too late.
        strangers[0].mark_authenticated();
        assert_eq!(holders(&strangers), [2, 3, 4]);
        for place in &strangers {
            place.mark_authenticated();
        }
        assert!(places.admit(Some(address(4))).is_none(), "all slots belong to authenticated connections");
        drop(known);
        assert!(places.admit(Some(address(4))).is_some());
    }

    #[test]
    fn a_slot_is_released_when_dropped() {
        let places = ConnectionSlots::new(LIMITS);
        for round in 0..20 {
            let strangers = admitted(&places, [1, 2, 3, 4, 5]);
            strangers[1].mark_authenticated();
            let taken = places.lock_taken();
            assert_eq!((taken.known, taken.strangers.len()), (1, 3), "round {round}");
        }
        let taken = places.lock_taken();
        assert_eq!((taken.known, taken.strangers.len()), (0, 0));
    }

    #[test]
    fn a_connection_is_idle_between_its_calls() {
        let places = ConnectionSlots::new(LIMITS);
        let place = places.admit(Some(address(1))).unwrap();
        assert!(place.idle_time().is_some());
        let calls = [place.mark_call(), place.mark_call()];
        assert_eq!(place.idle_time(), None);
        drop(calls);
        assert!(place.idle_time().is_some());
    }
}
