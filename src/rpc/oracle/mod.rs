//! The oracle, for anybody: who asks, how much one may ask at once, whose turn it is, and when a question is given up.
//!
//! A question is worked out away from the threads that carry messages. Each file of questions turns a request into an
//! answer, and is pure; the rest decides when that is done.

mod asking;
mod batch;
mod bot_audits;
mod caller;
mod crowd;
mod deadline;
mod declarations;
mod game_batches;
mod games;
mod line;
#[cfg(test)]
mod mangled;
mod rulesets;
mod service;
mod trees;

pub use deadline::call_timeout;
pub use service::OracleRpc;
