//! Counters of runs.

use std::time::Duration;

/// Counters of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    pub runs: u64,
    pub simulated: Duration,
    pub messages: u64,
    pub takes: u64,
    pub ends: u64,
    pub sessions: u64,
    /// Messages between seats that were heard.
    pub talk: u64,
    pub writes: u64,
    pub matches: u64,
    pub plies: u64,
    pub server_crashes: u64,
    pub takeovers: u64,
    pub stalls: u64,
    pub store_faults: u64,
    pub partitions: u64,
    pub cuts: u64,
    pub bot_faults: u64,
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.simulated += other.simulated;
        self.messages += other.messages;
        self.takes += other.takes;
        self.ends += other.ends;
        self.sessions += other.sessions;
        self.talk += other.talk;
        self.writes += other.writes;
        self.matches += other.matches;
        self.plies += other.plies;
        self.server_crashes += other.server_crashes;
        self.takeovers += other.takeovers;
        self.stalls += other.stalls;
        self.store_faults += other.store_faults;
        self.partitions += other.partitions;
        self.cuts += other.cuts;
        self.bot_faults += other.bot_faults;
    }
}
