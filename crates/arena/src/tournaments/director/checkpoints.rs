//! When a tournament keeps what it has come to, so that a server after this one need not count all of its results again.

use super::Director;
use lastnim_store::Change;
use lastnim_tournament::{Checkpoint, SnapshotUnavailable};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// The bytes of a checkpoint for which one result at least is counted before the next: it writes no more than about half of
/// what the events of a match do.
const BYTES_PER_RESULT: u64 = 1_024;
/// What could not be kept is tried again after this part of the results between two checkpoints.
const RETRY_SHARE: u64 = 20;

/// When the next checkpoint is due.
#[derive(Debug)]
pub(super) struct CheckpointTimer {
    /// Results that were counted since the last one.
    since: u64,
    /// After how many of them the next one is due.
    interval: u64,
    /// Whether there will be none any more.
    is_off: bool,
    /// The one that is being written.
    writing: Option<JoinHandle<()>>,
}

impl CheckpointTimer {
    /// Starts some results after the last checkpoint.
    pub(super) fn new(interval: u64, since: u64, is_off: bool) -> Self {
        Self { since, interval, is_off, writing: None }
    }

    /// Takes note that a result was counted.
    pub(super) fn note_result(&mut self) {
        self.since += 1;
    }

    /// Writes none from now on, say because something was counted that is not in the store: whoever counts what is there comes to
    /// something else.
    pub(super) fn disable(&mut self) {
        self.is_off = true;
    }

    fn is_due(&self) -> bool {
        let is_writing = self.writing.as_ref().is_some_and(|writing| !writing.is_finished());
        !self.is_off && self.since >= self.interval && !is_writing
    }
}

impl Director {
    /// Keeps what the tournament has come to, if it is time. No result is counted while that is put together; nobody waits
    /// until it is written.
    pub(super) async fn write_checkpoint_if_due(&mut self) {
        if !self.checkpoints.is_due() {
            return;
        }
        let (id, told) = (self.stored.id, (self.field.stored_changes(), self.rulings.recounts()));
        let (handle, reported) = (Arc::clone(&self.handle), self.reported.clone());
        let (at_least, at_most) =
            (self.arena.limits().checkpoint_results, self.arena.limits().checkpoint_bytes);
        let taken = self.arena.inner.environment.spawn_work(move || {
            let state = handle.checkpoint_bytes(told, &reported)?;
            Ok::<_, SnapshotUnavailable>(Checkpoint::new(id, reported.all_reported_below(), state))
        });
        let checkpoint = match taken.await {
            Ok(Ok(checkpoint)) => checkpoint,
            Ok(Err(SnapshotUnavailable::Busy)) => {
                let later = (self.checkpoints.interval / RETRY_SHARE).max(1);
                self.checkpoints.since = self.checkpoints.interval.saturating_sub(later);
                return;
            }
            Ok(Err(why)) => {
                tracing::debug!(tournament = %id, %why, "no checkpoints are written");
                return self.checkpoints.disable();
            }
            Err(error) => {
                tracing::error!(%error, tournament = %id, "a checkpoint broke down: no more are written");
                return self.checkpoints.disable();
            }
        };
        let bytes = checkpoint.state.len();
        if bytes > at_most {
            tracing::warn!(tournament = %id, bytes, at_most, "no more checkpoints are written: they have grown too large");
            return self.checkpoints.disable();
        }
        self.checkpoints.since = 0;
        self.checkpoints.interval = at_least.max(bytes as u64 / BYTES_PER_RESULT);
        let (arena, upto) = (self.arena.clone(), checkpoint.upto);
        self.checkpoints.writing = Some(self.arena.inner.tasks.spawn(async move {
            let change = Change::Checkpoint { id, checkpoint: Arc::new(checkpoint) };
            match arena.inner.context.commits.commit(vec![change]).await {
                Ok(()) => tracing::debug!(tournament = %id, upto, bytes, "a checkpoint is written"),
                Err(error) => tracing::warn!(%error, tournament = %id, "a checkpoint is not written"),
            }
        }));
    }
}
