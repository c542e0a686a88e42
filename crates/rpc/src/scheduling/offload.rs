//! Runs work on blocking threads.

use crate::status::refusal_status;
use lastnim_arena::Environment;
use tokio::sync::oneshot;
use tonic::{Code, Status};

/// Runs work on a separate thread that does not handle messages, and stops it when the caller leaves.
pub(crate) async fn offload_to_thread<T: Send + 'static>(
    environment: &Environment,
    work: impl Future<Output = Result<T, Status>> + Send + 'static,
) -> Result<T, Status> {
    let (waits, has_left) = oneshot::channel::<()>();
    let (answer, answered) = oneshot::channel();
    let ended = environment.spawn_long_task(Box::pin(async {
        let done = tokio::select! {
            biased;
            _ = has_left => Err(Status::cancelled("the caller has disconnected")),
            done = work => done,
        };
        // An error is ignored: the caller may have left.
        let _ = answer.send(done);
    }));
    let ended = ended.await;
    drop(waits);
    answered.await.unwrap_or_else(|_| {
        tracing::error!(error = ?ended.err(), "a call panicked");
        Err(refusal_status(
            Code::Internal,
            "BROKEN",
            "an internal error ended this call: see the server's log",
        ))
    })
}
