//! Responses that wait for their clients to read them.

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
    /// What waits of the response of the call, or of the connection with one call at a time, that this task carries: empty until somebody
    /// counts it, and none where nobody ever will.
    static UNREAD: OnceCell<Option<Arc<UnreadBytes>>>;
}

/// Runs calls, and gives up one whose client has taken nothing of its response for too long: its stream is reset.
#[derive(Debug, Clone)]
pub(super) struct CallExecutor {
    /// How long a response may wait.
    pub response_timeout: Duration,
}

/// The bytes of a response that are handed to its connection and not yet written to it.
#[derive(Debug, Default)]
pub(super) struct UnreadBytes {
    bytes: AtomicUsize,
    /// How often some were written.
    writes: AtomicU64,
    changed: Notify,
    waiting: Mutex<Option<Waker>>,
}

/// A piece of a response on its way: it counts until the connection has written it.
struct UnreadPiece {
    bytes: Bytes,
    unread: Arc<UnreadBytes>,
    _charge: Arc<MemoryCharge>,
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for CallExecutor {
    fn execute(&self, call: F) {
        let limit = self.response_timeout;
        tokio::spawn(give_up_unread(limit, call));
    }
}

/// Runs a call, or a connection with one call at a time, until its client has taken nothing of a response for so long; then returns nothing.
pub(super) async fn give_up_unread<T>(limit: Duration, call: impl Future<Output = T>) -> Option<T> {
    let mut call = pin!(call);
    let decided = UNREAD.scope(
        OnceCell::new(),
        poll_fn(|context| match call.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Err(done)),
            Poll::Pending => {
                UNREAD.with(|unread| unread.get().cloned()).map_or(Poll::Pending, |it| Poll::Ready(Ok(it)))
            }
        }),
    );
    match decided.await {
        Err(done) => Some(done),
        // A stream of a bot has nothing to look after each time that it is woken.
        Ok(None) => Some(call.await),
        Ok(Some(unread)) => {
            let run = async {
                tokio::select! {
                    biased;
                    done = call => Some(done),
                    () = Box::pin(unread.wait_until_stalled(limit)) => {
                        tracing::debug!("a response that nobody reads is given up");
                        None
                    }
                }
            };
            UNREAD.scope(OnceCell::from(Some(Arc::clone(&unread))), run).await
        }
    }
}

impl UnreadBytes {
    /// Returns what waits of the response of the call that this task carries.
    pub(super) fn of_current_call() -> Arc<Self> {
        let count =
            |unread: &OnceCell<Option<Arc<Self>>>| unread.get_or_init(|| Some(Arc::default())).clone();
        UNREAD.try_with(count).ok().flatten().unwrap_or_default()
    }

    /// Says that nobody counts what waits of the response of the call that this task carries.
    pub(super) fn leave_current_call_uncounted() {
        // Where it is counted already, or the task carries no call, that stays so.
        let _ = UNREAD.try_with(|unread| unread.set(None));
    }

    /// Returns how many bytes wait.
    pub(super) fn count(&self) -> usize {
        self.bytes.load(Ordering::SeqCst)
    }

    /// Waits until at most `most` bytes wait.
    pub(super) fn poll_at_most(&self, most: usize, context: &Context<'_>) -> Poll<()> {
        if self.count() <= most {
            return Poll::Ready(());
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = Some(context.waker().clone());
        // They may have been written before there was anybody to wake.
        if self.count() <= most { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Hands a piece of a response over.
    pub(super) fn track_piece(self: &Arc<Self>, bytes: Bytes, charge: &Arc<MemoryCharge>) -> Bytes {
        self.bytes.fetch_add(bytes.len(), Ordering::SeqCst);
        self.changed.notify_one();
        Bytes::from_owner(UnreadPiece { bytes, unread: Arc::clone(self), _charge: Arc::clone(charge) })
    }

    /// Waits until bytes have been waiting for so long without any being written.
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
