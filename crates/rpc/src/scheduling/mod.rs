//! Who gets how much of the server's time, and when: callers, what they may have under way at once, and their turns.
//!
//! Questions to the oracle and reads are scheduled by the same means. What work is done in a turn is decided elsewhere.

mod caller;
mod concurrency_limiter;
mod deadline;
mod offload;
mod request_queue;
mod waiting_caller;

#[cfg(test)]
pub(super) use caller::Caller;
pub(super) use caller::CallerConnection;
pub use caller::FeedNumber;
pub(super) use concurrency_limiter::{ConcurrencyLimiter, Permit};
pub use deadline::call_timeout;
pub(super) use offload::offload_to_thread;
pub(super) use request_queue::{RequestQueue, Turn};
pub(super) use waiting_caller::WaitingCaller;
