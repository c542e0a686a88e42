//! Batches of inputs to shards.

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

/// The number of inputs between two readings of the clock. Regular readings keep the server's own working time from
/// being charged to bots.
const INPUTS_PER_CLOCK_READING: u32 = 32;

/// A batch of inputs to one shard, which stays locked until the batch ends. Effects are carried out in order, and the
/// streams that received messages are woken at the end.
#[derive(Debug)]
pub struct ShardBatch<'a> {
    core: &'a ShardCore,
    /// `None` once the batch has ended.
    state: Option<MutexGuard<'a, ShardState>>,
    now: Timestamp,
    inputs: u32,
    wakers: Vec<Waker>,
}

/// All shards, locked at the same time.
#[derive(Debug)]
pub struct LockedShards<'a> {
    shards: &'a Shards,
    /// One batch for each shard, by shard index, which is also the order of locking.
    batches: Vec<ShardBatch<'a>>,
}

impl<'a> LockedShards<'a> {
    pub(super) fn new(shards: &'a Shards, batches: Vec<ShardBatch<'a>>) -> Self {
        Self { shards, batches }
    }

    /// Sends an input to a match.
    pub fn send_input(&mut self, id: MatchId, input: MatchInput<SessionLink>) {
        self.batches[self.shards.index_of_match(id)].send_input(id, input);
    }
}

/// A batch of a session's messages to its matches, possibly in several shards.
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

    /// Passes a bot's message to its match.
    ///
    /// # Errors
    /// If the bot has no seat in the match, or the seat's queue is full.
    pub fn act(&mut self, id: MatchId, bot: u64, action: SeatAction) -> Result<(), ActionRefused> {
        let index = self.shards.index_of_match(id);
        if self.open.as_ref().is_none_or(|(open, _)| *open != index) {
            // Only one lock is held at a time, so the previous batch ends first.
            self.flush();
            self.open = Some((index, self.shards.at_index(index).batch_from(self.at)));
        }
        let (_, batch) = self.open.as_mut().expect("a batch was just opened");
        batch.act(id, bot, action, self.at)
    }

    /// Ends the current batch, which unlocks its shard and wakes the streams that received messages.
    pub fn flush(&mut self) {
        self.open = None;
    }
}

impl<'a> ShardBatch<'a> {
    pub(super) fn new(core: &'a ShardCore, state: MutexGuard<'a, ShardState>, now: Timestamp) -> Self {
        Self { core, state: Some(state), now, inputs: 0, wakers: Vec::new() }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    /// Starts a prepared match.
    pub fn start(&mut self, id: MatchId) {
        let now = self.next_time();
        let ShardState { machine, effects, .. } = self.state();
        machine.start(id, now, effects);
        self.apply_effects();
    }

    /// Sends an input to a match; returns whether it is open.
    pub fn send_input(&mut self, id: MatchId, input: MatchInput<SessionLink>) -> bool {
        let now = self.next_time();
        let ShardState { machine, effects, .. } = self.state();
        let is_open = machine.send_input(id, input, now, effects);
        self.apply_effects();
        is_open
    }

    /// Passes a bot's message that arrived at `at` to its match.
    ///
    /// # Errors
    /// If the bot has no seat in the match, or the seat's queue is full.
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
        self.apply_effects();
        acted
    }

    /// Adds a barrier to a match, and returns a receiver that resolves once all earlier inputs are answered; `None` if
    /// the match is not open.
    pub fn await_answers(&mut self, id: MatchId) -> Option<oneshot::Receiver<()>> {
        let (waiter, answered) = self.state().delivery.add_waiter();
        self.send_input(id, MatchInput::Barrier { waiter }).then_some(answered)
    }

    /// Drops a match without ending it, if it is still open.
    pub fn abandon(&mut self, id: MatchId) {
        let ShardState { machine, delivery, .. } = self.state();
        machine.remove(id);
        delivery.detach(id);
    }

    /// Tells a match whether its changes were committed.
    pub(super) fn note_committed(&mut self, id: MatchId, result: Result<(), StoreError>) {
        let now = self.next_time();
        let ShardState { machine, effects, .. } = self.state();
        machine.note_committed(id, result, now, effects);
        self.apply_effects();
    }

    /// Checks the clocks that may have run out.
    pub(super) fn tick(&mut self) {
        loop {
            let now = self.next_time();
            let ShardState { machine, effects, .. } = self.state();
            if !machine.tick(now, effects) {
                break;
            }
            self.apply_effects();
        }
    }

    /// Returns the locked state.
    pub(super) fn state(&mut self) -> &mut ShardState {
        self.state.as_mut().expect("the batch is not over")
    }

    /// Returns the time. The clock is read again after every `INPUTS_PER_CLOCK_READING` inputs.
    fn next_time(&mut self) -> Timestamp {
        self.inputs += 1;
        if self.inputs.is_multiple_of(INPUTS_PER_CLOCK_READING) {
            self.now = self.core.context.clock.now();
        }
        self.now
    }

    /// Carries out the machine's effects. Changes that cannot be submitted to the store count as failed.
    fn apply_effects(&mut self) {
        let (core, wakers) = (self.core, &mut self.wakers);
        let state = self.state.as_mut().expect("the batch is not over");
        let ShardState { machine, delivery, effects, .. } = &mut **state;
        let mut failed = Vec::new();
        loop {
            for effect in effects.drain(..) {
                match effect {
                    ShardEffect::Commit { id, changes } => {
                        if changes.len() > 1 {
                            // The clock is read again, because an audit may have taken long.
                            self.now = core.context.clock.now();
                        }
                        let listener = core.weak_self.upgrade().expect("the caller has a reference");
                        if let Err(error) = core.context.commits.submit(changes, id, listener) {
                            failed.push((id, error));
                        }
                    }
                    ShardEffect::Send { to, id, event } => wakers.extend(to.queue_match_event(id, event)),
                    ShardEffect::CountIdleMessage { to, wrong } => to.count_idle_message(wrong),
                    ShardEffect::CountLateMessage { to, wrong } => {
                        if !to.excuse_late_message() {
                            to.count_idle_message(wrong);
                        }
                    }
                    ShardEffect::ShowWatchers { id, event } => delivery.send_to_watchers(id, &event),
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
            self.core.alarm_changed.notify_one();
        }
        for waker in self.wakers.drain(..) {
            waker.wake();
        }
    }
}
