//! The composition root: puts the services together, listens, and stops in good order.

mod config;
mod connections;
mod key_file;
mod serve;

pub use config::Config;
pub use key_file::{KeyFileError, load_or_draw_key};
pub use serve::{ServeError, run};
