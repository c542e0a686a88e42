//! What a server is told when it starts.

use super::trusted_proxies::TrustedProxy;
use crate::{arena::Limits, config::settings};
use std::time::Duration;

settings! {
    /// All settings of a server, with every limit. It comes in once, from the command line, and goes down by value.
    pub struct Config {
        /// Lets nobody look (at standings, matches, records, the oracle) without a token
        private: bool = false, "true|false";
        /// Lets anybody register bots
        open_registration: bool = false, "true|false";
        /// With open registration: bots that may be registered at once from one address without the admin's token
        ///
        /// All addresses together may register 50 times as many.
        registrations: u32 = 20, "N".range(1..=1_000_000);
        /// The time after which one more bot may be registered from an address
        registration_interval: Duration = Duration::from_mins(1), "MS".range(1..=86_400_000);
        /// TCP connections at once; keep it below `ulimit -n`
        connections: usize = 10_000, "N".range(1..);
        /// How many of a hundred connections may belong to strangers: clients that have shown no valid token on theirs
        ///
        /// Where there is no room, the stranger that has been silent longest gives way to the newcomer, of the address that
        /// has most connections. Strangers keep out nobody who has a token.
        stranger_share: u8 = 25, "PERCENT".range(1..=100);
        /// Connections of strangers from one address (of IPv6, one /64)
        strangers_per_address: usize = 64, "N".range(1..);
        /// How long a connection may take until its first call, a proxy's header and HTTP/2's preface included
        first_call_timeout: Duration = Duration::from_secs(10), "MS".range(100..=3_600_000);
        /// How long a stranger may stay without a call after its first
        stranger_idle_timeout: Duration = Duration::from_mins(1), "MS".range(100..=86_400_000);
        /// A proxy, or a network of proxies, whose word on the address of a client counts; the flag may be repeated
        ///
        /// It is taken from the PROXY protocol, version 2, or else from `x-forwarded-for`: the nearest address that is no
        /// trusted proxy. Without one, all clients behind a proxy count as one address.
        trusted_proxies: Vec<TrustedProxy> = Vec::new(), "CIDR".flag_name("trusted-proxy");
        /// Streams at once on one connection
        ///
        /// A client that opens more hangs without a word: that is HTTP/2.
        streams_per_connection: u32 = 1_024, "N".range(1..);
        /// The largest message of a bot on its stream
        play_message_bytes: usize = 64 << 10, "BYTES".range(1024..=1 << 30);
        /// The largest message to any other service; a larger one is refused with `OUT_OF_RANGE`
        ///
        /// The largest legal question to the oracle has some 0.6 MiB.
        call_message_bytes: usize = 1 << 20, "BYTES".range(1024..=1 << 30);
        /// The HTTP/2 receive window of a connection
        ///
        /// Small unread frames count against it, and a connection that uses it up is closed with all its streams.
        connection_window_bytes: u32 = 16 << 20, "BYTES".range(65_535..1 << 31);
        /// The HTTP/2 receive window of a stream: how much of a request may wait unread
        stream_window_bytes: u32 = 64 << 10, "BYTES".range(65_535..=1 << 30);
        /// How long a request may take to arrive, and each message of a stream; bots may be silent for longer
        request_timeout: Duration = Duration::from_secs(20), "MS".range(100..=3_600_000);
        /// How long a response may wait without its client reading any of it; the streams of bots are exempt
        response_timeout: Duration = Duration::from_secs(30), "MS".range(100..=3_600_000);
        /// Bytes of requests and responses of callers without a token that are kept at once
        stranger_memory_bytes: usize = 64 << 20, "BYTES".range(1 << 20..);
        /// The same from one address (of IPv6, one /64)
        stranger_memory_per_address: usize = 16 << 20, "BYTES".range(1 << 20..);
        /// Bytes of requests and responses of callers with a token that are kept at once, besides those of playing bots
        known_memory_bytes: usize = 256 << 20, "BYTES".range(1 << 20..);
        /// The same from one address (of IPv6, one /64)
        known_memory_per_address: usize = 64 << 20, "BYTES".range(1 << 20..);
        /// How often a silent connection is asked for a sign of life
        keepalive_interval: Duration = Duration::from_secs(10), "MS".range(100..=3_600_000);
        /// How long it has to give one
        keepalive_timeout: Duration = Duration::from_secs(10), "MS".range(100..=3_600_000);
        /// Questions that the oracle answers at once: so many that are answered soon, and as many that may take long
        oracle_questions: usize = 2, "N".range(1..=1024);
        /// Reads that are worked out at once: pages of lists, records, standings; keep it below the number of processors
        ///
        /// With as many as there are processors, those that read could leave none to those that play.
        reads: usize = 1, "N".range(1..=1024);
        /// How long open matches have to finish when the server stops
        shutdown_grace: Duration = Duration::from_secs(10), "MS".range(0..=86_400_000);
        ..
        /// The limits of the arena.
        limits: Limits;
    }
}
