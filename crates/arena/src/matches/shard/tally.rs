//! What has happened in the matches of a shard, for those who watch over the server.

use lastnim_core::referee::{Event, RefusalReason};

/// What has been announced in the matches of a shard since the server started. It stands under the lock of the shard, which whoever plays holds anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShardTally {
    /// Takes, those of the steward included.
    pub plies: u64,
    /// Matches that came to an end.
    pub ended_matches: u64,
    /// Seats that were forfeited.
    pub forfeits: u64,
    /// Messages of bots that were refused, in the order of [`RefusalReason::ALL`].
    pub refusals: [u64; RefusalReason::ALL.len()],
}

impl ShardTally {
    /// Counts an event that is announced.
    pub(super) fn note_event(&mut self, event: &Event) {
        match event {
            Event::Took { .. } => self.plies += 1,
            Event::Forfeited { .. } => self.forfeits += 1,
            Event::Ended { .. } => self.ended_matches += 1,
            Event::Created(_) | Event::Declared { .. } | Event::Revealed { .. } | Event::Struck { .. } => {}
        }
    }

    /// Counts a message that is refused.
    pub(super) fn note_refusal(&mut self, reason: RefusalReason) {
        if let Some(index) = RefusalReason::ALL.iter().position(|&other| other == reason) {
            self.refusals[index] += 1;
        }
    }

    /// Adds what another shard has counted.
    pub(super) fn add(&mut self, other: &Self) {
        self.plies += other.plies;
        self.ended_matches += other.ended_matches;
        self.forfeits += other.forfeits;
        for (sum, more) in self.refusals.iter_mut().zip(other.refusals) {
            *sum += more;
        }
    }
}
