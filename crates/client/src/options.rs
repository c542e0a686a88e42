//! What a bot's run depends on.

use super::{CaCertificates, Error, ServerAddress};
use lastnim_core::game::{BotVersion, ConfigHash};
use std::{env, fs, num::NonZeroUsize, path::PathBuf, time::Duration};

/// How long a lost session is sought again by default.
const GIVE_UP_AFTER: Duration = Duration::from_mins(2);

/// How many rows and takes an asynchronous bot is asked for at once by default.
const CONCURRENCY: NonZeroUsize = NonZeroUsize::new(64).expect("64 is not 0");

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
    /// What the bot calls the version of its program, 1 to 64 visible ASCII characters without spaces: standings and audits
    /// tell versions apart.
    pub version: Option<String>,
    /// A hash of what the bot is configured with, such as its settings or its prompt.
    pub config_hash: Option<[u8; 32]>,
    /// The file to which everything is appended that the bot sends and receives, or the folder in which each run writes a file of its own:
    /// `lastnim check-history` holds a server to its promises by it. It never holds the token.
    pub session_log: Option<PathBuf>,
    /// How many rows and takes an [`AsyncBot`](super::AsyncBot) is asked for at once, from 1; 64 by default. A [`Bot`](super::Bot)
    /// is asked one question at a time.
    pub concurrency: NonZeroUsize,
}

impl Options {
    /// Plays on `server` as the bot of `token`, until stopped.
    pub fn new(server: impl Into<ServerAddress>, token: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            token: token.into(),
            tournament: None,
            give_up_after: GIVE_UP_AFTER,
            version: None,
            config_hash: None,
            session_log: None,
            concurrency: CONCURRENCY,
        }
    }

    /// Plays where the environment says, as a program does that `lastnim tournament run` has started: on the server
    /// `LASTNIM_SERVER` (127.0.0.1:7600 if it says nothing; `LASTNIM_CA` names a file of the authorities that are trusted
    /// there in place of the system's), as the bot of the token `LASTNIM_TOKEN`, or of the one that the file
    /// `LASTNIM_TOKEN_FILE` holds, and to the end of the tournament
    /// `LASTNIM_TOURNAMENT`, if it says one. `LASTNIM_BOT_VERSION` says the bot's version, `LASTNIM_BOT_CONFIG_HASH` the hash of
    /// its configuration, as 64 hexadecimal digits or in base64, and `LASTNIM_SESSION_LOG` the file or folder of its
    /// [log](Self::session_log).
    ///
    /// # Errors
    /// If there is no token, a file cannot be read, or the hash is none.
    pub fn from_env() -> Result<Self, Error> {
        Self::from_variables(|name| env::var(name).ok())
    }

    /// Plays where variables say that have the names of those of [`from_env`](Self::from_env).
    ///
    /// # Errors
    /// As there.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        // As in a shell, one that is empty says nothing.
        let variable = |name| variable(name).filter(|value| !value.is_empty());
        let mut server = ServerAddress::new(variable("LASTNIM_SERVER").as_deref().unwrap_or(USUAL_SERVER));
        if let Some(path) = variable("LASTNIM_CA") {
            server = server.with_ca(CaCertificates::read(path)?);
        }
        let token = match (variable("LASTNIM_TOKEN"), variable("LASTNIM_TOKEN_FILE")) {
            (Some(token), _) => token,
            (None, Some(file)) => read_token(file.into())?,
            (None, None) => return Err(Error::NoToken),
        };
        let config_hash =
            variable("LASTNIM_BOT_CONFIG_HASH").map(|text| text.parse::<ConfigHash>()).transpose()?;
        Ok(Self {
            tournament: variable("LASTNIM_TOURNAMENT"),
            version: variable("LASTNIM_BOT_VERSION"),
            config_hash: config_hash.map(|hash| *hash.as_bytes()),
            session_log: variable("LASTNIM_SESSION_LOG").map(PathBuf::from),
            ..Self::new(server, token)
        })
    }

    /// Joins the tournament of this id and stops when it has ended.
    #[must_use]
    pub fn tournament(mut self, id: impl Into<String>) -> Self {
        self.tournament = Some(id.into());
        self
    }

    /// Says the version of the bot's program.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Says the hash of what the bot is configured with.
    #[must_use]
    pub fn config_hash(mut self, hash: [u8; 32]) -> Self {
        self.config_hash = Some(hash);
        self
    }

    /// Logs everything that the bot sends and receives in a file, or in a file of its own in a folder.
    #[must_use]
    pub fn session_log(mut self, path: impl Into<PathBuf>) -> Self {
        self.session_log = Some(path.into());
        self
    }

    /// Sets how many rows and takes an [`AsyncBot`](super::AsyncBot) is asked for at once.
    #[must_use]
    pub fn concurrency(mut self, requests: NonZeroUsize) -> Self {
        self.concurrency = requests;
        self
    }

    /// Returns what the bot says of itself.
    pub(super) fn bot_version(&self) -> Result<BotVersion, Error> {
        let label = self.version.as_ref().map(|version| version.parse()).transpose()?;
        Ok(BotVersion { label, config_hash: self.config_hash.map(ConfigHash::from_bytes) })
    }

    /// Sets how long a lost session is sought again.
    #[must_use]
    pub fn give_up_after(mut self, limit: Duration) -> Self {
        self.give_up_after = limit;
        self
    }
}

/// Reads a file that holds a token.
fn read_token(path: PathBuf) -> Result<String, Error> {
    match fs::read_to_string(&path) {
        Ok(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
        Ok(_) => Err(Error::TokenFile { path, reason: "it is empty".to_owned() }),
        Err(error) => Err(Error::TokenFile { path, reason: error.to_string() }),
    }
}

impl std::fmt::Debug for Options {
    /// Leaves the token out, so that no log ever shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("server", &self.server)
            .field("tournament", &self.tournament)
            .field("give_up_after", &self.give_up_after)
            .field("version", &self.version)
            .field("config_hash", &self.config_hash)
            .field("session_log", &self.session_log)
            .field("concurrency", &self.concurrency)
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
        assert_eq!((options.version, options.config_hash, options.session_log), (None, None, None));
        let logged = read(&[("LASTNIM_TOKEN", "t"), ("LASTNIM_SESSION_LOG", "logs")]).unwrap();
        assert_eq!(logged.session_log, Some("logs".into()));
        assert!(matches!(read(&all[..1]), Err(Error::NoToken)));
        let empty = [("LASTNIM_SERVER", ""), ("LASTNIM_TOKEN", "t"), ("LASTNIM_TOURNAMENT", "")];
        let options = read(&empty).unwrap();
        assert_eq!((options.server.as_str(), options.tournament), (USUAL_SERVER, None));
        let (token, digits) = (("LASTNIM_TOKEN", "t"), "07".repeat(32));
        let said = [token, ("LASTNIM_BOT_VERSION", "1.4"), ("LASTNIM_BOT_CONFIG_HASH", &digits)];
        let options = read(&said).unwrap();
        assert_eq!((options.version.as_deref(), options.config_hash), (Some("1.4"), Some([7; 32])));
        let version = options.bot_version().unwrap();
        assert_eq!(version.label.unwrap().as_str(), "1.4");
        assert!(matches!(read(&[token, ("LASTNIM_BOT_CONFIG_HASH", "07")]), Err(Error::ConfigHash(_))));
        assert!(matches!(read(&said).unwrap().version("a b").bot_version(), Err(Error::Version(_))));
        let missing = [("LASTNIM_TOKEN", "t"), ("LASTNIM_CA", "no/such/file.pem")];
        assert!(matches!(read(&missing), Err(Error::Ca { .. })));
    }
}
