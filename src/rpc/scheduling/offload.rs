//! Work that is done away from the threads that carry messages.

use crate::rpc::status::refusal_status;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;
use tokio::task::{spawn, spawn_blocking};
use tonic::{Code, Status};

/// Does work on a thread of its own, and gives it up when nobody waits for this any more. On a runtime of one thread it is a
/// task like any other, so that in a simulation everything happens in an order that can be had again.
pub(in crate::rpc) async fn offload_to_thread<T: Send + 'static>(
    work: impl Future<Output = Result<T, Status>> + Send + 'static,
) -> Result<T, Status> {
    let (waits, has_left) = oneshot::channel::<()>();
    let runtime = Handle::current();
    let wanted = async {
        tokio::select! {
            biased;
            _ = has_left => Err(Status::cancelled("the caller has left")),
            done = work => done,
        }
    };
    let working = match runtime.runtime_flavor() {
        RuntimeFlavor::CurrentThread => spawn(wanted),
        _ => spawn_blocking(move || runtime.block_on(wanted)),
    };
    let done = working.await;
    drop(waits);
    done.unwrap_or_else(|error| {
        tracing::error!(%error, "a call broke down");
        Err(refusal_status(Code::Internal, "BROKEN", "something broke down in the server over this call"))
    })
}
