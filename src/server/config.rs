//! What a server is told when it starts.

use super::trusted_proxies::TrustedProxy;
use crate::arena::Limits;
use std::time::Duration;

/// All settings of a server, with every limit. It comes in once, from the command line, and goes down by value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Whether calls without a token may look: standings, matches, records, the oracle.
    pub open_viewing: bool,
    /// Whether calls without a token may register bots.
    pub open_registration: bool,
    /// Bots that may be registered at once from one address without the admin's token. All addresses together have 50 times
    /// as many.
    pub registrations: u32,
    /// The time after which one more may be.
    pub registration_interval: Duration,
    /// TCP connections at once. Keep it below the limit of open files.
    pub connections: usize,
    /// How many of a hundred connections may belong to strangers: clients that have shown no valid token on theirs. Where there
    /// is no room, the stranger that has been silent longest gives way to the newcomer.
    pub stranger_share_percent: u8,
    /// Connections of strangers from one address; of IPv6, one /64.
    pub strangers_per_address: usize,
    /// How long a connection may take until its first call, header of a proxy and preface included.
    pub first_call_timeout: Duration,
    /// How long a stranger may stay without a call after its first.
    pub stranger_idle_timeout: Duration,
    /// Proxies whose word on the address of a client counts: the PROXY protocol, version 2, or `x-forwarded-for`.
    pub trusted_proxies: Vec<TrustedProxy>,
    /// Streams at once on one connection. A client that opens more hangs without a word: that is HTTP/2.
    pub streams_per_connection: u32,
    /// The largest message from a bot on its stream, in bytes.
    pub play_message_bytes: usize,
    /// The largest message to any other service, in bytes; a larger one is refused with `OUT_OF_RANGE`. The largest legal
    /// question to the oracle has some 0.6 MiB.
    pub call_message_bytes: usize,
    /// The HTTP/2 receive window of a connection, in bytes. Small unread frames count against it, and a connection that
    /// uses it up is closed with all its streams.
    pub connection_window_bytes: u32,
    /// How often a silent connection is asked for a sign of life.
    pub keepalive_interval: Duration,
    /// How long it has to give one.
    pub keepalive_timeout: Duration,
    /// How long a request may take to arrive, and each message of a stream. `Play` is exempt: its clocks are the matches'.
    pub request_timeout: Duration,
    /// How long a response may wait without its client reading any of it. `Play` is exempt: its queue is bounded.
    pub response_timeout: Duration,
    /// The HTTP/2 receive window of a stream, in bytes: how much of a request may wait unread.
    pub stream_window_bytes: u32,
    /// Bytes of requests and responses of callers without a token that the server keeps at once.
    pub stranger_memory_bytes: usize,
    /// The same from one address; of IPv6, one /64.
    pub stranger_memory_per_address: usize,
    /// Bytes of requests and responses of callers with a token that the server keeps at once, `Play` not counted.
    pub known_memory_bytes: usize,
    /// The same from one address; of IPv6, one /64.
    pub known_memory_per_address: usize,
    /// Questions that the oracle answers at once: so many that are answered soon, and as many that may take long.
    pub oracle_questions: usize,
    /// Reads that are worked out at once: pages of lists, records, standings. With as many as there are processors, those that
    /// read could leave none to those that play.
    pub reads: usize,
    /// How long open matches have to finish when the server stops.
    pub shutdown_grace: Duration,
    /// The limits of the arena.
    pub limits: Limits,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            open_viewing: true,
            open_registration: false,
            registrations: 20,
            registration_interval: Duration::from_mins(1),
            connections: 10_000,
            stranger_share_percent: 25,
            strangers_per_address: 64,
            first_call_timeout: Duration::from_secs(10),
            stranger_idle_timeout: Duration::from_mins(1),
            trusted_proxies: Vec::new(),
            streams_per_connection: 1_024,
            play_message_bytes: 64 << 10,
            call_message_bytes: 1 << 20,
            connection_window_bytes: 16 << 20,
            keepalive_interval: Duration::from_secs(10),
            keepalive_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(20),
            response_timeout: Duration::from_secs(30),
            stream_window_bytes: 64 << 10,
            stranger_memory_bytes: 64 << 20,
            stranger_memory_per_address: 16 << 20,
            known_memory_bytes: 256 << 20,
            known_memory_per_address: 64 << 20,
            oracle_questions: 2,
            reads: 1,
            shutdown_grace: Duration::from_secs(10),
            limits: Limits::default(),
        }
    }
}
