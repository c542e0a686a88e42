//! Who gets how much of the server's time, and when: callers, what they may have under way at once, and their turns.
//!
//! Questions to the oracle and reads are scheduled by the same means. What work is done in a turn is decided elsewhere.

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
