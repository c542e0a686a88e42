//! Who gets how much of the server's time, and when: callers, what they may have under way at once, and their turns.
//!
//! The oracle and reading are rationed by the same means. What work is done in a turn is decided elsewhere.

mod caller;
mod crowd;
mod deadline;
mod line;
mod offload;

pub(super) use caller::Asker;
#[cfg(test)]
pub(super) use caller::Caller;
pub(super) use crowd::{Crowd, NoPlace, Place};
pub use deadline::call_timeout;
pub(super) use deadline::wanted_by;
pub(super) use line::{Line, Turn};
pub(super) use offload::offload;
