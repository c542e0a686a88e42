//! Writes checkpoints of a tournament, so that a later server does not have to count all its results again.

use super::Director;
use lastnim_store::Change;
use lastnim_tournament::{Checkpoint, SnapshotUnavailable};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// A checkpoint of `n` times this many bytes is followed by at least `n` results before the next one is written. This
/// limits checkpoints to about half of the bytes written for match events.
const BYTES_PER_RESULT: u64 = 1_024;
/// If the state cannot be saved yet, it is tried again after the interval between checkpoints divided by this number.
const RETRY_DIVISOR: u64 = 20;

/// Decides when the next checkpoint is due.
#[derive(Debug)]
pub(super) struct CheckpointTimer {
    /// The number of results since the last checkpoint.
    since: u64,
    /// The number of results between two checkpoints.
    interval: u64,
    /// Whether checkpoints are disabled.
    is_off: bool,
    /// The task that writes the latest checkpoint.
    writing: Option<JoinHandle<()>>,
}

impl CheckpointTimer {
    /// Creates a timer with which a checkpoint is due after `interval` results, of which `since` have already been
    /// counted.
    pub(super) fn new(interval: u64, since: u64, is_off: bool) -> Self {
        Self { since, interval, is_off, writing: None }
    }

    /// Counts a result towards the next checkpoint.
    pub(super) fn note_result(&mut self) {
        self.since += 1;
    }

    /// Disables further checkpoints. One reason is a counted result that is not in the store: a recount from the store
    /// would then differ from the checkpoint.
    pub(super) fn disable(&mut self) {
        self.is_off = true;
    }

    fn is_due(&self) -> bool {
        let is_writing = self.writing.as_ref().is_some_and(|writing| !writing.is_finished());
        !self.is_off && self.since >= self.interval && !is_writing
    }
}

impl Director {
    /// Writes a checkpoint if one is due. The director waits while the checkpoint is encoded, but not while it is
    /// written.
    pub(super) async fn write_checkpoint_if_due(&mut self) {
        if !self.checkpoints.is_due() {
            return;
        }
        let (id, changes_and_recounts) =
            (self.stored.id, (self.field.stored_change_count(), self.rulings.recounts()));
        let (handle, reported) = (Arc::clone(&self.handle), self.reported.clone());
        let (at_least, at_most) =
            (self.arena.limits().checkpoint_results, self.arena.limits().checkpoint_bytes);
        let taken = self.arena.inner.environment.spawn_computation(move || {
            let state = handle.checkpoint_bytes(changes_and_recounts, &reported)?;
            Ok::<_, SnapshotUnavailable>(Checkpoint::new(id, reported.first_unreported(), state))
        });
        let checkpoint = match taken.await {
            Ok(Ok(checkpoint)) => checkpoint,
            Ok(Err(SnapshotUnavailable::Busy)) => {
                let later = (self.checkpoints.interval / RETRY_DIVISOR).max(1);
                self.checkpoints.since = self.checkpoints.interval.saturating_sub(later);
                return;
            }
            Ok(Err(why)) => {
                tracing::debug!(tournament = %id, %why, "checkpoints are disabled");
                return self.checkpoints.disable();
            }
            Err(error) => {
                tracing::error!(%error, tournament = %id, "the checkpoint code panicked: checkpoints are disabled");
                return self.checkpoints.disable();
            }
        };
        let bytes = checkpoint.state.len();
        if bytes > at_most {
            tracing::warn!(tournament = %id, bytes, at_most, "checkpoints are disabled: they have grown too large");
            return self.checkpoints.disable();
        }
        self.checkpoints.since = 0;
        self.checkpoints.interval = at_least.max(bytes as u64 / BYTES_PER_RESULT);
        let (arena, upto) = (self.arena.clone(), checkpoint.upto);
        self.checkpoints.writing = Some(self.arena.inner.tasks.spawn(async move {
            let change = Change::Checkpoint { id, checkpoint: Arc::new(checkpoint) };
            match arena.inner.context.commits.commit(vec![change]).await {
                Ok(()) => tracing::debug!(tournament = %id, upto, bytes, "a checkpoint was written"),
                Err(error) => tracing::warn!(%error, tournament = %id, "a checkpoint was not written"),
            }
        }));
    }
}
