//! Whether anything has changed since something was shown.

use crate::arena::Arena;
use std::sync::atomic::{AtomicU64, Ordering};

/// What all that can be shown depends on while nothing is played: between two that are equal, nothing has changed but what is measured all
/// the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision {
    /// Transactions of the store.
    transactions: u64,
    /// Sessions that were opened or have ended.
    sessions: u64,
    /// Times that the bots of a tournament that is not over were rated.
    ratings: u64,
}

/// Counts what changes without a transaction.
#[derive(Debug, Default)]
pub(crate) struct LiveChanges {
    ratings: AtomicU64,
}

impl LiveChanges {
    /// Takes note that bots were rated.
    pub(crate) fn note_ratings(&self) {
        self.ratings.fetch_add(1, Ordering::Release);
    }
}

impl Revision {
    /// Makes one that is like no other of another number.
    #[cfg(feature = "testing")]
    pub fn of_number(number: u64) -> Self {
        Self { transactions: number, sessions: 0, ratings: 0 }
    }
}

impl Arena {
    /// Returns the revision of all that can be shown; `None` while matches are played, as they change all the time.
    pub fn idle_revision(&self) -> Option<Revision> {
        let revision = Revision {
            transactions: self.commit_counts().transactions,
            sessions: self.inner.roster.session_changes(),
            ratings: self.inner.live_changes.ratings.load(Ordering::Acquire),
        };
        (self.open_match_count() == 0).then_some(revision)
    }

    /// Returns how often something that is over has changed all the same: bots or records were removed, transcripts published, matches
    /// voided. `None` where the store forgets what is over.
    pub fn ended_changes(&self) -> Option<u64> {
        self.inner.store.is_durable().then(|| self.commit_counts().ended_changes)
    }
}
