//! Bounded queues that feed the streams to bots and watchers.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio_stream::Stream;

/// The maximum number of items in any queue, whatever its limit.
const MAX_WAITING: u32 = 65_536;
/// The maximum number of items that a stream takes from its queue at a time. It takes several, to lock the queue less
/// often.
const MAX_TAKEN: usize = 16;
/// The maximum length, in characters, of the example that explains why a stream was closed.
const MAX_EXAMPLE_CHARS: usize = 600;

/// The sending end of a bounded queue that feeds a stream to a bot or a watcher.
///
/// Senders never wait: a push to a full queue closes the stream, because its reader is too slow. This queue differs
/// from a channel in three ways: it uses no memory while it is empty, its limit can follow the number of open matches,
/// and it can be closed with a reason that overtakes queued items.
pub struct Outbox<T> {
    shared: Arc<OutboxShared<T>>,
}

/// The receiving end of the queue: the stream itself.
pub struct OutboxStream<T> {
    shared: Arc<OutboxShared<T>>,
    /// Items taken from the queue but not yet returned.
    taken: VecDeque<T>,
}

/// Why the server closed a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// The match or the session ended normally; queued items are still sent.
    Done,
    /// The reader was too slow.
    SlowReader,
    /// A newer session of the same bot replaced this one.
    Replaced,
    /// The bot's token was replaced.
    TokenRotated,
    /// The bot was removed.
    BotRemoved,
    /// The bot sent too many messages for one seat; queued items are still sent, since they explain what was wrong.
    TooManyUnread,
    /// The bot sent too many idle messages; queued items are still sent, since they explain what was wrong.
    TooManyIdleMessages,
    /// The bot sent a malformed message; queued items are still sent.
    Malformed,
    /// The server is stopping; queued items are still sent, since they may include the ends of the last matches.
    ShuttingDown,
    /// The match or the session broke down; queued items are still sent.
    Broken,
}

impl CloseReason {
    /// Returns whether queued items are sent before the stream ends. They are dropped if the reader is too slow, if a
    /// newer session replaced this one, or if the client may no longer act for the bot.
    fn flushes_queue(self) -> bool {
        match self {
            Self::SlowReader | Self::Replaced | Self::TokenRotated | Self::BotRemoved => false,
            Self::Done
            | Self::TooManyUnread
            | Self::TooManyIdleMessages
            | Self::Malformed
            | Self::ShuttingDown
            | Self::Broken => true,
        }
    }
}

/// The reason why the server closed a stream, with an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamClosed {
    /// The reason.
    pub closing: CloseReason,
    /// An example of the cause, for the bot's author; it is at most 600 characters long.
    pub example: Option<String>,
}

impl From<CloseReason> for StreamClosed {
    fn from(closing: CloseReason) -> Self {
        Self { closing, example: None }
    }
}

/// The state shared by both ends. With many streams, each message costs one cache miss per cache line, so the fields
/// that every message needs come first and fit in two cache lines.
#[repr(C)]
struct OutboxShared<T> {
    state: Mutex<OutboxState<T>>,
    /// The number of items that the stream has taken but not yet returned. Only the stream changes this number.
    taken: AtomicU32,
    /// Whether all waiting items have been dropped, so that the stream must also drop those that it has taken.
    discards_queue: AtomicBool,
    /// The number of remaining senders.
    senders: AtomicUsize,
    /// Notifies waiters that the stream was closed, or that its reader has finished or is gone.
    over: tokio::sync::Notify,
    /// Notifies waiters that the queue is empty.
    drained: tokio::sync::Notify,
}

#[repr(C)]
struct OutboxState<T> {
    waker: Option<Waker>,
    queue: VecDeque<T>,
    limit: u32,
    /// The amount by which the limit is lowered once the queue is empty.
    owed: u32,
    closing: Option<Box<StreamClosed>>,
    /// Whether the receiver is gone, or has returned its last item.
    finished: bool,
    /// Whether someone is waiting for the queue to become empty.
    notifies_drained: bool,
}

impl<T> OutboxState<T> {
    fn is_over(&self) -> bool {
        self.finished || self.closing.is_some()
    }

    fn apply_owed_reduction(&mut self) {
        self.limit = self.limit.saturating_sub(self.owed);
        self.owed = 0;
    }
}

impl<T> OutboxShared<T> {
    fn lock(&self) -> MutexGuard<'_, OutboxState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of queued items, including those taken by the stream.
    fn waiting(&self, state: &OutboxState<T>) -> usize {
        state.queue.len() + self.taken.load(Ordering::Acquire) as usize
    }

    /// Drops the queued items of a closed stream.
    fn discard(&self, state: &mut OutboxState<T>) {
        state.queue = VecDeque::new();
        self.discards_queue.store(true, Ordering::Release);
    }

    /// If the queue is empty, lowers the limit by the amount that is due, and wakes the waiters.
    fn handle_drained_queue(&self, state: &mut OutboxState<T>) {
        if self.waiting(state) == 0 {
            state.apply_owed_reduction();
            if std::mem::take(&mut state.notifies_drained) {
                self.drained.notify_waiters();
            }
        }
    }
}

/// Converts a number of items to `u32`; numbers that are too large become `u32::MAX`.
fn clamp_count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Creates a queue that holds at most `limit` items.
pub fn outbox_channel<T>(limit: usize) -> (Outbox<T>, OutboxStream<T>) {
    let state = OutboxState {
        queue: VecDeque::new(),
        limit: clamp_count(limit),
        owed: 0,
        closing: None,
        finished: false,
        waker: None,
        notifies_drained: false,
    };
    let shared = Arc::new(OutboxShared {
        state: Mutex::new(state),
        over: tokio::sync::Notify::new(),
        drained: tokio::sync::Notify::new(),
        senders: AtomicUsize::new(1),
        taken: AtomicU32::new(0),
        discards_queue: AtomicBool::new(false),
    });
    (Outbox { shared: Arc::clone(&shared) }, OutboxStream { shared, taken: VecDeque::new() })
}

impl<T> fmt::Debug for Outbox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox")
            .field("waiting", &self.shared.waiting(&self.shared.lock()))
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for OutboxStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutboxStream")
            .field("waiting", &self.shared.waiting(&self.shared.lock()))
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
    /// Closes the stream when its last sender is dropped, unless it was closed before.
    fn drop(&mut self) {
        if self.shared.senders.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.close(CloseReason::Broken);
        }
    }
}

impl<T> Outbox<T> {
    /// Queues an item. A full queue closes the stream with [`CloseReason::SlowReader`]; a closed stream ignores the
    /// item.
    pub fn push(&self, item: T) {
        if let Some(waker) = self.queue(item) {
            waker.wake();
        }
    }

    /// Queues an item as [`push`](Self::push) does, and returns the waker of a sleeping stream for the caller to wake.
    #[must_use = "a sleeping stream does not see the item unless this waker is woken"]
    pub fn queue(&self, item: T) -> Option<Waker> {
        let mut state = self.shared.lock();
        if state.is_over() {
            return None;
        }
        let waiting = self.shared.waiting(&state);
        if waiting >= state.limit.min(MAX_WAITING) as usize {
            let example = Some(format!("{waiting} messages waited"));
            state.closing = Some(Box::new(StreamClosed { closing: CloseReason::SlowReader, example }));
            self.shared.discard(&mut state);
            self.shared.over.notify_waiters();
        } else {
            state.queue.push_back(item);
        }
        state.waker.take()
    }

    /// Closes the stream. Queued items are sent first or dropped, depending on the [`CloseReason`]. Only the first
    /// reason counts.
    pub fn close(&self, closing: CloseReason) {
        self.close_with(closing.into());
    }

    /// Closes the stream as [`close`](Self::close) does, with an example of the cause.
    pub fn close_with_example(&self, closing: CloseReason, example: &str) {
        let example = Some(example.chars().take(MAX_EXAMPLE_CHARS).collect());
        self.close_with(StreamClosed { closing, example });
    }

    fn close_with(&self, closed: StreamClosed) {
        let waker = {
            let mut state = self.shared.lock();
            if state.closing.is_none() {
                if !closed.closing.flushes_queue() {
                    self.shared.discard(&mut state);
                }
                state.closing = Some(Box::new(closed));
                self.shared.over.notify_waiters();
            }
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Drops the queued items of a closed stream whose reader stopped reading. The reader still gets the reason.
    pub fn discard_queue(&self) {
        let mut state = self.shared.lock();
        if state.closing.is_some() {
            self.shared.discard(&mut state);
        }
    }

    /// Raises the limit by `more` items.
    pub fn raise_limit(&self, more: usize) {
        let mut state = self.shared.lock();
        state.limit = state.limit.saturating_add(clamp_count(more));
    }

    /// Lowers the limit by `less` items once the queue is empty.
    pub fn lower_limit(&self, less: usize) {
        let mut state = self.shared.lock();
        state.owed = state.owed.saturating_add(clamp_count(less));
        if self.shared.waiting(&state) == 0 {
            state.apply_owed_reduction();
        }
    }

    /// Returns the number of unread items.
    pub fn waiting(&self) -> usize {
        self.shared.waiting(&self.shared.lock())
    }

    /// Returns whether the server closed the stream, or the stream was dropped with its connection.
    pub fn is_over(&self) -> bool {
        self.shared.lock().is_over()
    }

    /// Waits until the queue is empty, or the stream is closed.
    pub async fn wait_until_drained(&self) {
        loop {
            let notified = self.shared.drained.notified();
            tokio::pin!(notified);
            notified.as_mut().enable();
            {
                let mut state = self.shared.lock();
                if self.shared.waiting(&state) == 0 || state.is_over() {
                    return;
                }
                state.notifies_drained = true;
            }
            notified.await;
        }
    }

    /// Waits until the reader has read everything, including the end of the stream, or is gone.
    pub async fn wait_until_read(&self) {
        loop {
            let notified = self.shared.over.notified();
            tokio::pin!(notified);
            notified.as_mut().enable();
            if self.shared.lock().finished {
                return;
            }
            notified.await;
        }
    }

    /// Waits until the stream is closed. A reader that does not read cannot delay this; it gets the reason when it
    /// reads again.
    pub async fn wait_until_over(&self) {
        let notified = self.shared.over.notified();
        tokio::pin!(notified);
        notified.as_mut().enable();
        if !self.is_over() {
            notified.await;
        }
    }
}

impl<T> OutboxStream<T> {
    fn finish_stream(&self, state: &mut OutboxState<T>) {
        state.finished = true;
        state.queue = VecDeque::new();
        self.shared.taken.store(0, Ordering::Release);
        self.shared.over.notify_waiters();
        self.shared.drained.notify_waiters();
    }
}

impl<T: Unpin> Stream for OutboxStream<T> {
    type Item = Result<T, StreamClosed>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let stream = self.get_mut();
        if stream.shared.discards_queue.load(Ordering::Acquire) {
            stream.taken = VecDeque::new();
            stream.shared.taken.store(0, Ordering::Release);
        }
        if let Some(item) = stream.taken.pop_front() {
            stream.shared.taken.store(clamp_count(stream.taken.len()), Ordering::Release);
            if stream.taken.is_empty() {
                stream.shared.handle_drained_queue(&mut stream.shared.lock());
            }
            return Poll::Ready(Some(Ok(item)));
        }
        let mut state = stream.shared.lock();
        if let Some(item) = state.queue.pop_front() {
            let more = state.queue.len().min(MAX_TAKEN);
            if more > 0 {
                stream.shared.taken.store(clamp_count(more), Ordering::Release);
                stream.taken.extend(state.queue.drain(..more));
            } else {
                stream.shared.handle_drained_queue(&mut state);
            }
            return Poll::Ready(Some(Ok(item)));
        }
        if state.finished {
            return Poll::Ready(None);
        }
        if let Some(closed) = &state.closing {
            let closed = StreamClosed::clone(closed);
            stream.finish_stream(&mut state);
            return Poll::Ready((closed.closing != CloseReason::Done).then_some(Err(closed)));
        }
        if state.waker.as_ref().is_none_or(|waker| !waker.will_wake(context.waker())) {
            state.waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

impl<T> Drop for OutboxStream<T> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        self.finish_stream(&mut state);
    }
}

#[cfg(test)]
mod tests;
