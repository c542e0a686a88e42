//! The async shell around a shard, which passes inputs to it and carries out its effects.

use super::batch::{ActionBatch, LockedShards, ShardBatch};
use super::delivery::{AttachedMatch, Delivery};
use super::effect::{MatchExit, ShardEffect, WatchEvent};
use super::input::SeatSession;
use super::live_match::{Beginning, MatchTerms, PreparedMatch};
use super::machine::Shard;
use super::tally::ShardTally;
use super::timer::run_timer;
use super::view::AnnouncedMatch;
use crate::matches::match_handle::MatchHandle;
use crate::sessions::outbox::Outbox;
use crate::sessions::roster::{Presence, SeatRoute};
use crate::sessions::session_link::SessionLink;
use crate::wall_clock::WallClock;
use lastnim_core::game::{BySeat, MatchId, SeatVersions};
use lastnim_core::referee::{TimedEvent, Timestamp};
use lastnim_store::{CommitListener, GroupCommit, MatchCommit};
use lastnim_tournament::OracleAccess;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// The parts that all shards of an arena share.
#[derive(Debug)]
pub struct MatchContext {
    pub clock: WallClock,
    /// Commits changes to the store.
    pub commits: GroupCommit,
    /// The terms of all matches.
    pub terms: MatchTerms,
}

/// All shards of an arena. The id of a match determines its shard.
#[derive(Debug, Clone)]
pub struct Shards {
    shards: Arc<[ShardHandle]>,
}

/// A handle of one shard. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ShardHandle {
    core: Arc<ShardCore>,
}

/// A shard and its async shell.
#[derive(Debug)]
pub(super) struct ShardCore {
    state: Mutex<ShardState>,
    pub(super) context: Arc<MatchContext>,
    /// Wakes the timer when a new alarm is due before the one that it waits for.
    pub(super) alarm_changed: Arc<Notify>,
    pub(super) weak_self: Weak<Self>,
}

/// The state that is protected by a shard's lock.
#[derive(Debug)]
pub(super) struct ShardState {
    pub(super) machine: Shard<SessionLink>,
    pub(super) delivery: Delivery,
    pub(super) effects: Vec<ShardEffect<SessionLink>>,
    /// When the timer fires; `None` while no alarm is set.
    pub(super) timer_at: Option<Timestamp>,
}

/// A prepared match: its handle, and receivers for its beginning and end.
#[derive(Debug)]
pub struct MatchTicket {
    pub handle: MatchHandle,
    /// Resolves when the beginning is announced, and fails if it never is.
    pub begun: oneshot::Receiver<()>,
    /// Resolves with the way in which the match left the shard, and fails if the match was dropped.
    pub over: oneshot::Receiver<MatchExit>,
}

impl Shards {
    /// Starts `count` shards, each with its own timer.
    pub fn start(count: usize, context: &Arc<MatchContext>) -> Self {
        Self { shards: (0..count.max(1)).map(|_| ShardHandle::start(Arc::clone(context))).collect() }
    }

    /// Returns the shard that owns a match.
    pub fn of_match(&self, id: MatchId) -> &ShardHandle {
        self.at_index(self.index_of_match(id))
    }

    pub(super) fn at_index(&self, index: usize) -> &ShardHandle {
        &self.shards[index]
    }

    pub(super) fn index_of_match(&self, id: MatchId) -> usize {
        id.random_bits() as usize % self.shards.len()
    }

    /// Locks all shards, so that nothing else happens in any match.
    pub fn lock_all(&self) -> LockedShards<'_> {
        LockedShards::new(self, self.shards.iter().map(ShardHandle::batch).collect())
    }

    /// Returns the totals of all shards. The shards are locked briefly, one after the other.
    pub fn tally(&self) -> ShardTally {
        let mut sum = ShardTally::default();
        for shard in self.shards.iter() {
            sum.add(&shard.core.lock().machine.tally());
        }
        sum
    }

    /// Starts a batch of messages that arrived at `at`.
    pub fn batch(&self, at: Timestamp) -> ActionBatch<'_> {
        ActionBatch::new(self, at)
    }
}

impl ShardHandle {
    fn start(context: Arc<MatchContext>) -> Self {
        let alarm_changed = Arc::new(Notify::new());
        let core = Arc::new_cyclic(|weak_self| ShardCore {
            state: Mutex::new(ShardState {
                machine: Shard::new(context.terms.clone()),
                delivery: Delivery::default(),
                effects: Vec::new(),
                timer_at: None,
            }),
            context,
            alarm_changed: Arc::clone(&alarm_changed),
            weak_self: Weak::clone(weak_self),
        });
        tokio::spawn(run_timer(Arc::downgrade(&core), alarm_changed));
        Self { core }
    }

    /// Starts a batch for this shard.
    pub fn batch(&self) -> ShardBatch<'_> {
        self.core.batch()
    }

    /// Starts a batch with a time that was just read. The clock is read again if the batch must wait for the lock.
    pub(super) fn batch_from(&self, now: Timestamp) -> ShardBatch<'_> {
        match self.core.state.try_lock() {
            Ok(state) => self.core.batch_with(state, now),
            Err(_) => self.core.batch(),
        }
    }

    /// Seats the bots and prepares a match. Nothing is stored or sent before the match starts.
    pub fn prepare(
        &self,
        id: MatchId,
        beginning: Beginning,
        presences: BySeat<Arc<Presence>>,
        oracle: OracleAccess,
        hold: Duration,
    ) -> MatchTicket {
        let mut batch = self.batch();
        let now = batch.now();
        let ShardState { machine, delivery, .. } = batch.state();
        let count = presences.seats();
        let handle = MatchHandle::new(id, count, self.clone());
        let seats = BySeat::from_fn(count, |seat| {
            let presence = &presences[seat];
            // The shard is locked, so a session that opens at the same time notifies the match only after the match is
            // prepared.
            let session = presence.take_seat(id, SeatRoute::new(seat, handle.clone()));
            (presence.number(), session.map(SeatSession::of_link))
        });
        let (begun, hears_of_it) = oneshot::channel();
        let (over, hears_of_end) = oneshot::channel();
        delivery.attach(id, AttachedMatch::new(presences, begun, over));
        machine.prepare(PreparedMatch { id, beginning, seats, oracle, hold }, now);
        drop(batch);
        MatchTicket { handle, begun: hears_of_it, over: hears_of_end }
    }

    /// Returns the announced state of a match; `None` until its beginning is announced, and again once its end is
    /// announced.
    pub fn view(&self, id: MatchId) -> Option<AnnouncedMatch> {
        self.core.lock().machine.view(id)
    }

    /// Returns the bot versions that have played in a match, by seat; empty if no version was reported.
    pub fn seat_versions(&self, id: MatchId) -> Vec<SeatVersions> {
        self.core.lock().machine.seat_versions(id)
    }

    /// Copies up to `limit` announced events of a match, starting at index `from`; `None` if the match is not open.
    pub fn copy_events(&self, id: MatchId, from: usize, limit: usize) -> Option<Vec<TimedEvent>> {
        self.core.lock().machine.announced_events(id, from, limit).map(<[TimedEvent]>::to_vec)
    }

    /// Adds a watcher of a match, unless it already has `limit` of them.
    pub fn watch(&self, id: MatchId, outbox: Outbox<WatchEvent>, limit: usize) -> WatchAdmission {
        let mut state = self.core.lock();
        let ShardState { machine, delivery, .. } = &mut *state;
        match delivery.admit_watcher(id, outbox, limit) {
            None => WatchAdmission::NotOpen,
            Some(false) => WatchAdmission::Full,
            Some(true) => machine.watch(id).map_or(WatchAdmission::NotOpen, |start| {
                WatchAdmission::Admitted { announced: start.announced, is_revealed: start.is_revealed }
            }),
        }
    }
}

/// The answer to a request to watch a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchAdmission {
    /// The watcher was added, and gets all further events.
    Admitted {
        /// The number of events that were announced before the watcher was added.
        announced: usize,
        /// Whether the rows have been revealed.
        is_revealed: bool,
    },
    /// The watcher limit is reached.
    Full,
    NotOpen,
}

impl ShardCore {
    fn lock(&self) -> MutexGuard<'_, ShardState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn batch(&self) -> ShardBatch<'_> {
        let state = self.lock();
        self.batch_with(state, self.context.clock.now())
    }

    fn batch_with<'a>(&'a self, state: MutexGuard<'a, ShardState>, now: Timestamp) -> ShardBatch<'a> {
        ShardBatch::new(self, state, now)
    }

    /// Stores and returns the time at which the timer must fire next.
    pub(super) fn set_timer(&self) -> Option<tokio::time::Instant> {
        let mut state = self.lock();
        state.timer_at = state.machine.next_alarm();
        state.timer_at.map(|at| self.context.clock.instant(at))
    }

    /// Checks the clocks that may have run out.
    pub(super) fn tick(&self) {
        self.batch().tick();
    }
}

impl CommitListener for ShardCore {
    fn note_committed(&self, results: &mut Vec<MatchCommit>) {
        let mut batch = self.batch();
        for (id, result) in results.drain(..) {
            batch.note_committed(id, result);
        }
    }
}
