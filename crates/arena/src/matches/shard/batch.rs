//! What is told to shards in one go.

use super::effect::ShardEffect;
use super::handle::{ShardCore, ShardState, Shards};
use super::input::MatchInput;
use super::machine::ActionRefused;
use crate::sessions::session_link::SessionLink;
use lastnim_core::game::MatchId;
use lastnim_core::referee::{SeatAction, Timestamp};
use lastnim_store::StoreError;
use std::sync::MutexGuard;
use std::task::Waker;
use tokio::sync::oneshot;

/// Inputs after which the time is read again: the server's own work is charged to nobody.
const INPUTS_A_TIME: u32 = 32;

/// What is told to a shard in one go: its effects are carried out in their order, and the streams are woken at the end.
#[derive(Debug)]
pub struct ShardBatch<'a> {
    core: &'a ShardCore,
    /// None once the batch is over.
    state: Option<MutexGuard<'a, ShardState>>,
    now: Timestamp,
    inputs: u32,
    wakers: Vec<Waker>,
}

/// All shards, held at once.
#[derive(Debug)]
pub struct LockedShards<'a> {
    shards: &'a Shards,
    /// By the index of the shard, which is also the order in which they are locked.
    batches: Vec<ShardBatch<'a>>,
}

impl<'a> LockedShards<'a> {
    pub(super) fn new(shards: &'a Shards, batches: Vec<ShardBatch<'a>>) -> Self {
        Self { shards, batches }
    }

    /// Tells a match something.
    pub fn tell(&mut self, id: MatchId, input: MatchInput<SessionLink>) {
        self.batches[self.shards.index_of_match(id)].tell(id, input);
    }
}

/// What a session brings to its matches in one go, be they of one shard or of several.
#[derive(Debug)]
pub struct ActionBatch<'a> {
    shards: &'a Shards,
    at: Timestamp,
    open: Option<(usize, ShardBatch<'a>)>,
}

impl<'a> ActionBatch<'a> {
    pub(super) fn new(shards: &'a Shards, at: Timestamp) -> Self {
        Self { shards, at, open: None }
    }

    /// Brings what a bot sent to its match.
    ///
    /// # Errors
    /// If the bot has no seat there, or too much waits for the seat.
    pub fn act(&mut self, id: MatchId, bot: u64, action: SeatAction) -> Result<(), ActionRefused> {
        let index = self.shards.index_of_match(id);
        if self.open.as_ref().is_none_or(|(open, _)| *open != index) {
            // One lock at a time: the batch before is carried out first.
            self.flush();
            self.open = Some((index, self.shards.at_index(index).batch_from(self.at)));
        }
        let (_, batch) = self.open.as_mut().expect("it was just opened");
        batch.act(id, bot, action, self.at)
    }

    /// Carries out what the shards have decided so far.
    pub fn flush(&mut self) {
        self.open = None;
    }
}

impl<'a> ShardBatch<'a> {
    pub(super) fn new(core: &'a ShardCore, state: MutexGuard<'a, ShardState>, now: Timestamp) -> Self {
        Self { core, state: Some(state), now, inputs: 0, wakers: Vec::new() }
    }

    /// Returns the time.
    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    /// Starts a match that was prepared.
    pub fn start(&mut self, id: MatchId) {
        let now = self.next_time();
        let ShardState { machine, effects, .. } = self.state();
        machine.start(id, now, effects);
        self.carry_out();
    }

    /// Tells a match something; returns whether it is open.
    pub fn tell(&mut self, id: MatchId, input: MatchInput<SessionLink>) -> bool {
        let now = self.next_time();
        let ShardState { machine, effects, .. } = self.state();
        let is_open = machine.tell(id, input, now, effects);
        self.carry_out();
        is_open
    }

    /// Brings what a bot sent at `at` to its match.
    ///
    /// # Errors
    /// If the bot has no seat there, or too much waits for the seat.
    pub fn act(
        &mut self,
        id: MatchId,
        bot: u64,
        action: SeatAction,
        at: Timestamp,
    ) -> Result<(), ActionRefused> {
        let now = self.next_time();
        let ShardState { machine, effects, .. } = self.state();
        let acted = machine.act((id, bot), action, at, now, effects);
        self.carry_out();
        acted
    }

    /// Has a match say that all is answered that it was told before; returns where it does, or nothing if it is not open.
    pub fn await_answers(&mut self, id: MatchId) -> Option<oneshot::Receiver<()>> {
        let (waiter, answered) = self.state().delivery.add_waiter();
        self.tell(id, MatchInput::Barrier { waiter }).then_some(answered)
    }

    /// Gives a match up, if it is still there.
    pub fn abandon(&mut self, id: MatchId) {
        let ShardState { machine, delivery, .. } = self.state();
        machine.remove(id);
        delivery.detach(id);
    }

    /// Says what became of the changes of a match.
    pub(super) fn note_committed(&mut self, id: MatchId, result: Result<(), StoreError>) {
        let now = self.next_time();
        let ShardState { machine, effects, .. } = self.state();
        machine.note_committed(id, result, now, effects);
        self.carry_out();
    }

    /// Looks at the clocks.
    pub(super) fn tick(&mut self) {
        loop {
            let now = self.next_time();
            let ShardState { machine, effects, .. } = self.state();
            if !machine.tick(now, effects) {
                break;
            }
            self.carry_out();
        }
    }

    /// Returns what the lock protects.
    pub(super) fn state(&mut self) -> &mut ShardState {
        self.state.as_mut().expect("the batch is not over")
    }

    /// Returns the time, which is read again now and then.
    fn next_time(&mut self) -> Timestamp {
        self.inputs += 1;
        if self.inputs.is_multiple_of(INPUTS_A_TIME) {
            self.now = self.core.context.clock.now();
        }
        self.now
    }

    /// Carries out what the machine wants done. What the store does not even take in counts as failed.
    fn carry_out(&mut self) {
        let (core, wakers) = (self.core, &mut self.wakers);
        let state = self.state.as_mut().expect("the batch is not over");
        let ShardState { machine, delivery, effects, .. } = &mut **state;
        let mut failed = Vec::new();
        loop {
            for effect in effects.drain(..) {
                match effect {
                    ShardEffect::Commit { id, changes } => {
                        if changes.len() > 1 {
                            // An audit takes its time.
                            self.now = core.context.clock.now();
                        }
                        let listener = core.itself.upgrade().expect("it is held by whoever calls this");
                        if let Err(error) = core.context.commits.submit(changes, id, listener) {
                            failed.push((id, error));
                        }
                    }
                    ShardEffect::Send { to, id, event } => wakers.extend(to.queue_match_event(id, event)),
                    ShardEffect::CountUnproductive { to, wrong } => to.count_unproductive(wrong),
                    ShardEffect::ShowWatchers { id, event } => delivery.show_watchers(id, &event),
                    ShardEffect::Begun { id } => delivery.note_begun(id),
                    ShardEffect::EndSent { id, seat, session } => delivery.note_end_sent(id, seat, session),
                    ShardEffect::BarrierReached { waiter } => delivery.release_waiter(waiter),
                    ShardEffect::Over { id, end } => delivery.note_over(id, end),
                }
            }
            let Some((id, error)) = failed.pop() else { break };
            machine.note_committed(id, Err(error), self.now, effects);
        }
    }
}

impl Drop for ShardBatch<'_> {
    fn drop(&mut self) {
        let Some(mut state) = self.state.take() else { return };
        let next = state.machine.next_alarm();
        let rings_late = next.is_some_and(|next| state.timer_at.is_none_or(|at| next < at));
        if rings_late {
            state.timer_at = next;
        }
        drop(state);
        if rings_late {
            self.core.alarm_moved.notify_one();
        }
        for waker in self.wakers.drain(..) {
            waker.wake();
        }
    }
}
