//! Work that takes long, beside the threads that carry messages.

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::{JoinHandle, spawn, spawn_blocking};

/// Does work on a thread of its own. A runtime of one thread has none to spare for it: there it is a task like any other, so
/// that in a simulation everything happens in an order that can be had again.
pub(super) fn spawn_work<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::CurrentThread => spawn(async move { work() }),
        _ => spawn_blocking(work),
    }
}
