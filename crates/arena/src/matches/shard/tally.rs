//! Counters of a shard's matches, for monitoring.

use lastnim_core::referee::{Event, RefusalReason};

/// Counts of events announced in a shard since the server started. They are protected by the shard's lock, which is
/// held anyway when an event is announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShardTally {
    /// The number of takes, including those of the steward.
    pub plies: u64,
    /// The number of matches that have ended.
    pub ended_matches: u64,
    /// The number of seats that were forfeited.
    pub forfeits: u64,
    /// The number of refused messages for each reason, in the order of [`RefusalReason::ALL`].
    pub refusals: [u64; RefusalReason::ALL.len()],
}

impl ShardTally {
    /// Counts an announced event.
    pub(super) fn note_event(&mut self, event: &Event) {
        match event {
            Event::Took { .. } => self.plies += 1,
            Event::Forfeited { .. } => self.forfeits += 1,
            Event::Ended { .. } => self.ended_matches += 1,
            Event::Created(_)
            | Event::Dealt(_)
            | Event::Said(_)
            | Event::TalkEnded { .. }
            | Event::Heard { .. }
            | Event::Declared { .. }
            | Event::Revealed { .. }
            | Event::Struck { .. } => {}
        }
    }

    pub(super) fn note_refusal(&mut self, reason: RefusalReason) {
        if let Some(index) = RefusalReason::ALL.iter().position(|&other| other == reason) {
            self.refusals[index] += 1;
        }
    }

    /// Adds the counts of another shard.
    pub(super) fn add(&mut self, other: &Self) {
        self.plies += other.plies;
        self.ended_matches += other.ended_matches;
        self.forfeits += other.forfeits;
        for (sum, more) in self.refusals.iter_mut().zip(other.refusals) {
            *sum += more;
        }
    }
}
