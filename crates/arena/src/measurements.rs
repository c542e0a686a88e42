//! The arena's metrics.

use crate::arena::Arena;
use crate::matches::shard::ShardTally;
use crate::wall_clock::Standstills;
use lastnim_store::LatencyCounts;

/// The arena's metrics: current values, and counts since it was opened.
#[derive(Debug, Clone)]
pub struct ArenaMeasurements {
    /// Open sessions of bots.
    pub sessions: usize,
    /// Registered bots.
    pub bots: usize,
    /// Unfinished matches.
    pub open_matches: usize,
    /// Unfinished tournaments.
    pub open_tournaments: usize,
    /// Counts of match events.
    pub played: ShardTally,
    /// Transactions of the store.
    pub transactions: u64,
    /// Commits that wait for the store.
    pub waiting_commits: u64,
    /// The duration of all commits.
    pub commits: LatencyCounts,
    /// Times when the server stalled.
    pub standstills: Standstills,
}

impl Arena {
    /// Returns the current metrics. Locks are held only briefly.
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
