//! What waits to be sent on one stream.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio_stream::Stream;

/// The most items that wait on any one stream, however high its own bound is.
const MAX_WAITING: u32 = 65_536;
/// Items that a stream takes out of its queue at once, so that it looks for more as seldom.
const MAX_TAKEN: usize = 16;
/// The most characters of an example of what a stream was closed for.
const MAX_EXAMPLE_CHARS: usize = 600;

/// The sending end of a bounded queue before one stream, to a bot or to a watcher.
///
/// Nobody ever waits here: a push that finds the queue full closes the stream for its reader's slowness, so that a
/// match does not wait for a bot. Unlike a channel, an idle queue holds no memory, its bound can move with the number
/// of open matches, and it can be closed for a reason that overtakes what waits.
pub struct Outbox<T> {
    shared: Arc<OutboxShared<T>>,
}

/// The receiving end: the stream itself.
pub struct OutboxStream<T> {
    shared: Arc<OutboxShared<T>>,
    /// What was taken out of the queue and is handed out next.
    taken: VecDeque<T>,
}

/// Why a stream was closed from this side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// All is said; what waits is still sent.
    Done,
    /// The reader let too much pile up.
    SlowReader,
    /// A newer session of the same bot took its place.
    Replaced,
    /// The bot's token was replaced.
    TokenRotated,
    /// The bot was removed.
    BotRemoved,
    /// The bot sent more for one seat than may wait unread; what waits is still sent, as it says what was wrong.
    TooManyUnread,
    /// The bot sent too much that led nowhere; what waits is still sent, as it says what was wrong.
    TooManyUnproductive,
    /// The bot sent something that is no message of this protocol; what waits is still sent.
    Malformed,
    /// The server is stopping; what waits is still sent, as the ends of the last matches may be among it.
    ShuttingDown,
    /// What would have sent more broke down; what waits is still sent.
    Broken,
}

impl CloseReason {
    /// Returns whether what waits is sent first. It is not where the reader does not read, and where another session or
    /// nobody is to have it.
    fn flushes_queue(self) -> bool {
        match self {
            Self::SlowReader | Self::Replaced | Self::TokenRotated | Self::BotRemoved => false,
            Self::Done
            | Self::TooManyUnread
            | Self::TooManyUnproductive
            | Self::Malformed
            | Self::ShuttingDown
            | Self::Broken => true,
        }
    }
}

/// How a stream was closed from this side: the reason, and what led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamClosed {
    /// The reason.
    pub closing: CloseReason,
    /// An example of what led to it, in words for the bot's author, at most 600 characters long.
    pub example: Option<String>,
}

impl From<CloseReason> for StreamClosed {
    fn from(closing: CloseReason) -> Self {
        Self { closing, example: None }
    }
}

/// What both ends share. With more streams than fit into a cache each message costs as many misses as it touches lines: what every
/// message needs stands first, and takes two.
#[repr(C)]
struct OutboxShared<T> {
    state: Mutex<OutboxState<T>>,
    /// Items that the stream has taken and not handed out yet. The stream alone changes it.
    taken: AtomicU32,
    /// Whether what waits is dropped, that included which the stream has taken.
    discards: AtomicBool,
    /// The sending ends that are left.
    senders: AtomicUsize,
    /// Tells the task that reads from the stream's other direction that nothing more is taken here.
    over: tokio::sync::Notify,
    /// Tells who waits for it that nothing waits any more.
    drained: tokio::sync::Notify,
}

#[repr(C)]
struct OutboxState<T> {
    waker: Option<Waker>,
    queue: VecDeque<T>,
    limit: u32,
    /// How far the bound falls once nothing waits any more.
    owed: u32,
    closing: Option<Box<StreamClosed>>,
    /// Whether the receiving end is gone, or has handed out its last item.
    finished: bool,
    /// Whether somebody waits until the queue is empty.
    tells_drained: bool,
}

impl<T> OutboxState<T> {
    fn is_over(&self) -> bool {
        self.finished || self.closing.is_some()
    }

    fn pay_owed(&mut self) {
        self.limit = self.limit.saturating_sub(self.owed);
        self.owed = 0;
    }
}

impl<T> OutboxShared<T> {
    fn lock(&self) -> MutexGuard<'_, OutboxState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how many items wait, those included that the stream has taken.
    fn waiting(&self, state: &OutboxState<T>) -> usize {
        state.queue.len() + self.taken.load(Ordering::Acquire) as usize
    }

    /// Drops what waits in a stream that is closed.
    fn discard(&self, state: &mut OutboxState<T>) {
        state.queue = VecDeque::new();
        self.discards.store(true, Ordering::Release);
    }

    /// Does what is due once nothing waits.
    fn note_handed_out(&self, state: &mut OutboxState<T>) {
        if self.waiting(state) == 0 {
            state.pay_owed();
            if std::mem::take(&mut state.tells_drained) {
                self.drained.notify_waiters();
            }
        }
    }
}

/// Returns a number of items, or the largest that is kept: more than ever wait.
fn clamp_count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Makes a queue that holds at most `limit` items.
pub fn outbox_channel<T>(limit: usize) -> (Outbox<T>, OutboxStream<T>) {
    let state = OutboxState {
        queue: VecDeque::new(),
        limit: clamp_count(limit),
        owed: 0,
        closing: None,
        finished: false,
        waker: None,
        tells_drained: false,
    };
    let shared = Arc::new(OutboxShared {
        state: Mutex::new(state),
        over: tokio::sync::Notify::new(),
        drained: tokio::sync::Notify::new(),
        senders: AtomicUsize::new(1),
        taken: AtomicU32::new(0),
        discards: AtomicBool::new(false),
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
    /// Ends the stream with the last sending end, should nobody have said why.
    fn drop(&mut self) {
        if self.shared.senders.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.close(CloseReason::Broken);
        }
    }
}

impl<T> Outbox<T> {
    /// Queues an item. A full queue closes the stream for [`CloseReason::SlowReader`]; a closed one takes nothing, as
    /// there is nobody left to tell.
    pub fn push(&self, item: T) {
        if let Some(waker) = self.queue(item) {
            waker.wake();
        }
    }

    /// Queues an item as [`push`](Self::push) does, and leaves it to the caller to wake the stream, if it sleeps.
    #[must_use = "a stream that sleeps does not see the item"]
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

    /// Closes the stream. What waits is sent first or dropped, as the [`CloseReason`] says. The first reason stands.
    pub fn close(&self, closing: CloseReason) {
        self.close_as(closing.into());
    }

    /// Closes the stream as [`close`](Self::close) does, and names an example of what led to it.
    pub fn close_with_example(&self, closing: CloseReason, example: &str) {
        let example = Some(example.chars().take(MAX_EXAMPLE_CHARS).collect());
        self.close_as(StreamClosed { closing, example });
    }

    fn close_as(&self, closed: StreamClosed) {
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

    /// Drops what waits in a stream that was closed, for a reader that does not read on. It still hears why.
    pub fn discard_queue(&self) {
        let mut state = self.shared.lock();
        if state.closing.is_some() {
            self.shared.discard(&mut state);
        }
    }

    /// Moves the bound up by `more` items.
    pub fn raise_limit(&self, more: usize) {
        let mut state = self.shared.lock();
        state.limit = state.limit.saturating_add(clamp_count(more));
    }

    /// Moves the bound down again, once what waits under the higher bound has been read.
    pub fn lower_limit(&self, less: usize) {
        let mut state = self.shared.lock();
        state.owed = state.owed.saturating_add(clamp_count(less));
        if self.shared.waiting(&state) == 0 {
            state.pay_owed();
        }
    }

    /// Returns how many items wait to be read.
    pub fn waiting(&self) -> usize {
        self.shared.waiting(&self.shared.lock())
    }

    /// Returns whether the stream is over: closed from this side, or dropped with its connection.
    pub fn is_over(&self) -> bool {
        self.shared.lock().is_over()
    }

    /// Waits until nothing waits in the stream, or it is over.
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
                state.tells_drained = true;
            }
            notified.await;
        }
    }

    /// Waits until the reader has heard everything, its end included, or is gone.
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

    /// Waits until the stream is over. A reader that does not read cannot put that off: what it was closed for it hears
    /// whenever it reads on.
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
        if stream.shared.discards.load(Ordering::Acquire) {
            stream.taken = VecDeque::new();
            stream.shared.taken.store(0, Ordering::Release);
        }
        if let Some(item) = stream.taken.pop_front() {
            stream.shared.taken.store(clamp_count(stream.taken.len()), Ordering::Release);
            if stream.taken.is_empty() {
                stream.shared.note_handed_out(&mut stream.shared.lock());
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
                stream.shared.note_handed_out(&mut state);
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
