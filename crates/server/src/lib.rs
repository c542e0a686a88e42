//! The server: builds the services, listens for connections, and stops gracefully.

mod brief_connection;
mod calls;
mod client_protocol;
mod client_stream;
mod config;
mod connection_slots;
mod connections;
mod counted_frames;
mod gathered_writes;
mod hosted_bots;
mod key_file;
mod lenient_verifier;
mod listener;
mod metrics_listener;
mod proxy_protocol;
mod request_body;
mod request_host;
mod response_body;
mod serve;
mod server_tls;
mod standby;
mod trusted_proxies;
mod unread_bytes;

pub use config::Config;
pub use hosted_bots::{HostedBot, HostedBotError, local_address};
pub use key_file::{KeyFileError, load_or_generate_key};
pub use listener::{Connection, Listener, ServerListener, ServerSocket};
pub use serve::{ServeError, Shutdown, run_server, run_server_on};
pub use server_tls::{ServerTls, TlsFileError, TlsFiles};
pub use standby::stand_by;
pub use trusted_proxies::TrustedProxy;
