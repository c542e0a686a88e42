//! The settings of a server.

use super::hosted_bots::HostedBot;
use super::trusted_proxies::TrustedProxy;
use lastnim_arena::Limits;
use lastnim_config::settings;
use lastnim_web::PublicUrl;
use std::net::SocketAddr;
use std::time::Duration;

settings! {
    /// All settings of a server and its limits. They come from the command line, and each part gets its settings by
    /// value.
    pub struct Config {
        /// Requires a token for reading too: standings, matches, records and the oracle
        private: bool = false, "true|false";
        /// Serves no pages: the port speaks only gRPC
        no_web: bool = false, "true|false";
        /// How long a person who entered a token stays signed in on the pages
        organiser_session: Duration = Duration::from_hours(8), "DURATION".range(1_000..=604_800_000);
        /// The public address of the server, for the previews of links to its pages
        public_url: Option<PublicUrl> = None, "URL";
        /// A separate listener for `/metrics`, open to anyone who reaches it; may be repeated
        ///
        /// Without one, `/metrics` is served with the pages and needs the admin's or a viewer's
        /// token, except on this machine without TLS.
        metrics_listen: Vec<SocketAddr> = Vec::new(), "IP:PORT".flag_name("metrics-listen");
        /// Lets anyone register bots without the admin's token
        open_registration: bool = false, "true|false";
        /// House bots on the server, against which every bot may practise, as BOT or NAME=BOT
        ///
        /// BOT is random, greedy, timid, oracle, loyal, traitor, grudger, mirror, minimax-PLIES, epsilon-RATE, mcts-PLAYOUTS, liar, naive, keeper or breaker.
        house: Vec<HostedBot> = Vec::new(), "BOT,..";
        /// With open registration: maximum number of bots that one address may register in a burst
        ///
        /// All addresses together may register 50 times this number.
        registrations: u32 = 20, "N".range(1..=1_000_000);
        /// The time after which an address may register one more bot
        registration_interval: Duration = Duration::from_mins(1), "DURATION".range(1..=86_400_000);
        /// Maximum number of matches that one address may start in a minute as a guest in a browser
        ///
        /// All addresses together may start 50 times this number.
        guest_matches_per_minute: u32 = 20, "N".range(1..=6_000);
        /// Maximum number of open matches of one address as a guest in a browser
        guest_matches_per_address: usize = 8, "N".range(1..);
        /// How long a game may wait for its guest before another one may take its place, once all are taken
        ///
        /// If no game has waited that long, the address with the most games loses one to one with at least two fewer.
        guest_idle_timeout: Duration = Duration::from_mins(2), "DURATION".range(1_000..=3_600_000);
        /// Maximum number of wrong tokens that one address may send in a burst
        ///
        /// After that its wrong tokens are refused with the time to wait; a valid token always passes.
        failed_logins: u32 = 20, "N".range(1..=1_000_000);
        /// The time after which an address may send one more wrong token
        failed_login_interval: Duration = Duration::from_secs(2), "DURATION".range(1..=86_400_000);
        /// Maximum number of open TCP connections; keep it below `ulimit -n`
        connections: usize = 10_000, "N".range(1..);
        /// Maximum percentage of connections for strangers: clients that have called without a valid token
        ///
        /// When these are used up, a new connection replaces one without a running call, or else one whose call has run
        /// for at least `--stranger-call-time`. The address with the most connections loses one first.
        stranger_share: u8 = 25, "PERCENT".range(1..=100);
        /// Maximum number of connections of strangers from one address (an IPv6 /64 counts as one)
        strangers_per_address: usize = 64, "N".range(1..);
        /// How long a stranger's call, such as a live page, may run before it can be ended for another stranger
        ///
        /// While no call has run that long, new strangers are refused with status 503 or `UNAVAILABLE`
        /// (`TOO_MANY_STRANGERS`).
        stranger_call_time: Duration = Duration::from_mins(1), "DURATION".range(0..=86_400_000);
        /// How long a connection may take until its first call, with proxy header and HTTP/2 preface
        first_call_timeout: Duration = Duration::from_secs(10), "DURATION".range(100..=3_600_000);
        /// How long a stranger's connection may be idle after its first call
        stranger_idle_timeout: Duration = Duration::from_mins(1), "DURATION".range(100..=86_400_000);
        /// A proxy, or a network of them, trusted to state the address of a client; may be repeated
        ///
        /// The client's address is the one in the PROXY protocol version 2, or the nearest untrusted one in
        /// `x-forwarded-for`. Without this, all clients behind a proxy count as one address.
        trusted_proxies: Vec<TrustedProxy> = Vec::new(), "CIDR".flag_name("trusted-proxy");
        /// Maximum number of open streams on one connection; HTTP/2 makes a client that opens more wait
        streams_per_connection: u32 = 1_024, "N".range(1..);
        /// Maximum size of a bot's message on its stream
        play_message_bytes: usize = 64 << 10, "SIZE".in_bytes().range(1024..=1 << 30);
        /// Maximum size of a message to any other service; a larger one is refused with `OUT_OF_RANGE`
        ///
        /// The largest legal question to the oracle takes about 0.6 MiB.
        call_message_bytes: usize = 1 << 20, "SIZE".in_bytes().range(1024..=1 << 30);
        /// The HTTP/2 receive window of a connection
        ///
        /// Small unread frames count too, and a connection that uses it up is closed with all its streams.
        connection_window_bytes: u32 = 16 << 20, "SIZE".in_bytes().range(65_535..=1 << 30);
        /// The HTTP/2 receive window of a stream: how much of a request may wait unread
        stream_window_bytes: u32 = 64 << 10, "SIZE".in_bytes().range(65_535..=1 << 30);
        /// How long a request, or one message of a stream, may take to arrive; bots may be silent for longer
        request_timeout: Duration = Duration::from_secs(20), "DURATION".range(100..=3_600_000);
        /// How long a client may leave a response unread; the streams of bots are exempt
        response_timeout: Duration = Duration::from_secs(30), "DURATION".range(100..=3_600_000);
        /// Memory for requests and responses in progress, for callers without a token
        stranger_memory_bytes: usize = 64 << 20, "SIZE".in_bytes().range(1 << 20..);
        /// The part of `stranger_memory` that one address may use (an IPv6 /64 counts as one)
        stranger_memory_per_address: usize = 16 << 20, "SIZE".in_bytes().range(1 << 20..);
        /// Memory for requests and responses in progress, for callers with a token; bots' streams are exempt
        known_memory_bytes: usize = 256 << 20, "SIZE".in_bytes().range(1 << 20..);
        /// The part of `known_memory` that one address may use (an IPv6 /64 counts as one)
        known_memory_per_address: usize = 64 << 20, "SIZE".in_bytes().range(1 << 20..);
        /// How often an idle connection gets a keepalive ping
        keepalive_interval: Duration = Duration::from_secs(10), "DURATION".range(100..=3_600_000);
        /// How long a client may take to answer a keepalive ping
        keepalive_timeout: Duration = Duration::from_secs(10), "DURATION".range(100..=3_600_000);
        /// Number of questions that the oracle works on at once: this many quick ones and this many slow ones
        oracle_questions: usize = 2, "N".range(1..=1024);
        /// Number of reads (lists, records, standings) at once; keep it below the number of processors
        reads: usize = 1, "N".range(1..=1024);
        /// How long open matches may take to finish when the server shuts down
        shutdown_grace: Duration = Duration::from_secs(10), "DURATION".range(0..=86_400_000);
        ..
        /// The limits of the arena.
        limits: Limits;
    }
}
