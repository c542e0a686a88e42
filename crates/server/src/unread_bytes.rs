//! Counts the response bytes that a client has not read yet, and gives up on clients that stop reading.

use super::calls::MemoryCharge;
use hyper::rt::Executor;
use prost::bytes::Bytes;
use std::cell::OnceCell;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

tokio::task_local! {
    /// The unread bytes of this task's call, or of its connection if that has one call at a time. The cell is empty
    /// until counting begins, and contains `None` if the bytes are never counted.
    static UNREAD_BYTES: OnceCell<Option<Arc<UnreadBytes>>>;
}

/// Runs calls, and resets the stream of a client that reads none of a response for too long.
#[derive(Debug, Clone)]
pub(super) struct CallExecutor {
    pub response_timeout: Duration,
}

/// The response bytes that were handed to a connection but have not been written yet.
#[derive(Debug, Default)]
pub(super) struct UnreadBytes {
    bytes: AtomicUsize,
    /// The number of pieces that were written completely or dropped.
    writes: AtomicU64,
    changed: Notify,
    waiting: Mutex<Option<Waker>>,
}

/// A piece of a response, whose bytes are counted as unread until it is dropped.
struct UnreadPiece {
    bytes: Bytes,
    unread: Arc<UnreadBytes>,
    _charge: Arc<MemoryCharge>,
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for CallExecutor {
    fn execute(&self, call: F) {
        let limit = self.response_timeout;
        tokio::spawn(abort_if_unread(limit, call));
    }
}

/// Runs a call, or a connection with one call at a time. Stops it and returns `None` if its client reads none of a
/// response for as long as `limit`.
pub(super) async fn abort_if_unread<T>(limit: Duration, call: impl Future<Output = T>) -> Option<T> {
    let mut call = pin!(call);
    let decided = UNREAD_BYTES.scope(
        OnceCell::new(),
        poll_fn(|context| match call.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Err(done)),
            Poll::Pending => UNREAD_BYTES
                .with(|unread| unread.get().cloned())
                .map_or(Poll::Pending, |it| Poll::Ready(Ok(it))),
        }),
    );
    match decided.await {
        Err(done) => Some(done),
        // The bytes of a bot's stream are not counted, so it runs without this check at each wake-up.
        Ok(None) => Some(call.await),
        Ok(Some(unread)) => {
            let run = async {
                tokio::select! {
                    biased;
                    done = call => Some(done),
                    () = Box::pin(unread.wait_until_stalled(limit)) => {
                        tracing::debug!("a response was dropped because its client does not read it");
                        None
                    }
                }
            };
            UNREAD_BYTES.scope(OnceCell::from(Some(Arc::clone(&unread))), run).await
        }
    }
}

impl UnreadBytes {
    /// Returns the counter of this task's call, and starts counting if necessary.
    pub(super) fn of_current_call() -> Arc<Self> {
        let count =
            |unread: &OnceCell<Option<Arc<Self>>>| unread.get_or_init(|| Some(Arc::default())).clone();
        UNREAD_BYTES.try_with(count).ok().flatten().unwrap_or_default()
    }

    /// Turns off counting for this task's call.
    pub(super) fn disable_for_current_call() {
        // This has no effect if counting has already begun, or the task has no call.
        let _ = UNREAD_BYTES.try_with(|unread| unread.set(None));
    }

    /// Returns the number of unread bytes.
    pub(super) fn count(&self) -> usize {
        self.bytes.load(Ordering::SeqCst)
    }

    /// Waits until at most `limit` bytes are unread.
    pub(super) fn poll_until_at_most(&self, limit: usize, context: &Context<'_>) -> Poll<()> {
        if self.count() <= limit {
            return Poll::Ready(());
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = Some(context.waker().clone());
        // The bytes may have been written before the waker was registered, so they are counted again.
        if self.count() <= limit { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Counts a piece of a response as unread, until the returned bytes are dropped.
    pub(super) fn track_piece(self: &Arc<Self>, bytes: Bytes, charge: &Arc<MemoryCharge>) -> Bytes {
        self.bytes.fetch_add(bytes.len(), Ordering::SeqCst);
        self.changed.notify_one();
        Bytes::from_owner(UnreadPiece { bytes, unread: Arc::clone(self), _charge: Arc::clone(charge) })
    }

    /// Waits until bytes have been unread for as long as `limit` without any being written.
    async fn wait_until_stalled(&self, limit: Duration) {
        loop {
            let writes = self.writes.load(Ordering::SeqCst);
            if self.count() == 0 {
                self.changed.notified().await;
            } else if timeout(limit, self.changed.notified()).await.is_err()
                && self.count() > 0
                && self.writes.load(Ordering::SeqCst) == writes
            {
                return;
            }
        }
    }
}

impl AsRef<[u8]> for UnreadPiece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for UnreadPiece {
    fn drop(&mut self) {
        self.unread.bytes.fetch_sub(self.bytes.len(), Ordering::SeqCst);
        self.unread.writes.fetch_add(1, Ordering::SeqCst);
        self.unread.changed.notify_one();
        let mut waiting = self.unread.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(waker) = waiting.take() {
            waker.wake();
        }
    }
}
