//! What a bot's run depends on.

use super::{CaCertificates, Error, ServerAddress};
use std::{env, time::Duration};

/// How long a lost session is sought again by default.
const GIVE_UP_AFTER: Duration = Duration::from_mins(2);

/// Where a server listens unless it is told otherwise.
const USUAL_SERVER: &str = "127.0.0.1:7600";

/// Where to play, as whom, and for how long.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// The server.
    pub server: ServerAddress,
    /// The bot's token.
    pub token: String,
    /// The id of the tournament to join and to play to its end; without one, the bot plays until it is stopped.
    pub tournament: Option<String>,
    /// How long a lost session is sought again, or a server that is not there yet waited for; two minutes by default.
    pub give_up_after: Duration,
}

impl Options {
    /// Plays on `server` as the bot of `token`, until stopped.
    pub fn new(server: impl Into<ServerAddress>, token: impl Into<String>) -> Self {
        Self { server: server.into(), token: token.into(), tournament: None, give_up_after: GIVE_UP_AFTER }
    }

    /// Plays where the environment says, as a program does that `lastnim tournament run` has started: on the server
    /// `LASTNIM_SERVER` (127.0.0.1:7600 if it says nothing; `LASTNIM_CA` names a file of the authorities that are trusted
    /// there in place of the system's), as the bot of the token `LASTNIM_TOKEN`, and to the end of the tournament
    /// `LASTNIM_TOURNAMENT`, if it says one.
    ///
    /// # Errors
    /// If there is no token, or the certificates cannot be read.
    pub fn from_env() -> Result<Self, Error> {
        Self::from_variables(|name| env::var(name).ok())
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let mut server = ServerAddress::new(variable("LASTNIM_SERVER").as_deref().unwrap_or(USUAL_SERVER));
        if let Some(path) = variable("LASTNIM_CA") {
            server = server.with_ca(CaCertificates::read(path)?);
        }
        let token = variable("LASTNIM_TOKEN").ok_or(Error::NoToken)?;
        Ok(Self { tournament: variable("LASTNIM_TOURNAMENT"), ..Self::new(server, token) })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_says_where_to_play() {
        let read = |set: &[(&str, &str)]| {
            let set = set.to_vec();
            Options::from_variables(|name| {
                set.iter().find(|(variable, _)| *variable == name).map(|&(_, value)| value.to_owned())
            })
        };
        let all = [("LASTNIM_SERVER", "host:1"), ("LASTNIM_TOKEN", "t"), ("LASTNIM_TOURNAMENT", "7")];
        let options = read(&all).unwrap();
        assert_eq!((options.server.as_str(), options.token.as_str()), ("host:1", "t"));
        assert_eq!(options.tournament.as_deref(), Some("7"));
        let options = read(&all[1..2]).unwrap();
        assert_eq!((options.server.as_str(), options.tournament), (USUAL_SERVER, None));
        assert!(matches!(read(&all[..1]), Err(Error::NoToken)));
        let missing = [("LASTNIM_TOKEN", "t"), ("LASTNIM_CA", "no/such/file.pem")];
        assert!(matches!(read(&missing), Err(Error::Ca { .. })));
    }
}
