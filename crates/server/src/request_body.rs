//! Request bodies with time limits and memory charges.

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

/// The size of a message's prefix, which consists of a flag and the length of the message.
const PREFIX_BYTES: usize = 5;
/// The number of copies of a form in memory while it is read: the received chunks, the joined text, and the parsed
/// form.
const FORM_COPIES: usize = 3;

/// The charge for a request, held while the call runs.
#[derive(Debug, Clone)]
pub(super) struct RequestCharge {
    share: Arc<Mutex<MemoryCharge>>,
    /// The initial charge, for unread bytes.
    base: usize,
}

/// A request body with a time limit. Its memory is charged until its call ends.
#[derive(Debug)]
pub(super) struct RequestBody {
    body: Incoming,
    charge: RequestCharge,
    content: RequestContent,
    timeout: Duration,
    expiry: Pin<Box<Sleep>>,
    /// Whether the time limit is running; it does not run between the messages of a stream.
    is_running: bool,
}

/// The content of a body so far.
#[derive(Debug)]
enum RequestContent {
    /// The messages of a call. Each has a time limit, and the largest is charged.
    Messages {
        /// The maximum size of a message; larger ones are not stored.
        max_message: usize,
        /// The largest charge so far.
        largest: usize,
        boundaries: MessageBoundaries,
    },
    /// A form, which has one time limit.
    Form {
        /// The number of bytes that have arrived.
        arrived: usize,
    },
}

/// Finds the boundaries of messages.
#[derive(Debug, Default)]
struct MessageBoundaries {
    prefix: [u8; PREFIX_BYTES],
    /// The number of prefix bytes that have arrived.
    prefixed: usize,
    /// The number of message bytes still missing, once the prefix is complete.
    missing: usize,
    /// The number of message bytes that have arrived, including the prefix.
    pending: usize,
    completed: u64,
}

impl RequestCharge {
    /// Creates the charge for a request that is arriving. `share` already contains `base`.
    pub(super) fn new(share: MemoryCharge, base: usize) -> Self {
        Self { share: Arc::new(Mutex::new(share)), base }
    }

    /// Changes the charge to `base` plus this number of bytes.
    fn resize(&self, bytes: usize) -> Result<(), Status> {
        let mut share = self.share.lock().unwrap_or_else(PoisonError::into_inner);
        share.resize(self.base + bytes).map_err(|_| memory_spent_status())
    }
}

impl RequestBody {
    /// Creates the body of a call.
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

    /// Creates the body of a form.
    pub(super) fn of_form(body: Incoming, charge: RequestCharge, timeout: Duration) -> Self {
        Self::new(body, charge, RequestContent::Form { arrived: 0 }, timeout)
    }

    fn new(body: Incoming, charge: RequestCharge, content: RequestContent, timeout: Duration) -> Self {
        Self { body, charge, content, timeout, expiry: Box::pin(sleep(timeout)), is_running: true }
    }

    /// Charges for a chunk, or for the whole message once its length is known, since that much memory is then
    /// allocated.
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
    /// Tracks the message boundaries in a chunk.
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
    fn message_boundaries_do_not_depend_on_chunks() {
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
