//! `lastnim serve`: a server for bots.

use crate::{
    arena::{Arena, Backend, Durability, Limits, Principal, draw_key},
    cli::{Exit, Failure, Outcome, args::former_key::former_key, remote::DEFAULT_ADDRESS, runtime},
    referee::PublicKey,
    server::{self, Config, TrustedProxy, load_or_draw_key},
    store::{self, OpenOptions, Room, StoreUrl, Token},
};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use tokio::net::TcpListener;

/// Hosts matches and tournaments
///
/// Bots play over gRPC (ArenaService.Play); the other services register bots, run tournaments, show matches and ask the
/// oracle. What must last is kept in a database: a server that is started again carries on every match and tournament.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lastnim serve
  lastnim serve --listen 0.0.0.0:7600 --private --sessions 2000
  LASTNIM_ADMIN_TOKEN=$(head -c 24 /dev/urandom | base64) lastnim serve --json
  lastnim serve --store postgres://lastnim:secret@localhost/lastnim
  lastnim serve --store memory
  lastnim serve --print-config

Then register bots and create a tournament, in another terminal:
  export LASTNIM_ADMIN_TOKEN=...   # printed by `lastnim serve`
  lastnim register alice
  lastnim tournament create --piles 3,4,5 --seats 2 --start-at 2")]
pub struct ServeArgs {
    #[command(flatten)]
    settings: Settings,
    /// The token of the admin, 16 visible ASCII characters or more; drawn and printed if not given
    #[arg(long, env = "LASTNIM_ADMIN_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    admin_token: Option<String>,
    /// A token that may look but not touch, for use with --private
    #[arg(long, env = "LASTNIM_VIEWER_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    viewer_token: Option<String>,
    /// Begins a new store where the file beside it (`PATH.id`) says that one was, or takes the other one that lies there now
    ///
    /// Give it once, when the old one is meant to be gone.
    #[arg(long)]
    new_store: bool,
    /// Prints all settings as they would be in force, each as its flag in a line of its own, and exits
    ///
    /// A store whose URL holds a password is left out.
    #[arg(long)]
    print_config: bool,
    /// Prints one line of JSON: where it listens, and the admin token if it was drawn
    #[arg(long)]
    json: bool,
}

/// The settings of a server, by their flags.
#[derive(Debug, clap::Args, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Settings {
    /// Where to listen; port 0 takes a free one
    #[arg(long, default_value = DEFAULT_ADDRESS, value_name = "ADDR")]
    listen: SocketAddr,
    /// Where to keep what must last: `sqlite:PATH`, `postgres://USER:PASSWORD@HOST/DATABASE`, or `memory`
    ///
    /// Give a store with a password in the environment: a command line can be read by others.
    #[arg(long, env = "LASTNIM_STORE", hide_env_values = true, default_value = DEFAULT_STORE, value_name = "STORE")]
    store: String,
    /// When a match is written to the store: `ply`, each ply before it is announced, or `match`, at its end
    #[arg(long, default_value_t, value_name = "ply|match")]
    #[serde(serialize_with = "as_text")]
    durability: Durability,
    /// The file of the key that signs records, made at the first start [default: lastnim.key beside the file of the
    /// store; with PostgreSQL, in the working folder; with --store memory, a key for this run]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// How long, after a restart or a pause of the server, clocks wait for bots to come back
    #[arg(long, value_name = "MS", default_value_t = millis(Limits::default().return_grace), value_parser = clap::value_parser!(u64).range(0..=3_600_000))]
    return_grace_ms: u64,
    /// How long the server may stand still (stopped, moved, starved) before no clock runs meanwhile
    #[arg(long, value_name = "MS", default_value_t = millis(Limits::default().stall_threshold), value_parser = clap::value_parser!(u64).range(20..=3_600_000))]
    stall_threshold_ms: u64,
    /// Results that a tournament counts, at least, before it writes a checkpoint of what it has come to
    #[arg(long, value_name = "N", default_value_t = Limits::default().checkpoint_results, value_parser = clap::value_parser!(u64).range(1..))]
    checkpoint_results: u64,
    /// Bytes of such a checkpoint; a tournament that needs more writes none
    #[arg(long, value_name = "N", default_value_t = count(Limits::default().checkpoint_bytes))]
    checkpoint_bytes: u32,
    /// How often the pages of a SQLite store are checked in the background
    #[arg(long, value_name = "MS", default_value_t = millis(OpenOptions::default().integrity_interval), value_parser = clap::value_parser!(u64).range(100..=86_400_000))]
    integrity_interval_ms: u64,
    /// Threads that carry messages; 1 is fastest a core [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Lets nobody look without a token
    #[arg(long)]
    private: bool,
    /// Lets anybody register bots
    #[arg(long)]
    open_registration: bool,
    /// With --open-registration: bots that may be registered at once from one address without the admin's token
    #[arg(long, value_name = "N", default_value_t = Config::default().registrations, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    registrations: u32,
    /// The time after which one more may be
    #[arg(long, value_name = "MS", default_value_t = millis(Config::default().registration_interval), value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    registration_interval_ms: u64,
    /// Sessions at once
    #[arg(long, value_name = "N", default_value_t = count(Limits::default().sessions), value_parser = clap::value_parser!(u32).range(1..))]
    sessions: u32,
    /// Registered bots
    #[arg(long, value_name = "N", default_value_t = count(Limits::default().bots), value_parser = clap::value_parser!(u32).range(1..))]
    bots: u32,
    /// Matches open at once
    #[arg(long, value_name = "N", default_value_t = count(Limits::default().open_matches), value_parser = clap::value_parser!(u32).range(1..))]
    open_matches: u32,
    /// With --store memory: matches that are over and whose records are kept
    #[arg(long, value_name = "N", default_value_t = count(Room::default().matches))]
    kept_matches: u32,
    /// With --store memory: events of these records together; beyond it, the oldest records go first
    #[arg(long, value_name = "N", default_value_t = count(Room::default().events))]
    kept_events: u32,
    /// With --store memory: tournaments that are over and kept
    #[arg(long, value_name = "N", default_value_t = count(Room::default().tournaments))]
    kept_tournaments: u32,
    /// Tournaments that are not over
    #[arg(long, value_name = "N", default_value_t = count(Limits::default().tournaments), value_parser = clap::value_parser!(u32).range(1..))]
    tournaments: u32,
    /// Messages that may wait for a session, besides what its open matches may cause between two of its turns
    #[arg(long, value_name = "N", default_value_t = count(Limits::default().session_queue))]
    session_queue: u32,
    /// Messages of one seat that may wait for its match
    #[arg(long, value_name = "N", default_value_t = count(Limits::default().unread_per_seat), value_parser = clap::value_parser!(u32).range(1..))]
    unread_per_seat: u32,
    /// Requests of one session to join tournaments that may wait for their answers
    #[arg(long, value_name = "N", default_value_t = count(Limits::default().unanswered_joins), value_parser = clap::value_parser!(u32).range(1..))]
    unanswered_joins: u32,
    /// Messages that lead nowhere (refused, repeated, unasked for) that a session may send at once
    #[arg(long, value_name = "N", default_value_t = Limits::default().noise_burst, value_parser = clap::value_parser!(u64).range(1..))]
    noise_burst: u64,
    /// Such messages that are forgiven each second
    #[arg(long, value_name = "N", default_value_t = Limits::default().noise_per_second)]
    noise_per_second: u64,
    /// How long a session that is ended may take to read what waits for it
    #[arg(long, value_name = "MS", default_value_t = millis(Limits::default().closing_grace))]
    closing_grace_ms: u64,
    /// Ends of matches that a bot missed and is told of when it comes back: the newest
    #[arg(long, value_name = "N", default_value_t = count(Limits::default().missed_ends))]
    missed_ends: u32,
    /// How long ago a match may have begun, or a tournament ended, of whose end a bot is told that missed it
    #[arg(long, value_name = "MS", default_value_t = millis(Limits::default().missed_ends_age))]
    missed_ends_age_ms: u64,
    /// Events that may wait for a watcher
    #[arg(long, value_name = "N", default_value_t = count(Limits::default().watcher_queue), value_parser = clap::value_parser!(u32).range(1..))]
    watcher_queue: u32,
    /// Watchers of one match or tournament
    #[arg(long, value_name = "N", default_value_t = count(Limits::default().watchers))]
    watchers: u32,
    /// How often the lag of a session is measured
    #[arg(long, value_name = "MS", default_value_t = millis(Limits::default().ping_interval), value_parser = clap::value_parser!(u64).range(100..=3_600_000))]
    ping_interval_ms: u64,
    /// TCP connections at once; keep it below `ulimit -n`
    #[arg(long, value_name = "N", default_value_t = count(Config::default().connections), value_parser = clap::value_parser!(u32).range(1..))]
    connections: u32,
    /// How many of a hundred connections may belong to strangers, who have shown no valid token on theirs
    ///
    /// Where there is no room, the stranger that has been silent longest gives way to the newcomer, of the address that
    /// has most connections. Strangers keep out nobody who has a token.
    #[arg(long, value_name = "PERCENT", default_value_t = Config::default().stranger_share_percent, value_parser = clap::value_parser!(u8).range(1..=100))]
    stranger_share: u8,
    /// Connections of strangers from one address (of IPv6, one /64)
    #[arg(long, value_name = "N", default_value_t = count(Config::default().strangers_per_address), value_parser = clap::value_parser!(u32).range(1..))]
    strangers_per_address: u32,
    /// How long a connection may take until its first call
    #[arg(long, value_name = "MS", default_value_t = millis(Config::default().first_call_timeout), value_parser = clap::value_parser!(u64).range(100..=3_600_000))]
    first_call_timeout_ms: u64,
    /// How long a stranger may stay without a call after its first
    #[arg(long, value_name = "MS", default_value_t = millis(Config::default().stranger_idle_timeout), value_parser = clap::value_parser!(u64).range(100..=86_400_000))]
    stranger_idle_timeout_ms: u64,
    /// A proxy, or a network of proxies, whose word on the address of a client counts; may be repeated
    ///
    /// It is taken from the PROXY protocol, version 2, or else from `x-forwarded-for`: the nearest address that is no
    /// trusted proxy. Without this flag, all clients behind a proxy count as one address.
    #[arg(long, value_name = "CIDR")]
    trusted_proxy: Vec<TrustedProxy>,
    /// Streams at once on one connection
    #[arg(long, value_name = "N", default_value_t = Config::default().streams_per_connection, value_parser = clap::value_parser!(u32).range(1..))]
    streams_per_connection: u32,
    /// The largest message of a bot on its stream
    #[arg(long, value_name = "BYTES", default_value_t = count(Config::default().play_message_bytes), value_parser = clap::value_parser!(u32).range(1024..=1 << 30))]
    play_message_bytes: u32,
    /// The largest message to any other service
    #[arg(long, value_name = "BYTES", default_value_t = count(Config::default().call_message_bytes), value_parser = clap::value_parser!(u32).range(1024..=1 << 30))]
    call_message_bytes: u32,
    /// The HTTP/2 receive window of a connection
    #[arg(long, value_name = "BYTES", default_value_t = Config::default().connection_window_bytes, value_parser = clap::value_parser!(u32).range(65_535..=(1 << 31) - 1))]
    connection_window_bytes: u32,
    /// The HTTP/2 receive window of a stream
    #[arg(long, value_name = "BYTES", default_value_t = Config::default().stream_window_bytes, value_parser = clap::value_parser!(u32).range(65_535..=1 << 30))]
    stream_window_bytes: u32,
    /// How long a request may take to arrive, and each message of a stream; bots may be silent for longer
    #[arg(long, value_name = "MS", default_value_t = millis(Config::default().request_timeout), value_parser = clap::value_parser!(u64).range(100..=3_600_000))]
    request_timeout_ms: u64,
    /// How long a response may wait without its client reading any of it
    #[arg(long, value_name = "MS", default_value_t = millis(Config::default().response_timeout), value_parser = clap::value_parser!(u64).range(100..=3_600_000))]
    response_timeout_ms: u64,
    /// Bytes of requests and responses of callers without a token that are kept at once
    #[arg(long, value_name = "BYTES", default_value_t = count(Config::default().stranger_memory_bytes), value_parser = clap::value_parser!(u32).range(1 << 20..))]
    stranger_memory_bytes: u32,
    /// The same from one address (of IPv6, one /64)
    #[arg(long, value_name = "BYTES", default_value_t = count(Config::default().stranger_memory_per_address), value_parser = clap::value_parser!(u32).range(1 << 20..))]
    stranger_memory_per_address: u32,
    /// Bytes of requests and responses of callers with a token that are kept at once, besides those of playing bots
    #[arg(long, value_name = "BYTES", default_value_t = count(Config::default().known_memory_bytes), value_parser = clap::value_parser!(u32).range(1 << 20..))]
    known_memory_bytes: u32,
    /// The same from one address (of IPv6, one /64)
    #[arg(long, value_name = "BYTES", default_value_t = count(Config::default().known_memory_per_address), value_parser = clap::value_parser!(u32).range(1 << 20..))]
    known_memory_per_address: u32,
    /// How often a silent connection is asked for a sign of life
    #[arg(long, value_name = "MS", default_value_t = millis(Config::default().keepalive_interval), value_parser = clap::value_parser!(u64).range(100..=3_600_000))]
    keepalive_interval_ms: u64,
    /// How long it has to give one
    #[arg(long, value_name = "MS", default_value_t = millis(Config::default().keepalive_timeout), value_parser = clap::value_parser!(u64).range(100..=3_600_000))]
    keepalive_timeout_ms: u64,
    /// Questions that the oracle answers at once: so many that are answered soon, and as many that may take long
    #[arg(long, value_name = "N", default_value_t = count(Config::default().oracle_questions), value_parser = clap::value_parser!(u32).range(1..=1024))]
    oracle_questions: u32,
    /// Reads that are worked out at once: pages of lists, records, standings; keep it below the number of processors
    #[arg(long, value_name = "N", default_value_t = count(Config::default().reads), value_parser = clap::value_parser!(u32).range(1..=1024))]
    reads: u32,
    /// How long open matches have to finish when the server stops
    #[arg(long, value_name = "MS", default_value_t = millis(Config::default().shutdown_grace), value_parser = clap::value_parser!(u64).range(0..=86_400_000))]
    shutdown_grace_ms: u64,
}

/// Where what must last is kept, unless said otherwise.
const DEFAULT_STORE: &str = "sqlite:lastnim.db";
/// The name of the file of the key, unless said otherwise.
const DEFAULT_KEY: &str = "lastnim.key";

fn as_text<S: serde::Serializer>(value: &impl std::fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

impl Settings {
    fn config(&self) -> Config {
        Config {
            open_viewing: !self.private,
            open_registration: self.open_registration,
            registrations: self.registrations,
            registration_interval: Duration::from_millis(self.registration_interval_ms),
            connections: self.connections as usize,
            stranger_share_percent: self.stranger_share,
            strangers_per_address: self.strangers_per_address as usize,
            first_call_timeout: Duration::from_millis(self.first_call_timeout_ms),
            stranger_idle_timeout: Duration::from_millis(self.stranger_idle_timeout_ms),
            trusted_proxies: self.trusted_proxy.clone(),
            streams_per_connection: self.streams_per_connection,
            play_message_bytes: self.play_message_bytes as usize,
            call_message_bytes: self.call_message_bytes as usize,
            connection_window_bytes: self.connection_window_bytes,
            keepalive_interval: Duration::from_millis(self.keepalive_interval_ms),
            keepalive_timeout: Duration::from_millis(self.keepalive_timeout_ms),
            stream_window_bytes: self.stream_window_bytes,
            request_timeout: Duration::from_millis(self.request_timeout_ms),
            response_timeout: Duration::from_millis(self.response_timeout_ms),
            stranger_memory_bytes: self.stranger_memory_bytes as usize,
            stranger_memory_per_address: self.stranger_memory_per_address as usize,
            known_memory_bytes: self.known_memory_bytes as usize,
            known_memory_per_address: self.known_memory_per_address as usize,
            oracle_questions: self.oracle_questions as usize,
            reads: self.reads as usize,
            shutdown_grace: Duration::from_millis(self.shutdown_grace_ms),
            limits: Limits {
                sessions: self.sessions as usize,
                bots: self.bots as usize,
                open_matches: self.open_matches as usize,
                tournaments: self.tournaments as usize,
                session_queue: self.session_queue as usize,
                unread_per_seat: self.unread_per_seat as usize,
                unanswered_joins: self.unanswered_joins as usize,
                noise_burst: self.noise_burst,
                noise_per_second: self.noise_per_second,
                closing_grace: Duration::from_millis(self.closing_grace_ms),
                missed_ends: self.missed_ends as usize,
                missed_ends_age: Duration::from_millis(self.missed_ends_age_ms),
                watcher_queue: self.watcher_queue as usize,
                watchers: self.watchers as usize,
                ping_interval: Duration::from_millis(self.ping_interval_ms),
                checkpoint_results: self.checkpoint_results,
                checkpoint_bytes: self.checkpoint_bytes as usize,
                return_grace: Duration::from_millis(self.return_grace_ms),
                stall_threshold: Duration::from_millis(self.stall_threshold_ms),
            },
        }
    }

    /// Opens the store and the key.
    async fn backend(&self, url: &StoreUrl, new_store: bool) -> Result<Backend, Failure> {
        let room = Room {
            matches: self.kept_matches as usize,
            events: self.kept_events as usize,
            tournaments: self.kept_tournaments as usize,
        };
        let options = OpenOptions {
            room,
            accept_other: new_store,
            integrity_interval: Duration::from_millis(self.integrity_interval_ms),
        };
        let store = store::open_with(url, &options).await;
        let store = store.map_err(|error| Failure::runtime(error, format!("--store {url}")))?;
        let key = match self.key_file(url) {
            None => draw_key(),
            Some(file) => load_or_draw_key(&file).map_err(|error| Failure::runtime(error, "--key"))?,
        };
        Ok(Backend { store, durability: self.durability, key })
    }

    /// Returns the file of the key; none where a key for this run does.
    fn key_file(&self, store: &StoreUrl) -> Option<PathBuf> {
        self.key.clone().or_else(|| match store {
            StoreUrl::Memory => None,
            StoreUrl::Sqlite(file) => Some(file.with_file_name(DEFAULT_KEY)),
            StoreUrl::Postgres(_) => Some(DEFAULT_KEY.into()),
        })
    }

    /// Reads where the store is. This is not left to clap, which would repeat a password in what it says of a wrong one.
    fn store(&self) -> Result<StoreUrl, Failure> {
        self.store.parse().map_err(|error| Failure::input(format!("--store or LASTNIM_STORE: {error}")))
    }

    /// Writes every setting that is in force as its flag, in a line of its own that can be given back, or as one JSON
    /// object. A store with a password is left out.
    fn print(&self, store: &StoreUrl, as_json: bool) -> io::Result<()> {
        let mut settings = serde_json::to_value(self)?;
        if let Some(settings) = settings.as_object_mut()
            && store.has_password()
        {
            settings.remove("store");
        }
        let mut out = io::stdout().lock();
        if as_json {
            return writeln!(out, "{settings:#}");
        }
        for (flag, value) in settings.as_object().into_iter().flatten() {
            match value {
                // A flag that is off, and threads by the number of cores, are what is in force where nothing is said.
                Value::Null | Value::Bool(false) => {}
                Value::Bool(true) => writeln!(out, "--{flag}")?,
                Value::String(text) => writeln!(out, "--{flag} {text}")?,
                Value::Array(values) => {
                    for value in values.iter().filter_map(Value::as_str) {
                        writeln!(out, "--{flag} {value}")?;
                    }
                }
                other => writeln!(out, "--{flag} {other}")?,
            }
        }
        Ok(())
    }
}

/// Serves until it is told to stop, by an interrupt or a termination signal.
pub fn run(args: &ServeArgs) -> Outcome {
    let store = args.settings.store()?;
    if args.new_store && store.file().is_none() {
        return Err(Failure::input(format!(
            "--new-store: it is for stores of SQLite, and this one is {store}"
        )));
    }
    if args.print_config {
        args.settings.print(&store, args.json).map_err(Failure::Output)?;
        return Ok(Exit::Done);
    }
    let Tokens { known, drawn } = tokens(args)?;
    let threads = args.settings.threads.map(usize::from);
    runtime::block_on(threads, async move {
        let listen = args.settings.listen;
        let listener = TcpListener::bind(listen).await;
        let listener = listener.map_err(|error| Failure::runtime(error, format!("--listen {listen}")))?;
        let address = listener.local_addr().map_err(|error| Failure::runtime(error, "listening"))?;
        let shutdown = runtime::interrupted();
        let config = args.settings.config();
        let backend = args.settings.backend(&store, args.new_store).await?;
        let former_key = former_key(backend.store.as_ref(), backend.key.public_key()).await;
        let arena = Arena::open(config.limits.clone(), backend, known).await;
        let arena = arena.map_err(|error| Failure::runtime(error, format!("--store {store}")))?;
        let opening = Opening { address, store: &store, former_key, drawn: drawn.as_ref() };
        announce(&opening, args.json, &arena).map_err(Failure::Output)?;
        if let Some(former_key) = former_key {
            tracing::warn!(
                %former_key,
                public_key = %arena.public_key(),
                "the newest record in the store is signed by another key than the one in use: if that is lost or was not meant to change, give its file with --key"
            );
        }
        if !address.ip().is_loopback() {
            tracing::warn!(
                "tokens travel unencrypted: put a TLS proxy before any network that you do not trust"
            );
        }
        let served = server::run(listener, arena, config, shutdown).await;
        served.map_err(|error| Failure::runtime(error, "server"))?;
        Ok(Exit::Done)
    })
}

/// The tokens of a server.
struct Tokens {
    known: Vec<(Token, Principal)>,
    /// The admin's, if it was drawn.
    drawn: Option<Token>,
}

fn tokens(args: &ServeArgs) -> Result<Tokens, Failure> {
    let admin = given("--admin-token", "LASTNIM_ADMIN_TOKEN", args.admin_token.as_deref())?;
    let viewer = given("--viewer-token", "LASTNIM_VIEWER_TOKEN", args.viewer_token.as_deref())?;
    if let (Some(admin), Some(viewer)) = (&admin, &viewer)
        && admin.hash() == viewer.hash()
    {
        return Err(Failure::input("the admin and the viewer have the same token: give each one of its own"));
    }
    let drawn = admin.is_none().then(Token::draw);
    let admin = admin.or_else(|| drawn.clone()).map(|token| (token, Principal::Admin));
    let viewer = viewer.map(|token| (token, Principal::Viewer));
    Ok(Tokens { known: admin.into_iter().chain(viewer).collect(), drawn })
}

fn given(flag: &str, variable: &str, token: Option<&str>) -> Result<Option<Token>, Failure> {
    let token = token.map(Token::given).transpose();
    token.map_err(|error| Failure::input(format!("{flag} or {variable}: {error}")))
}

/// Says what was left by a server before this one.
fn carried_on(arena: &Arena) -> String {
    let count = |number: usize, one: &str, more: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {more}"),
    };
    match (arena.open_tournaments(), arena.open_matches()) {
        (0, 0) => String::new(),
        (tournaments, matches) => format!(
            " (carrying on {} and {})",
            count(tournaments, "tournament", "tournaments"),
            count(matches, "match", "matches")
        ),
    }
}

/// What is said of a server once it listens.
struct Opening<'a> {
    address: SocketAddr,
    store: &'a StoreUrl,
    /// The key that signed the newest record, if it is not the one in use.
    former_key: Option<PublicKey>,
    /// The admin's token, if it was drawn.
    drawn: Option<&'a Token>,
}

/// Says where the server listens, and what to do next.
fn announce(opening: &Opening, as_json: bool, arena: &Arena) -> io::Result<()> {
    let &Opening { address, store, former_key, drawn } = opening;
    let mut out = io::stdout().lock();
    let public_key = arena.public_key().to_string();
    if as_json {
        let mut line =
            json!({ "listening": address.to_string(), "store": store.to_string(), "public_key": public_key });
        if let Some(key) = former_key {
            line["former_public_key"] = key.to_string().into();
        }
        if let Some(token) = drawn {
            line["admin_token"] = token.reveal().into();
        }
        writeln!(out, "{line}")?;
        return out.flush();
    }
    writeln!(out, "lastnim {} listens on {address}", env!("CARGO_PKG_VERSION"))?;
    match store {
        StoreUrl::Memory => writeln!(out, "store: memory (what is played is gone when this stops)")?,
        _ => writeln!(out, "store: {store}{}", carried_on(arena))?,
    }
    writeln!(out, "public key: {public_key}")?;
    if let Some(key) = former_key {
        writeln!(out, "(NOT the key of the newest record in the store, {key}: is --key right?)")?;
    }
    if let Some(token) = drawn {
        writeln!(out, "admin token: {}", token.reveal())?;
        writeln!(out, "(drawn for this run; set LASTNIM_ADMIN_TOKEN to choose it)")?;
    }
    if io::stdout().is_terminal() {
        writeln!(
            out,
            "next, in another terminal: export LASTNIM_ADMIN_TOKEN=..., then `lastnim register alice`"
        )?;
        writeln!(out, "stop with Ctrl-C")?;
    }
    out.flush()
}
