//! The body of a request: within a time, and counted.

use super::calls::MemoryCharge;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use lastnim_rpc::{late_request_status, memory_spent_status};
use prost::bytes::Bytes;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};
use tonic::Status;

/// The bytes before a message: a flag and its length.
const PREFIX_BYTES: usize = 5;
/// How often a form is in memory while it is read: as it arrived, joined, and taken apart.
const FORM_COPIES: usize = 3;

/// What a call has been charged for its request, while anybody works on it.
#[derive(Debug, Clone)]
pub(super) struct RequestCharge {
    share: Arc<Mutex<MemoryCharge>>,
    /// What is charged before the first byte, for what waits unread.
    base: usize,
}

/// The body of a request. What it holds has to arrive in time, and counts for as long as the call is worked on.
#[derive(Debug)]
pub(super) struct RequestBody {
    body: Incoming,
    charge: RequestCharge,
    content: RequestContent,
    timeout: Duration,
    expiry: Pin<Box<Sleep>>,
    /// Whether the time runs: not while nobody asks for the next message of a stream.
    is_running: bool,
}

/// What has arrived of the content of a body.
#[derive(Debug)]
enum RequestContent {
    /// Messages, of which each has to arrive in time, and the largest counts.
    Messages {
        /// The most bytes that a message may have; of a larger one none is kept.
        max_message: usize,
        /// The most that has been charged for a message.
        largest: usize,
        boundaries: MessageBoundaries,
    },
    /// A form, which has to arrive in time as a whole.
    Form {
        /// How many bytes are there.
        arrived: usize,
    },
}

/// Where one message ends and the next begins.
#[derive(Debug, Default)]
struct MessageBoundaries {
    prefix: [u8; PREFIX_BYTES],
    /// The bytes of the prefix that are there.
    prefixed: usize,
    /// The bytes of the message that are missing, once its prefix is there.
    missing: usize,
    /// The bytes of the message that are there, its prefix included.
    pending: usize,
    completed: u64,
}

impl RequestCharge {
    /// Counts a request as it arrives, for which `base` is charged already.
    pub(super) fn new(share: MemoryCharge, base: usize) -> Self {
        Self { share: Arc::new(Mutex::new(share)), base }
    }

    /// Counts the bytes of a request that are there.
    fn resize(&self, bytes: usize) -> Result<(), Status> {
        let mut share = self.share.lock().unwrap_or_else(PoisonError::into_inner);
        share.resize(self.base + bytes).map_err(|_| memory_spent_status())
    }
}

impl RequestBody {
    /// Reads the messages of a call.
    pub(super) fn of_messages(
        body: Incoming,
        charge: RequestCharge,
        max_message: usize,
        timeout: Duration,
    ) -> Self {
        let boundaries = MessageBoundaries::default();
        let content = RequestContent::Messages { max_message, largest: 0, boundaries };
        Self::new(body, charge, content, timeout)
    }

    /// Reads the form that is sent to a page.
    pub(super) fn of_form(body: Incoming, charge: RequestCharge, timeout: Duration) -> Self {
        Self::new(body, charge, RequestContent::Form { arrived: 0 }, timeout)
    }

    fn new(body: Incoming, charge: RequestCharge, content: RequestContent, timeout: Duration) -> Self {
        Self { body, charge, content, timeout, expiry: Box::pin(sleep(timeout)), is_running: true }
    }

    /// Counts a chunk of bytes, and what is announced to follow: room is made for a whole message once its length is known.
    fn charge_chunk(&mut self, bytes: &[u8]) -> Result<(), Status> {
        match &mut self.content {
            RequestContent::Form { arrived } => {
                *arrived += bytes.len();
                self.charge.resize(FORM_COPIES * *arrived)
            }
            RequestContent::Messages { max_message, largest, boundaries } => {
                let completed = boundaries.completed;
                boundaries.advance(bytes);
                if boundaries.completed > completed {
                    self.is_running = false;
                }
                let announced = boundaries.missing.saturating_add(boundaries.pending);
                let message = if announced > *max_message + PREFIX_BYTES { 0 } else { announced };
                let needed = bytes.len().max(message);
                if needed > *largest {
                    self.charge.resize(needed)?;
                    *largest = needed;
                }
                Ok(())
            }
        }
    }
}

impl MessageBoundaries {
    /// Follows the messages through a chunk of bytes.
    fn advance(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.prefixed < PREFIX_BYTES {
                let taken = bytes.len().min(PREFIX_BYTES - self.prefixed);
                self.prefix[self.prefixed..self.prefixed + taken].copy_from_slice(&bytes[..taken]);
                self.prefixed += taken;
                self.pending += taken;
                bytes = &bytes[taken..];
                if self.prefixed < PREFIX_BYTES {
                    return;
                }
                let [_, length @ ..] = self.prefix;
                self.missing = u32::from_be_bytes(length) as usize;
            }
            let taken = bytes.len().min(self.missing);
            self.missing -= taken;
            self.pending += taken;
            bytes = &bytes[taken..];
            if self.missing == 0 {
                self.completed += 1;
                (self.prefixed, self.pending) = (0, 0);
            }
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = &mut *self;
        let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) else {
            if !this.is_running {
                this.expiry.as_mut().reset(Instant::now() + this.timeout);
                this.is_running = true;
            }
            ready!(this.expiry.as_mut().poll(context));
            return Poll::Ready(Some(Err(late_request_status(this.timeout))));
        };
        let frame = frame.transpose().map_err(|error| Status::from_error(error.into()))?;
        if let Some(bytes) = frame.as_ref().and_then(Frame::data_ref) {
            this.charge_chunk(bytes)?;
        }
        Poll::Ready(frame.map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart_however_they_are_cut() {
        let lengths = [0_usize, 1, 300, 0, 7];
        let mut stream = Vec::new();
        for length in lengths {
            stream.push(0);
            stream.extend(u32::try_from(length).unwrap().to_be_bytes());
            stream.resize(stream.len() + length, 9);
        }
        stream.extend([0, 0, 0, 1]);
        for cut in 1..40 {
            let mut messages = MessageBoundaries::default();
            for chunk in stream.chunks(cut) {
                messages.advance(chunk);
            }
            assert_eq!((messages.completed, messages.pending), (5, 4), "in pieces of {cut}");
        }
        let mut messages = MessageBoundaries::default();
        messages.advance(&[0, 255, 255, 255, 255, 1, 2]);
        assert_eq!((messages.completed, messages.pending), (0, 7));
    }
}
