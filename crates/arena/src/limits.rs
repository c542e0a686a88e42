//! Every limit of the live server, in one place.

use lastnim_config::settings;
use std::time::Duration;

settings! {
    /// How much the server takes on, and when it says no. Each has a default that suits one machine.
    pub struct Limits {
        /// Sessions open at once; one more is refused with `RESOURCE_EXHAUSTED`
        sessions: usize = 10_000, "N".range(1..);
        /// Registered bots
        bots: usize = 100_000, "N".range(1..);
        /// Matches open at once, of tournaments and exhibitions together
        open_matches: usize = 20_000, "N".range(1..);
        /// Practice matches open at once; such a match is one that a bot starts against house bots (`house`)
        practice_matches: usize = 500, "N";
        /// Practice matches of one bot open at once
        practice_matches_per_bot: usize = 4, "N";
        /// Practice matches that one bot may start in a minute
        practice_per_minute: u32 = 30, "N".range(1..=6_000);
        /// Matches of guests open at once; such a match is one that somebody plays in a browser against house bots (`house`)
        ///
        /// They count as practice matches as well. With 0 nobody plays in a browser.
        guest_matches: usize = 200, "N";
        /// Unfinished tournaments
        tournaments: usize = 1_000, "N".range(1..);
        /// Messages that may be queued for a session, besides those that its open matches may cause between two of its turns
        ///
        /// The answers to as many unproductive messages as a session may send at once, and to as many requests to join as may
        /// wait, do not count either.
        session_queue: usize = 16, "N";
        /// Takes, rows and resignations of one seat that may be queued for its match; one more ends the session
        unread_per_seat: usize = 4, "N".range(1..);
        /// Requests of one session to join a tournament that may be unanswered; one more is refused
        unanswered_joins: usize = 16, "N".range(1..);
        /// Unproductive messages (refused, repeated, unasked for) that a session may send at once; one more ends it
        unproductive_burst: u64 = 100, "N".range(1..).formerly("noise_burst");
        /// Unproductive messages that a session may send each second in the long run
        unproductive_per_second: u64 = 10, "N".formerly("noise_per_second");
        /// How long a session that is ended may take to read what is queued for it; the rest is dropped
        ///
        /// Before that, the matches may take as long to answer what the session has sent.
        closing_grace: Duration = Duration::from_secs(5), "MS";
        /// How many ends of matches that it missed, the newest ones, a bot is told of when it reconnects
        ///
        /// It is also told how many more there were.
        missed_ends: usize = 100, "N";
        /// Maximum age, since the start of the match or the end of the tournament, of an end that a returning bot is told of
        missed_ends_age: Duration = Duration::from_hours(7 * 24), "MS";
        /// Events that may be queued for a watcher; one more disconnects it
        watcher_queue: usize = 1_024, "N".range(1..);
        /// Watchers of one match or tournament
        watchers: usize = 1_000, "N";
        /// How often the lag of a session is measured
        ping_interval: Duration = Duration::from_secs(10), "MS".range(100..=3_600_000);
        /// Minimum number of results between two checkpoints of the standings of a tournament
        ///
        /// A server that comes back counts again the results since the checkpoint.
        checkpoint_results: u64 = 5_000, "N".range(1..);
        /// Maximum size of a checkpoint; a tournament that would exceed it writes none
        checkpoint_bytes: usize = 32 << 20, "BYTES";
        /// Maximum size of what is published of the transcripts of one seat of a match; with 0 none are
        transcript_bytes: usize = 4 << 20, "BYTES";
        /// How often the records are removed that tournaments do not keep (`retention` in their settings)
        retention_interval: Duration = Duration::from_mins(1), "MS".range(100..=86_400_000);
        /// How long clocks wait for bots to reconnect after a restart or a stall of the server
        return_grace: Duration = Duration::from_secs(30), "MS".range(0..=3_600_000);
        /// How long the server may be stalled (stopped, migrated, starved of CPU) before no clock runs for that time
        stall_threshold: Duration = Duration::from_millis(100), "MS".range(20..=3_600_000);
    }
}

impl Limits {
    /// Returns how many messages may wait for a session that has no open match. The answers to unproductive messages and to
    /// requests to join count besides the others, so that a bot which reads is told of those and not of slow reading.
    pub fn session_outbox_limit(&self) -> usize {
        let unproductive = usize::try_from(self.unproductive_burst).unwrap_or(usize::MAX);
        // A refusal, and the turn as it stands.
        let answers = unproductive.saturating_mul(2).saturating_add(self.unanswered_joins);
        self.session_queue.saturating_add(answers)
    }
}
