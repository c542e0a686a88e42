//! The composition root: puts the services together, listens, and stops in good order.

mod config;
mod connections;
mod serve;

pub use config::Config;
pub use serve::{ServeError, run};
