//! What the arena measures of itself, for those who watch over the server.

use crate::arena::Arena;
use crate::matches::shard::ShardTally;
use crate::wall_clock::Standstills;
use lastnim_store::LatencyCounts;

/// What the arena measures of itself: states of this moment, and counts since it was opened.
#[derive(Debug, Clone)]
pub struct ArenaMeasurements {
    /// Sessions of bots.
    pub sessions: usize,
    /// Bots that are registered.
    pub bots: usize,
    /// Matches that are not over.
    pub open_matches: usize,
    /// Tournaments that are not over.
    pub open_tournaments: usize,
    /// What has happened in matches.
    pub played: ShardTally,
    /// Transactions of the store.
    pub transactions: u64,
    /// Commits that wait for the store.
    pub waiting_commits: u64,
    /// How long the commits took that matches, registrations and the like waited for.
    pub commits: LatencyCounts,
    /// Times in which the server did not run.
    pub standstills: Standstills,
}

impl Arena {
    /// Returns what is measured. Nobody who plays waits for it longer than a moment.
    pub fn measurements(&self) -> ArenaMeasurements {
        let inner = &self.inner;
        let commits = self.commit_counts();
        ArenaMeasurements {
            sessions: self.session_count(),
            bots: inner.accounts.registered_bots(),
            open_matches: self.open_match_count(),
            open_tournaments: self.open_tournament_count(),
            played: inner.shards.tally(),
            transactions: commits.transactions,
            waiting_commits: commits.waiting,
            commits: inner.context.commits.latencies(),
            standstills: inner.clock.standstills(),
        }
    }
}
