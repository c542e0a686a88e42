//! The carrier around a shard: feeds it, and does what it decides.

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

/// What every shard of an arena works with.
#[derive(Debug)]
pub struct MatchContext {
    /// Tells the time.
    pub clock: WallClock,
    /// Makes what happens last.
    pub commits: GroupCommit,
    /// What matches decide with.
    pub terms: MatchTerms,
}

/// All shards of an arena. Which one owns a match follows from the match's id.
#[derive(Debug, Clone)]
pub struct Shards {
    shards: Arc<[ShardHandle]>,
}

/// Reaches one shard. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ShardHandle {
    core: Arc<ShardCore>,
}

/// A shard and what carries for it.
#[derive(Debug)]
pub(super) struct ShardCore {
    state: Mutex<ShardState>,
    pub(super) context: Arc<MatchContext>,
    /// Tells the timer that an alarm is to ring earlier than it knows.
    pub(super) alarm_moved: Arc<Notify>,
    pub(super) itself: Weak<Self>,
}

/// What the lock of a shard protects.
#[derive(Debug)]
pub(super) struct ShardState {
    pub(super) machine: Shard<SessionLink>,
    pub(super) delivery: Delivery,
    pub(super) effects: Vec<ShardEffect<SessionLink>>,
    /// When the timer rings; none while it waits to be told.
    pub(super) timer_at: Option<Timestamp>,
}

/// A match that was prepared: how it is reached, and what it will say of itself.
#[derive(Debug)]
pub struct MatchTicket {
    /// Takes inputs for it.
    pub handle: MatchHandle,
    /// Says that its beginning is announced; dropped if it never is.
    pub begun: oneshot::Receiver<()>,
    /// Says how it left the shard; dropped if it was given up.
    pub over: oneshot::Receiver<MatchExit>,
}

impl Shards {
    /// Starts so many shards, each with a timer of its own.
    pub fn start(count: usize, context: &Arc<MatchContext>) -> Self {
        Self { shards: (0..count.max(1)).map(|_| ShardHandle::start(Arc::clone(context))).collect() }
    }

    /// Returns the shard that owns a match.
    pub fn of_match(&self, id: MatchId) -> &ShardHandle {
        self.at_index(self.index_of_match(id))
    }

    /// Returns the shard of an index.
    pub(super) fn at_index(&self, index: usize) -> &ShardHandle {
        &self.shards[index]
    }

    /// Returns the index of the shard that owns a match.
    pub(super) fn index_of_match(&self, id: MatchId) -> usize {
        id.random_bits() as usize % self.shards.len()
    }

    /// Holds all shards, so that nothing happens in any match but what is told here.
    pub fn lock_all(&self) -> LockedShards<'_> {
        LockedShards::new(self, self.shards.iter().map(ShardHandle::batch).collect())
    }

    /// Returns what has been announced in all matches so far. Each shard is held for a moment, one after the other.
    pub fn tally(&self) -> ShardTally {
        let mut sum = ShardTally::default();
        for shard in self.shards.iter() {
            sum.add(&shard.core.lock().machine.tally());
        }
        sum
    }

    /// Begins to tell shards what arrived at a time.
    pub fn batch(&self, at: Timestamp) -> ActionBatch<'_> {
        ActionBatch::new(self, at)
    }
}

impl ShardHandle {
    fn start(context: Arc<MatchContext>) -> Self {
        let alarm_moved = Arc::new(Notify::new());
        let core = Arc::new_cyclic(|itself| ShardCore {
            state: Mutex::new(ShardState {
                machine: Shard::new(context.terms.clone()),
                delivery: Delivery::default(),
                effects: Vec::new(),
                timer_at: None,
            }),
            context,
            alarm_moved: Arc::clone(&alarm_moved),
            itself: Weak::clone(itself),
        });
        tokio::spawn(run_timer(Arc::downgrade(&core), alarm_moved));
        Self { core }
    }

    /// Begins to tell the shard something.
    pub fn batch(&self) -> ShardBatch<'_> {
        self.core.batch()
    }

    /// Begins as [`batch`](Self::batch) does, with a time that was just read; it is read again if the shard is busy.
    pub(super) fn batch_from(&self, now: Timestamp) -> ShardBatch<'_> {
        match self.core.state.try_lock() {
            Ok(state) => self.core.batch_with(state, now),
            Err(_) => self.core.batch(),
        }
    }

    /// Seats the bots and prepares a match. Nothing is stored or sent before it is started.
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
            // Under the shard's lock: a session that opens now tells the match after this.
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

    /// Returns what is announced of a match; nothing before its beginning is, and once it is over.
    pub fn view(&self, id: MatchId) -> Option<AnnouncedMatch> {
        self.core.lock().machine.view(id)
    }

    /// Returns by seat the versions that have sat in a match; nothing if none was said.
    pub fn seat_versions(&self, id: MatchId) -> Vec<SeatVersions> {
        self.core.lock().machine.seat_versions(id)
    }

    /// Copies some of the announced events of a match: at most `most` from an index on. Nothing if it is not open.
    pub fn copy_events(&self, id: MatchId, from: usize, most: usize) -> Option<Vec<TimedEvent>> {
        self.core.lock().machine.announced_events(id, from, most).map(<[TimedEvent]>::to_vec)
    }

    /// Adds a watcher of a match, unless it has `most` already.
    pub fn watch(&self, id: MatchId, outbox: Outbox<WatchEvent>, most: usize) -> WatchAdmission {
        let mut state = self.core.lock();
        let ShardState { machine, delivery, .. } = &mut *state;
        match delivery.admit_watcher(id, outbox, most) {
            None => WatchAdmission::NotOpen,
            Some(false) => WatchAdmission::Full,
            Some(true) => machine.watch(id).map_or(WatchAdmission::NotOpen, |start| {
                WatchAdmission::Admitted { announced: start.announced, is_revealed: start.is_revealed }
            }),
        }
    }
}

/// What a shard answers to somebody who wants to watch a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchAdmission {
    /// Further events follow.
    Admitted {
        /// Events that are announced.
        announced: usize,
        /// Whether the rows are among them.
        is_revealed: bool,
    },
    /// There are as many watchers as there may be.
    Full,
    /// The match is not open.
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

    /// Returns when the timer is to ring, and takes note that it will.
    pub(super) fn set_timer(&self) -> Option<tokio::time::Instant> {
        let mut state = self.lock();
        state.timer_at = state.machine.next_alarm();
        state.timer_at.map(|at| self.context.clock.instant(at))
    }

    /// Looks at the clocks.
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
