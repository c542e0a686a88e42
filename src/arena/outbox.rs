//! What waits to be sent on one stream.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio_stream::Stream;

/// The most items that wait on any one stream, however high its own bound is.
const MOST_WAITING: usize = 65_536;

/// The sending end of a bounded queue before one stream, to a bot or to a watcher.
///
/// Nobody ever waits here: a push that finds the queue full closes the stream for its reader's slowness, so that a
/// match does not wait for a bot. Unlike a channel, an idle queue holds no memory, its bound can move with the number
/// of open matches, and it can be closed for a reason that overtakes what waits.
pub struct Outbox<T> {
    shared: Arc<Shared<T>>,
}

/// The receiving end: the stream itself.
pub struct OutboxStream<T> {
    shared: Arc<Shared<T>>,
}

/// Why a stream was closed from this side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closing {
    /// All is said; what waits is still sent.
    Done,
    /// The reader let too much pile up.
    SlowReader,
    /// A newer session of the same bot took its place.
    Replaced,
    /// The bot's token was replaced.
    TokenRotated,
    /// The bot sent more for one seat than may wait unread.
    TooManyUnread,
    /// The bot sent too much that led nowhere.
    TooMuchNoise,
    /// The bot sent something that is no message of this protocol.
    Malformed,
    /// The server is stopping; what waits is still sent, as the ends of the last matches may be among it.
    ShuttingDown,
    /// What would have sent more broke down; what waits is still sent.
    Broken,
}

impl Closing {
    fn is_friendly(self) -> bool {
        matches!(self, Self::Done | Self::ShuttingDown | Self::Broken)
    }
}

struct Shared<T> {
    state: Mutex<State<T>>,
    /// Tells the task that reads from the stream's other direction that nothing more is taken here.
    over: tokio::sync::Notify,
    /// The sending ends that are left.
    senders: AtomicUsize,
}

struct State<T> {
    queue: VecDeque<T>,
    limit: usize,
    /// How far the bound falls once nothing waits any more.
    owed: usize,
    closing: Option<Closing>,
    /// Whether the receiving end is gone, or has handed out its last item.
    finished: bool,
    waker: Option<Waker>,
}

impl<T> State<T> {
    fn is_over(&self) -> bool {
        self.finished || self.closing.is_some()
    }

    fn settle(&mut self) {
        if self.queue.is_empty() {
            self.limit = self.limit.saturating_sub(self.owed);
            self.owed = 0;
        }
    }
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a queue that holds at most `limit` items.
pub fn outbox<T>(limit: usize) -> (Outbox<T>, OutboxStream<T>) {
    let state = State { queue: VecDeque::new(), limit, owed: 0, closing: None, finished: false, waker: None };
    let (over, senders) = (tokio::sync::Notify::new(), AtomicUsize::new(1));
    let shared = Arc::new(Shared { state: Mutex::new(state), over, senders });
    (Outbox { shared: Arc::clone(&shared) }, OutboxStream { shared })
}

impl<T> fmt::Debug for Outbox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox").field("waiting", &self.shared.lock().queue.len()).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for OutboxStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutboxStream")
            .field("waiting", &self.shared.lock().queue.len())
            .finish_non_exhaustive()
    }
}

impl<T> Clone for Outbox<T> {
    fn clone(&self) -> Self {
        self.shared.senders.fetch_add(1, Ordering::Relaxed);
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<T> Drop for Outbox<T> {
    /// Ends the stream with the last sending end, should nobody have said why.
    fn drop(&mut self) {
        if self.shared.senders.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.close(Closing::Broken);
        }
    }
}

impl<T> Outbox<T> {
    /// Queues an item. A full queue closes the stream for [`Closing::SlowReader`]; a closed one takes nothing, as
    /// there is nobody left to tell.
    pub fn push(&self, item: T) {
        let waker = {
            let mut state = self.shared.lock();
            if state.is_over() {
                return;
            }
            if state.queue.len() >= state.limit.min(MOST_WAITING) {
                state.closing = Some(Closing::SlowReader);
                state.queue = VecDeque::new();
                self.shared.over.notify_waiters();
            } else {
                state.queue.push_back(item);
            }
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Closes the stream. What waits is dropped, unless the [`Closing`] is a friendly one. The first reason stands.
    pub fn close(&self, closing: Closing) {
        let waker = {
            let mut state = self.shared.lock();
            if state.closing.is_none() {
                state.closing = Some(closing);
                if !closing.is_friendly() {
                    state.queue = VecDeque::new();
                }
                self.shared.over.notify_waiters();
            }
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Moves the bound up by `more` items.
    pub fn raise_limit(&self, more: usize) {
        let mut state = self.shared.lock();
        state.limit = state.limit.saturating_add(more);
    }

    /// Moves the bound down again, once what waits under the higher bound has been read.
    pub fn lower_limit(&self, less: usize) {
        let mut state = self.shared.lock();
        state.owed += less;
        state.settle();
    }

    /// Returns whether the stream is over: closed from this side, or dropped with its connection.
    pub fn is_over(&self) -> bool {
        self.shared.lock().is_over()
    }

    /// Waits until the stream is over. A reader that does not read cannot put that off: what it was closed for it hears
    /// whenever it reads on.
    pub async fn over(&self) {
        let notified = self.shared.over.notified();
        tokio::pin!(notified);
        notified.as_mut().enable();
        if !self.is_over() {
            notified.await;
        }
    }
}

impl<T> OutboxStream<T> {
    fn finish(&self, state: &mut State<T>) {
        state.finished = true;
        state.queue = VecDeque::new();
        self.shared.over.notify_waiters();
    }
}

impl<T> Stream for OutboxStream<T> {
    type Item = Result<T, Closing>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut state = self.shared.lock();
        if let Some(item) = state.queue.pop_front() {
            state.settle();
            return Poll::Ready(Some(Ok(item)));
        }
        if state.finished {
            return Poll::Ready(None);
        }
        match state.closing {
            None => {
                if state.waker.as_ref().is_none_or(|waker| !waker.will_wake(context.waker())) {
                    state.waker = Some(context.waker().clone());
                }
                Poll::Pending
            }
            Some(closing) => {
                self.finish(&mut state);
                Poll::Ready((closing != Closing::Done).then_some(Err(closing)))
            }
        }
    }
}

impl<T> Drop for OutboxStream<T> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        self.finish(&mut state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_stream::StreamExt as _;

    #[tokio::test]
    async fn a_full_queue_closes_its_stream() {
        let (outbox, mut stream) = outbox(2);
        outbox.push(1);
        outbox.push(2);
        assert_eq!(stream.next().await, Some(Ok(1)));
        outbox.push(3);
        outbox.push(4);
        outbox.over().await;
        assert_eq!(stream.next().await, Some(Err(Closing::SlowReader)), "though it reads late");
        assert_eq!(stream.next().await, None);
    }

    #[tokio::test]
    async fn what_waits_is_sent_before_a_friendly_end() {
        let (outbox, mut stream) = outbox(2);
        outbox.push(1);
        outbox.close(Closing::Done);
        outbox.push(2);
        assert_eq!(stream.next().await, Some(Ok(1)));
        assert_eq!(stream.next().await, None);
    }

    #[tokio::test]
    async fn what_waits_is_sent_before_the_server_stops() {
        let (outbox, mut stream) = outbox(2);
        outbox.push(1);
        outbox.close(Closing::ShuttingDown);
        assert_eq!(stream.next().await, Some(Ok(1)));
        assert_eq!(stream.next().await, Some(Err(Closing::ShuttingDown)));
    }

    #[tokio::test]
    async fn the_first_reason_stands_and_overtakes() {
        let (outbox, mut stream) = outbox(2);
        outbox.push(1);
        outbox.close(Closing::Replaced);
        outbox.close(Closing::ShuttingDown);
        assert_eq!(stream.next().await, Some(Err(Closing::Replaced)));
    }

    #[tokio::test]
    async fn the_last_sending_end_takes_the_stream_with_it() {
        let (first, stream) = outbox(2);
        let second = first.clone();
        first.push(1);
        drop(first);
        second.push(2);
        let reader = tokio::spawn(async move { stream.collect::<Vec<_>>().await });
        tokio::task::yield_now().await;
        drop(second);
        assert_eq!(reader.await.unwrap(), [Ok(1), Ok(2), Err(Closing::Broken)]);
    }

    #[tokio::test]
    async fn the_bound_moves() {
        let (outbox, mut stream) = outbox(0);
        outbox.raise_limit(2);
        outbox.push(1);
        outbox.lower_limit(2);
        outbox.push(2);
        assert_eq!(stream.next().await, Some(Ok(1)), "the bound falls only when nothing waits");
        assert_eq!(stream.next().await, Some(Ok(2)));
        outbox.push(3);
        assert_eq!(stream.next().await, Some(Err(Closing::SlowReader)));
    }

    #[tokio::test]
    async fn a_waiting_reader_is_woken_and_a_dropped_one_noticed() {
        let (outbox, mut stream) = outbox(2);
        let reader = tokio::spawn(async move { stream.next().await });
        tokio::task::yield_now().await;
        outbox.push(7);
        assert_eq!(reader.await.unwrap(), Some(Ok(7)));
        outbox.over().await;
        outbox.push(8);
    }
}
