//! Shares the server's time among callers: identification, limits and turns.
//!
//! The oracle and the reads both use this module, which knows nothing about the work that is done in a turn.

mod caller;
mod deadline;
mod offload;
mod permit;
mod request_queue;
mod shared_quota;
mod waiting_caller;

pub use caller::FeedNumber;
pub(super) use caller::{Caller, CallerConnection};
pub use deadline::call_timeout;
pub(super) use offload::offload_to_thread;
pub(super) use permit::Permit;
pub(super) use request_queue::{RequestQueue, Turn};
pub use shared_quota::{QuotaShare, SharedQuota};
pub(super) use waiting_caller::WaitingCaller;
