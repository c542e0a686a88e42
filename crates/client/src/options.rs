//! Options for a bot's run.

use super::{CaCertificates, ClientCertificate, Error, ServerAddress, text_input::read_text_file};
use lastnim_core::game::{BotVersion, ConfigHash};
use std::{env, num::NonZeroUsize, path::PathBuf, time::Duration};

/// Default limit on how long to keep trying to reopen a lost session.
const DEFAULT_GIVE_UP_AFTER: Duration = Duration::from_mins(2);

/// Default maximum number of requests that an asynchronous bot handles at once.
const DEFAULT_CONCURRENCY: NonZeroUsize = NonZeroUsize::new(64).expect("64 is not 0");

/// Default address of the server.
const DEFAULT_SERVER: &str = "127.0.0.1:7600";

/// The server, bot, tournament and limits of a run.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// The server.
    pub server: ServerAddress,
    /// The bot's token.
    pub token: String,
    /// The tournament to join and play to its end; without one, the bot plays until it is stopped.
    pub tournament: Option<String>,
    /// How long to keep trying to reopen a lost session, or to reach the server at the start; two minutes by default.
    pub give_up_after: Duration,
    /// The version of the bot's program, for standings and audits to show: 1 to 64 visible ASCII characters without
    /// spaces.
    pub version: Option<String>,
    /// A hash of the bot's configuration, such as its settings or prompt.
    pub config_hash: Option<[u8; 32]>,
    /// Where to log all messages that the bot sends and receives, for `lastnim audit history`: a file, or a folder that
    /// gets one file per run. The log never contains the token.
    pub session_log: Option<PathBuf>,
    /// The maximum number of requests for messages, rows and takes that an [`AsyncBot`](super::AsyncBot) handles at
    /// once; 64 by default. A [`Bot`](super::Bot) is asked one question at a time.
    pub concurrency: NonZeroUsize,
}

impl Options {
    /// Creates options to play on `server` as the bot that `token` belongs to, until the run is stopped.
    pub fn new(server: impl Into<ServerAddress>, token: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            token: token.into(),
            tournament: None,
            give_up_after: DEFAULT_GIVE_UP_AFTER,
            version: None,
            config_hash: None,
            session_log: None,
            concurrency: DEFAULT_CONCURRENCY,
        }
    }

    /// Reads the options from the environment, which `lastnim tournament run` sets for the bots it starts:
    /// `LASTNIM_SERVER` (one address or several, see [`ServerAddress`]; default 127.0.0.1:7600), `LASTNIM_CA` (a file of
    /// certificate authorities to trust instead of the system's), `LASTNIM_CLIENT_CERT` and `LASTNIM_CLIENT_KEY` (the files
    /// of the client's own certificate and its key, for a server that asks for one), `LASTNIM_TOKEN` or
    /// `LASTNIM_TOKEN_FILE` (required), `LASTNIM_TOURNAMENT` (the tournament to play to its end), `LASTNIM_BOT_VERSION`,
    /// `LASTNIM_BOT_CONFIG_HASH` (64 hexadecimal digits or base64) and `LASTNIM_SESSION_LOG` (the file or folder of the
    /// [log](Self::session_log)).
    ///
    /// # Errors
    /// If the token is missing, a file cannot be used, only one file of the client certificate is named, or the hash is
    /// invalid.
    pub fn from_env() -> Result<Self, Error> {
        Self::from_variables(|name| env::var(name).ok())
    }

    /// Reads the options like [`from_env`](Self::from_env), but gets the values of the variables from `variable`.
    ///
    /// # Errors
    /// See [`from_env`](Self::from_env).
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        // An empty variable counts as unset.
        let variable = |name| variable(name).filter(|value| !value.is_empty());
        let mut server = ServerAddress::new(variable("LASTNIM_SERVER").as_deref().unwrap_or(DEFAULT_SERVER));
        if let Some(path) = variable("LASTNIM_CA") {
            server = server.with_ca(CaCertificates::read(path)?);
        }
        match (variable("LASTNIM_CLIENT_CERT"), variable("LASTNIM_CLIENT_KEY")) {
            (None, None) => {}
            (Some(certificate), Some(key)) => {
                server = server.with_client_certificate(ClientCertificate::read(certificate, key)?);
            }
            (Some(_), None) => return Err(Error::HalfClientCertificate { missing: "LASTNIM_CLIENT_KEY" }),
            (None, Some(_)) => return Err(Error::HalfClientCertificate { missing: "LASTNIM_CLIENT_CERT" }),
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

    /// Sets the tournament to join; the run stops when it has ended.
    #[must_use]
    pub fn tournament(mut self, id: impl Into<String>) -> Self {
        self.tournament = Some(id.into());
        self
    }

    /// Sets the version of the bot's program.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Sets the hash of the bot's configuration.
    #[must_use]
    pub fn config_hash(mut self, hash: [u8; 32]) -> Self {
        self.config_hash = Some(hash);
        self
    }

    /// Sets where to log all messages that the bot sends and receives: a file, or a folder that gets one file per run.
    #[must_use]
    pub fn session_log(mut self, path: impl Into<PathBuf>) -> Self {
        self.session_log = Some(path.into());
        self
    }

    /// Sets the maximum number of requests that an [`AsyncBot`](super::AsyncBot) handles at once.
    #[must_use]
    pub fn concurrency(mut self, requests: NonZeroUsize) -> Self {
        self.concurrency = requests;
        self
    }

    /// Returns the version and configuration hash that the bot declares to the server.
    pub(super) fn bot_version(&self) -> Result<BotVersion, Error> {
        let label = self.version.as_ref().map(|version| version.parse()).transpose()?;
        Ok(BotVersion { label, config_hash: self.config_hash.map(ConfigHash::from_bytes) })
    }

    /// Sets how long to keep trying to reopen a lost session, or to reach the server at the start.
    #[must_use]
    pub fn give_up_after(mut self, limit: Duration) -> Self {
        self.give_up_after = limit;
        self
    }
}

/// Reads the token in a file, without the white space around it.
fn read_token(path: PathBuf) -> Result<String, Error> {
    match read_text_file(&path) {
        Ok(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
        Ok(_) => Err(Error::TokenFile { path, reason: "it is empty".to_owned() }),
        Err(error) => Err(Error::TokenFile { path, reason: error.to_string() }),
    }
}

impl std::fmt::Debug for Options {
    /// Omits the token, to keep it out of logs.
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
    fn environment_variables_set_the_options() {
        let options_from = |set: &[(&str, &str)]| {
            let set = set.to_vec();
            Options::from_variables(|name| {
                set.iter().find(|(variable, _)| *variable == name).map(|&(_, value)| value.to_owned())
            })
        };
        let all = [("LASTNIM_SERVER", "host:1"), ("LASTNIM_TOKEN", "t"), ("LASTNIM_TOURNAMENT", "7")];
        let options = options_from(&all).unwrap();
        assert_eq!((options.server.as_str(), options.token.as_str()), ("host:1", "t"));
        assert_eq!(options.tournament.as_deref(), Some("7"));
        let options = options_from(&all[1..2]).unwrap();
        assert_eq!((options.server.as_str(), options.tournament), (DEFAULT_SERVER, None));
        assert_eq!((options.version, options.config_hash, options.session_log), (None, None, None));
        let logged = options_from(&[("LASTNIM_TOKEN", "t"), ("LASTNIM_SESSION_LOG", "logs")]).unwrap();
        assert_eq!(logged.session_log, Some("logs".into()));
        assert!(matches!(options_from(&all[..1]), Err(Error::NoToken)));
        let empty = [("LASTNIM_SERVER", ""), ("LASTNIM_TOKEN", "t"), ("LASTNIM_TOURNAMENT", "")];
        let options = options_from(&empty).unwrap();
        assert_eq!((options.server.as_str(), options.tournament), (DEFAULT_SERVER, None));
        let (token, digits) = (("LASTNIM_TOKEN", "t"), "07".repeat(32));
        let version_variables = [token, ("LASTNIM_BOT_VERSION", "1.4"), ("LASTNIM_BOT_CONFIG_HASH", &digits)];
        let options = options_from(&version_variables).unwrap();
        assert_eq!((options.version.as_deref(), options.config_hash), (Some("1.4"), Some([7; 32])));
        let version = options.bot_version().unwrap();
        assert_eq!(version.label.unwrap().as_str(), "1.4");
        assert!(matches!(
            options_from(&[token, ("LASTNIM_BOT_CONFIG_HASH", "07")]),
            Err(Error::ConfigHash(_))
        ));
        assert!(matches!(
            options_from(&version_variables).unwrap().version("a b").bot_version(),
            Err(Error::Version(_))
        ));
        let missing = [("LASTNIM_TOKEN", "t"), ("LASTNIM_CA", "no/such/file.pem")];
        assert!(matches!(options_from(&missing), Err(Error::Ca { .. })));
        let half = [("LASTNIM_TOKEN", "t"), ("LASTNIM_CLIENT_CERT", "no/such/file.pem")];
        assert!(matches!(
            options_from(&half),
            Err(Error::HalfClientCertificate { missing: "LASTNIM_CLIENT_KEY" })
        ));
        let both = [half[0], half[1], ("LASTNIM_CLIENT_KEY", "no/such/file.key")];
        assert!(matches!(options_from(&both), Err(Error::ClientCertificate { .. })));
    }
}
