//! What a server is told when it starts.

use super::hosted_bots::HostedBot;
use super::trusted_proxies::TrustedProxy;
use lastnim_arena::Limits;
use lastnim_config::settings;
use lastnim_web::PublicUrl;
use std::net::SocketAddr;
use std::time::Duration;

settings! {
    /// All settings of a server, with every limit. It comes in once, from the command line, and goes down by value.
    pub struct Config {
        /// Requires a token for reading as well: standings, matches, records and the oracle
        private: bool = false, "true|false";
        /// Leaves the pages out: the port speaks gRPC alone
        no_web: bool = false, "true|false";
        /// How long somebody who has typed a token stays signed in on the pages
        organiser_session: Duration = Duration::from_hours(8), "MS".range(1_000..=604_800_000);
        /// The address by which the world knows the server, for links to its pages that say what they show
        public_url: Option<PublicUrl> = None, "URL";
        /// Where `/metrics` has a listener of its own, for everybody who reaches it: an address and a port; the flag may be repeated
        ///
        /// Without one it is beside the pages, for whoever is on this machine, and from elsewhere with the token of the admin or a viewer.
        metrics_listen: Vec<SocketAddr> = Vec::new(), "IP:PORT".flag_name("metrics-listen");
        /// Lets anyone register bots, without the admin's token
        open_registration: bool = false, "true|false";
        /// House bots that the server hosts, against which every bot may practise: random, greedy, timid, oracle, loyal, traitor, grudger, mirror, minimax-PLIES, epsilon-RATE or mcts-PLAYOUTS
        ///
        /// Their names are theirs alone; `NAME=BOT` gives one another name. Several stand with commas between them.
        house: Vec<HostedBot> = Vec::new(), "BOT,..";
        /// With open registration: bots that one address may register in a burst without the admin's token
        ///
        /// All addresses together may register 50 times as many.
        registrations: u32 = 20, "N".range(1..=1_000_000);
        /// The time after which an address may register one more
        registration_interval: Duration = Duration::from_mins(1), "MS".range(1..=86_400_000);
        /// Matches against house bots that one address may begin in a minute in a browser, as a guest
        ///
        /// All addresses together may begin 50 times as many.
        guest_matches_per_minute: u32 = 20, "N".range(1..=6_000);
        /// The same that one address may have open at once
        guest_matches_per_address: usize = 8, "N".range(1..);
        /// Wrong tokens that one address may show in a burst
        ///
        /// Beyond that its calls with a token are refused, but for tokens that were right from there before.
        failed_logins: u32 = 20, "N".range(1..=1_000_000);
        /// The time after which an address may show one more wrong token
        failed_login_interval: Duration = Duration::from_secs(2), "MS".range(1..=86_400_000);
        /// TCP connections at once; keep it below `ulimit -n`
        connections: usize = 10_000, "N".range(1..);
        /// Percentage of the connections that may belong to strangers: clients that have shown no valid token
        ///
        /// When they are used up, a newcomer replaces the stranger that has been idle longest, of the address with the most
        /// connections. Strangers never keep out a client with a token.
        stranger_share: u8 = 25, "PERCENT".range(1..=100);
        /// Connections of strangers from one address (an IPv6 /64 counts as one)
        strangers_per_address: usize = 64, "N".range(1..);
        /// How long a connection may take until its first call, a proxy's header and HTTP/2's preface included
        first_call_timeout: Duration = Duration::from_secs(10), "MS".range(100..=3_600_000);
        /// How long a stranger's connection may be idle after its first call
        stranger_idle_timeout: Duration = Duration::from_mins(1), "MS".range(100..=86_400_000);
        /// A proxy, or a network of proxies, that is trusted to state the address of a client; the flag may be repeated
        ///
        /// It is taken from the PROXY protocol, version 2, or else from `x-forwarded-for`: the nearest address that is no
        /// trusted proxy. Without one, all clients behind a proxy count as one address.
        trusted_proxies: Vec<TrustedProxy> = Vec::new(), "CIDR".flag_name("trusted-proxy");
        /// Streams at once on one connection
        ///
        /// HTTP/2 lets a client that opens more wait without an error.
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
        /// How long a response may go unread by its client; the streams of bots are exempt
        response_timeout: Duration = Duration::from_secs(30), "MS".range(100..=3_600_000);
        /// Memory for requests and responses in progress of callers without a token
        stranger_memory_bytes: usize = 64 << 20, "BYTES".range(1 << 20..);
        /// The same for one address (an IPv6 /64 counts as one)
        stranger_memory_per_address: usize = 16 << 20, "BYTES".range(1 << 20..);
        /// Memory for requests and responses in progress of callers with a token, besides the streams of bots
        known_memory_bytes: usize = 256 << 20, "BYTES".range(1 << 20..);
        /// The same for one address (an IPv6 /64 counts as one)
        known_memory_per_address: usize = 64 << 20, "BYTES".range(1 << 20..);
        /// How often an idle connection is sent a keepalive ping
        keepalive_interval: Duration = Duration::from_secs(10), "MS".range(100..=3_600_000);
        /// How long a client may take to answer a keepalive ping
        keepalive_timeout: Duration = Duration::from_secs(10), "MS".range(100..=3_600_000);
        /// Questions that the oracle works on at once: this many quick ones, and as many slow ones
        oracle_questions: usize = 2, "N".range(1..=1024);
        /// Reads (pages of lists, records, standings) worked on at once; keep it below the number of processors
        ///
        /// With as many as there are processors, reading could starve the matches.
        reads: usize = 1, "N".range(1..=1024);
        /// How long open matches may take to finish when the server shuts down
        shutdown_grace: Duration = Duration::from_secs(10), "MS".range(0..=86_400_000);
        ..
        /// The limits of the arena.
        limits: Limits;
    }
}
