//! The limits of the live server.

use lastnim_config::settings;
use std::time::Duration;

settings! {
    /// The limits of the live server. The defaults suit a server on one machine.
    pub struct Limits {
        /// Maximum number of open sessions; one more is refused with `RESOURCE_EXHAUSTED`
        sessions: usize = 10_000, "N".range(1..);
        /// Maximum number of registered bots
        bots: usize = 100_000, "N".range(1..);
        /// Maximum number of open matches, in tournaments and exhibitions together
        open_matches: usize = 20_000, "N".range(1..);
        /// Maximum number of open practice matches, which bots start against house bots (`house`)
        practice_matches: usize = 500, "N";
        /// Maximum number of open practice matches of one bot
        practice_matches_per_bot: usize = 4, "N";
        /// Maximum number of practice matches that one bot may start in a minute
        practice_per_minute: u32 = 30, "N".range(1..=6_000);
        /// Maximum number of open matches of guests in a browser; they count as practice, and 0 turns them off
        guest_matches: usize = 200, "N";
        /// Maximum number of unfinished tournaments
        tournaments: usize = 1_000, "N".range(1..);
        /// Maximum number of queued messages for a session, apart from those that its open matches may cause
        ///
        /// Answers to a burst of idle messages and to unanswered join requests do not count either.
        session_queue: usize = 16, "N";
        /// Maximum number of queued takes, rows and resignations from one seat; one more ends the session
        unread_per_seat: usize = 4, "N".range(1..);
        /// Maximum number of unanswered requests from one session to join a tournament; one more is refused
        unanswered_joins: usize = 16, "N".range(1..);
        /// Maximum burst of idle messages (refused, repeated or unrequested) from a session; one more ends it
        idle_message_burst: u64 = 100, "N".range(1..);
        /// Maximum number of idle messages per second from a session in the long run
        idle_messages_per_second: u64 = 10, "N";
        /// How long the bot of an ending session may take to read its queued messages; the rest is dropped
        ///
        /// Before that, its matches have the same time to answer the messages that the session sent.
        closing_grace: Duration = Duration::from_secs(5), "DURATION";
        /// Maximum number of missed match ends that a reconnecting bot receives; older ones are only counted
        missed_ends: usize = 100, "N";
        /// Maximum age of missed match and tournament ends that a reconnecting bot receives
        missed_ends_age: Duration = Duration::from_hours(7 * 24), "DURATION";
        /// Maximum number of queued events for a watcher; one more disconnects it
        watcher_queue: usize = 1_024, "N".range(1..);
        /// Maximum number of watchers of one match or tournament
        watchers: usize = 1_000, "N";
        /// Interval between pings or heartbeats; bots and watchers reconnect after 25 to 35 s without one
        ping_interval: Duration = Duration::from_secs(10), "DURATION".range(100..=20_000);
        /// Minimum number of results between two checkpoints of a tournament's standings
        ///
        /// After a restart, the server counts again the results that came after the last checkpoint.
        checkpoint_results: u64 = 5_000, "N".range(1..);
        /// Maximum size of a checkpoint; a tournament that would exceed it does not write checkpoints
        checkpoint_bytes: usize = 32 << 20, "SIZE".in_bytes();
        /// Maximum size of the published transcript of one seat; 0B turns publishing off
        transcript_bytes: usize = 4 << 20, "SIZE".in_bytes();
        /// How often the server removes records that tournaments no longer keep (`retention`)
        retention_interval: Duration = Duration::from_mins(1), "DURATION".range(100..=86_400_000);
        /// How long clocks wait for bots to reconnect after a restart or a stall of the server
        return_grace: Duration = Duration::from_secs(30), "DURATION".range(0..=3_600_000);
        /// How long the server may stall (stopped, migrated, no CPU) before clocks exclude that time
        stall_threshold: Duration = Duration::from_millis(100), "DURATION".range(20..=3_600_000);
    }
}

impl Limits {
    /// Returns the maximum number of queued messages for a session without open matches. It includes room for the
    /// answers to a full burst of idle messages and to all unanswered join requests. A bot that sends too many of
    /// these, but reads its stream, therefore loses its session for sending them and not for reading slowly.
    pub fn session_outbox_limit(&self) -> usize {
        let idle_messages = usize::try_from(self.idle_message_burst).unwrap_or(usize::MAX);
        // Each idle message may cause a refusal and a repeated turn.
        let answers = idle_messages.saturating_mul(2).saturating_add(self.unanswered_joins);
        self.session_queue.saturating_add(answers)
    }
}
