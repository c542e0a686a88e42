//! What the server measures of itself, as Prometheus reads it.

mod exposition;
mod metrics;
mod process_memory;

pub use metrics::Metrics;
