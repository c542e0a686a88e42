//! All settings of `lastnim serve`.

use super::listening::ListenPlace;
use crate::{
    Failure,
    log::{LogFilter, LogFormat},
    remote::DEFAULT_ADDRESS,
};
use lastnim_arena::{Backend, Durability, Environment, generate_key};
use lastnim_config::{SettingTable as _, settings, text_settings};
use lastnim_core::referee::SigningKey;
use lastnim_server::{Config, ServerTls, TlsFiles, load_or_generate_key};
use lastnim_store::{OpenOptions, RetentionLimits, StoreUrl};
use serde_json::Value;
use std::{
    io::{self, Write},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

settings! {
    /// All settings of `lastnim serve`: each is a flag, a key of the `--config` file, and a line of `--print-config`.
    pub struct ServeSettings {
        /// The address or host name, and the port, to listen on; port 0 takes a free one; or `unix:PATH`
        ///
        /// A host name listens on its first usable address, IPv4 first. The file of a Unix socket gets mode 0660.
        listen: ListenPlace = DEFAULT_ADDRESS.parse().expect("it is a valid address"), "HOST:PORT";
        /// A PEM file with the server's certificate and those that lead to its authority; turns TLS on
        ///
        /// This file and that of the key are read again when they change.
        tls_cert: Option<PathBuf> = None, "FILE";
        /// A PEM file with the private key of the certificate
        tls_key: Option<PathBuf> = None, "FILE";
        /// A PEM file of authorities; clients must then show a certificate that one of them has signed
        ///
        /// It needs `tls_cert`. The file is read again when it changes.
        client_ca: Option<PathBuf> = None, "FILE";
        /// The log on standard error: a level, or levels by module, such as `warn,lastnim_arena=debug`
        ///
        /// Levels are error, warn, info, debug, trace and off. The default is `RUST_LOG`, or else `warn,lastnim=info`.
        log: Option<LogFilter> = None, "FILTER".or_variable("LASTNIM_LOG");
        /// The format of the log; `json` writes one object per line
        log_format: LogFormat = LogFormat::default(), "text|json";
        /// The store: `sqlite:PATH`, `postgres://USER:PASSWORD@HOST/DATABASE`, or `memory`
        ///
        /// Pass a URL with a password in the environment: others can read a command line.
        store: StoreUrl = StoreUrl::Sqlite("lastnim.db".into()), "STORE".or_variable("LASTNIM_STORE");
        /// When matches are stored: `ply`, each ply before it is announced, or `match`, at the end
        durability: Durability = Durability::default(), "ply|match";
        /// The file of the key that signs records, created at the first start
        ///
        /// The default is lastnim.key next to a SQLite store, or in the working folder with PostgreSQL. With a store in memory
        /// it is a new key at each start.
        key: Option<PathBuf> = None, "FILE";
        /// How often the server checks the pages of a SQLite store in the background
        integrity_interval: Duration = OpenOptions::default().integrity_interval, "DURATION".range(100..=86_400_000);
        /// Waits while another server has the PostgreSQL database open; takes over when that one stops or fails
        ///
        /// Start both servers with this setting, and with the same key, tokens, house bots and limits.
        standby: bool = false, "true|false";
        /// With a store in memory: maximum number of finished matches whose records are kept
        kept_matches: usize = RetentionLimits::default().matches, "N";
        /// With a store in memory: maximum number of events in kept records; the oldest records go first
        kept_events: usize = RetentionLimits::default().events, "N";
        /// With a store in memory: maximum number of finished tournaments that are kept
        kept_tournaments: usize = RetentionLimits::default().tournaments, "N";
        /// Threads that handle messages; 1 uses a core most efficiently [default: one per core]
        threads: Option<u16> = None, "N".range(1..=1024);
        ..
        /// The settings of the server itself.
        server: Config;
    }
}

/// Problems with a SQLite store that the server accepts when it starts, instead of failing.
#[derive(Debug, Clone, Copy, Default)]
pub struct AcceptedLosses {
    /// The store is not the one that the server used before.
    pub new_store: bool,
    /// The write-ahead log is gone.
    pub lost_wal: bool,
}

/// The default file name of the key.
const DEFAULT_KEY_FILE: &str = "lastnim.key";

impl ServeSettings {
    /// Opens the store. `holder` describes this server, for a server that waits for the database.
    pub async fn open_backend(
        &self,
        accepted: AcceptedLosses,
        key: SigningKey,
        holder: String,
    ) -> Result<Backend, Failure> {
        let options = OpenOptions {
            retention: RetentionLimits {
                matches: self.kept_matches,
                events: self.kept_events,
                tournaments: self.kept_tournaments,
            },
            accept_other: accepted.new_store,
            accept_lost_wal: accepted.lost_wal,
            integrity_interval: self.integrity_interval,
            holder,
        };
        let store = lastnim_store::open_store_with(&self.store, &options).await;
        let store = store.map_err(|error| Failure::runtime(error, format!("--store {}", self.store)))?;
        Ok(Backend { store, durability: self.durability, key, environment: Environment::default() })
    }

    /// Reads the files for TLS, if they are given.
    pub fn read_tls(&self) -> Result<Option<Arc<ServerTls>>, Failure> {
        let flags =
            [("tls-cert", &self.tls_cert), ("tls-key", &self.tls_key), ("client-ca", &self.client_ca)];
        if let ListenPlace::Socket(_) = self.listen
            && let Some((flag, _)) = flags.iter().find(|(_, file)| file.is_some())
        {
            return Err(Failure::input(format!(
                "--{flag}: connections to a Unix socket do not use TLS: leave it out, or listen on HOST:PORT, such as {DEFAULT_ADDRESS}"
            )));
        }
        let files = match (&self.tls_cert, &self.tls_key) {
            (None, None) if self.client_ca.is_some() => {
                return Err(Failure::input(
                    "--client-ca requires --tls-cert and --tls-key: clients show certificates only over TLS",
                ));
            }
            (None, None) => return Ok(None),
            (Some(certificate), Some(key)) => TlsFiles {
                certificate: certificate.clone(),
                key: key.clone(),
                client_ca: self.client_ca.clone(),
            },
            (Some(_), None) => {
                return Err(Failure::input("--tls-cert requires --tls-key with the file of its private key"));
            }
            (None, Some(_)) => {
                return Err(Failure::input("--tls-key requires --tls-cert with the file of its certificate"));
            }
        };
        let tls = ServerTls::read(files).map_err(|error| Failure::input(format!("TLS: {error}")))?;
        Ok(Some(Arc::new(tls)))
    }

    /// Reads the key that signs records, or generates it.
    pub fn read_key(&self) -> Result<SigningKey, Failure> {
        match self.key_file() {
            None => Ok(generate_key()),
            Some(file) => load_or_generate_key(&file).map_err(|error| Failure::runtime(error, "--key")),
        }
    }

    /// Returns the file of the key; `None` if this run uses a new key.
    fn key_file(&self) -> Option<PathBuf> {
        self.key.clone().or_else(|| match &self.store {
            StoreUrl::Memory => None,
            StoreUrl::Sqlite(file) => Some(file.with_file_name(DEFAULT_KEY_FILE)),
            StoreUrl::Postgres(_) => Some(DEFAULT_KEY_FILE.into()),
        })
    }

    /// Returns the settings that differ from their defaults as one JSON object.
    pub fn changed_json(&self) -> Value {
        let (mut changed, mut usual) = (self.clone(), Self::default());
        let settings = changed
            .settings()
            .into_iter()
            .zip(usual.settings())
            .map(|(now, usual)| (now.key().to_owned(), now.value(), usual.value()));
        let changed = settings.filter(|(_, now, usual)| now != usual).map(|(key, now, _)| (key, now));
        Value::Object(changed.collect())
    }

    /// Returns all settings as one JSON object.
    pub fn into_json(mut self) -> Value {
        Value::Object(
            self.settings().iter().map(|setting| (setting.key().to_owned(), setting.value())).collect(),
        )
    }

    /// Writes all settings, each with its documentation, as a file that `--config` reads.
    pub fn write_file(mut self, out: &mut impl Write) -> io::Result<()> {
        for (index, setting) in self.settings().iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            for line in setting.doc_lines() {
                writeln!(out, "{}", format_args!("# {line}").to_string().trim_end())?;
            }
            let key = setting.key();
            match setting.value() {
                Value::Null => writeln!(out, "# {key} =")?,
                // TOML requires an escape for this character, and JSON does not.
                value => {
                    writeln!(out, "{key} = {}", value.to_string().replace('\x7f', "\\u007f"))?;
                }
            }
        }
        Ok(())
    }
}

text_settings!(ListenPlace, LogFilter, LogFormat);
