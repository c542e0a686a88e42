//! The arena's metrics.

use crate::arena::Arena;
use crate::matches::shard::ShardTally;
use crate::wall_clock::Standstills;
use lastnim_store::LatencyCounts;

/// The arena's metrics: current values, and counts since it was opened.
#[derive(Debug, Clone)]
pub struct ArenaMeasurements {
    /// The number of open bot sessions.
    pub sessions: usize,
    /// The number of registered bots.
    pub bots: usize,
    /// The number of unfinished matches.
    pub open_matches: usize,
    /// The number of unfinished tournaments.
    pub open_tournaments: usize,
    /// Counts of match events.
    pub played: ShardTally,
    /// The number of transactions that the store has committed.
    pub transactions: u64,
    /// The number of commits that are waiting for the store.
    pub waiting_commits: u64,
    /// The durations of all commits, as a histogram.
    pub commits: LatencyCounts,
    /// How often and for how long the server has stalled.
    pub standstills: Standstills,
}

impl Arena {
    /// Returns the current metrics. Locks are held only briefly.
    pub fn measurements(&self) -> ArenaMeasurements {
        let inner = &self.inner;
        let commits = self.commit_counts();
        ArenaMeasurements {
            sessions: self.session_count(),
            bots: inner.accounts.bot_count(),
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
