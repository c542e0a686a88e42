//! Every limit of the live server, in one place.

use std::time::Duration;

/// How much the server takes on, and when it says no. Each has a default that suits one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Sessions open at once; one more is refused with `RESOURCE_EXHAUSTED`.
    pub sessions: usize,
    /// Registered bots.
    pub bots: usize,
    /// Matches open at once, of tournaments and exhibitions together.
    pub open_matches: usize,
    /// Tournaments that are not over.
    pub tournaments: usize,
    /// Messages that may wait for a session, besides those that its open matches may cause between two of its turns, the
    /// answers to as much noise as it may make at once (a refusal and the turn that follows it, each), and those to as many
    /// requests to join as may wait.
    pub session_queue: usize,
    /// Takes, rows and resignations of one seat that may wait for its match; one more ends the session.
    pub unread_per_seat: usize,
    /// Requests of one session to join tournaments that may wait for their answers; one more is refused.
    pub unanswered_joins: usize,
    /// Messages that lead nowhere (refused, repeated, unasked for) that a session may send at once; one more ends it.
    pub noise_burst: u64,
    /// Such messages that are forgiven each second.
    pub noise_per_second: u64,
    /// How long a session that is ended may take to read what waits for it, after which that is dropped; and how long the
    /// matches may take before to answer what it has sent.
    pub closing_grace: Duration,
    /// Ends of matches that a bot has not confirmed to have heard and that it is told of when it comes back: the newest. How
    /// many more there were it is told as well.
    pub missed_ends: usize,
    /// How long ago a match may have begun, or a tournament ended, of whose end a bot is told that missed it.
    pub missed_ends_age: Duration,
    /// Events that may wait for a watcher before it is let go.
    pub watcher_queue: usize,
    /// Watchers of one match or tournament.
    pub watchers: usize,
    /// How often the lag of a session is measured.
    pub ping_interval: Duration,
    /// Results that a tournament counts before it keeps what it has come to, at least: a server that comes back counts
    /// those again that came after.
    pub checkpoint_results: u64,
    /// Bytes of what a tournament keeps so; beyond it, it keeps nothing new.
    pub checkpoint_bytes: usize,
    /// How long, after the server has come back, a seat's clock stands still until its bot has come back as well; also
    /// for a bot that has lost its stream because the server stood still.
    pub return_grace: Duration,
    /// The longest that the runtime may show no sign of life: a longer gap counts as time in which the server did not run,
    /// and no clock runs meanwhile.
    pub stall_threshold: Duration,
}

impl Limits {
    /// Returns how many messages may wait for a session that has no open match. The answers to noise and to requests to
    /// join count besides the others, so that a bot which reads is told of its noise and not of slow reading.
    pub fn session_room(&self) -> usize {
        let noise = usize::try_from(self.noise_burst).unwrap_or(usize::MAX);
        // A refusal, and the turn as it stands.
        let answers = noise.saturating_mul(2).saturating_add(self.unanswered_joins);
        self.session_queue.saturating_add(answers)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sessions: 10_000,
            bots: 100_000,
            open_matches: 20_000,
            tournaments: 1_000,
            session_queue: 16,
            unread_per_seat: 4,
            unanswered_joins: 16,
            noise_burst: 100,
            noise_per_second: 10,
            closing_grace: Duration::from_secs(5),
            missed_ends: 100,
            missed_ends_age: Duration::from_hours(7 * 24),
            watcher_queue: 1_024,
            watchers: 1_000,
            ping_interval: Duration::from_secs(10),
            checkpoint_results: 5_000,
            checkpoint_bytes: 32 << 20,
            return_grace: Duration::from_secs(30),
            stall_threshold: Duration::from_millis(100),
        }
    }
}
