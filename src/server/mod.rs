//! The composition root: puts the services together, listens, and stops in good order.

mod calls;
mod config;
mod connections;
mod key_file;
mod memory_budget;
mod places;
mod proxy_protocol;
mod request_body;
mod response_body;
mod serve;
mod spoken_protocol;
mod trusted_proxies;
mod unread_bytes;

pub use config::Config;
pub use key_file::{KeyFileError, load_or_draw_key};
pub use serve::{ServeError, run};
pub use trusted_proxies::TrustedProxy;
