//! Detects whether the data that pages show has changed.

use crate::arena::Arena;
use std::sync::atomic::{AtomicU64, Ordering};

/// A fingerprint of everything that pages show while no match is played: if two revisions are equal, nothing but
/// metrics has changed in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision {
    transactions: u64,
    /// The number of times that a session was opened or ended.
    sessions: u64,
    /// The number of times that ratings of unfinished tournaments were computed.
    ratings: u64,
}

/// Counts changes that pages show but that are not written to the store.
#[derive(Debug, Default)]
pub(crate) struct LiveChanges {
    ratings: AtomicU64,
}

impl LiveChanges {
    /// Counts a rating of a tournament's bots.
    pub(crate) fn note_ratings(&self) {
        self.ratings.fetch_add(1, Ordering::Release);
    }
}

impl Revision {
    /// Creates a revision; different numbers give different revisions.
    #[cfg(feature = "testing")]
    pub fn of_number(number: u64) -> Self {
        Self { transactions: number, sessions: 0, ratings: 0 }
    }
}

impl Arena {
    /// Returns the revision of the data that pages show; `None` while a match is open, since the data then changes
    /// constantly.
    pub fn idle_revision(&self) -> Option<Revision> {
        let revision = Revision {
            transactions: self.commit_counts().transactions,
            sessions: self.inner.roster.session_change_count(),
            ratings: self.inner.live_changes.ratings.load(Ordering::Acquire),
        };
        (self.open_match_count() == 0).then_some(revision)
    }

    /// Returns the number of changes to finished matches and tournaments, such as removed bots or records, published
    /// transcripts and voided matches; `None` if the store drops finished matches.
    pub fn ended_changes(&self) -> Option<u64> {
        self.inner.store.is_durable().then(|| self.commit_counts().ended_changes)
    }
}
