//! What a bot's run depends on.

use std::time::Duration;

/// How long a lost session is sought again by default.
const GIVE_UP_AFTER: Duration = Duration::from_secs(120);

/// Where to play, as whom, and for how long.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// The server: `host:port` or `http://host:port`.
    pub server: String,
    /// The bot's token.
    pub token: String,
    /// The id of the tournament to join and to play to its end; without one, the bot plays until it is stopped.
    pub tournament: Option<String>,
    /// How long a lost session is sought again, or a server that is not there yet waited for; two minutes by default.
    pub give_up_after: Duration,
}

impl Options {
    /// Plays on `server` as the bot of `token`, until stopped.
    pub fn new(server: impl Into<String>, token: impl Into<String>) -> Self {
        Self { server: server.into(), token: token.into(), tournament: None, give_up_after: GIVE_UP_AFTER }
    }

    /// Joins the tournament of this id and stops when it has ended.
    #[must_use]
    pub fn tournament(mut self, id: impl Into<String>) -> Self {
        self.tournament = Some(id.into());
        self
    }

    /// Sets how long a lost session is sought again.
    #[must_use]
    pub fn give_up_after(mut self, limit: Duration) -> Self {
        self.give_up_after = limit;
        self
    }
}

impl std::fmt::Debug for Options {
    /// Leaves the token out, so that no log ever shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("server", &self.server)
            .field("tournament", &self.tournament)
            .field("give_up_after", &self.give_up_after)
            .finish_non_exhaustive()
    }
}
