//! Metrics in the format of Prometheus.

mod exposition;
mod metrics;
mod process_memory;

pub use metrics::Metrics;
