//! The body of a request: within a time, and counted.

use super::memory_budget::MemoryCharge;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use lastnim_rpc::{late_request_status, memory_spent_status};
use prost::bytes::Bytes;
use std::error::Error;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};
use tonic::Status;

/// The bytes before a message: a flag and its length.
const PREFIX_BYTES: usize = 5;

/// What a call has been charged for its request, while anybody works on it.
#[derive(Debug, Clone)]
pub(super) struct RequestCharge(Arc<Mutex<MemoryCharge>>);

/// The body of a request. Each message has to arrive in time, and the largest counts for as long as the call is worked on.
#[derive(Debug)]
pub(super) struct RequestBody {
    body: Incoming,
    charge: RequestCharge,
    /// What is charged while no message is on its way.
    base: usize,
    /// The most bytes that a message may have; of a larger one none is kept.
    max_message: usize,
    /// The most that has been charged for a message.
    largest: usize,
    messages: MessageBoundaries,
    timeout: Duration,
    expiry: Pin<Box<Sleep>>,
    /// Whether the time runs: not while nobody asks for the next message of a stream.
    is_running: bool,
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
    /// Counts a request as it arrives.
    pub(super) fn new(charge: MemoryCharge) -> Self {
        Self(Arc::new(Mutex::new(charge)))
    }

    fn resize(&self, bytes: usize) -> Result<(), Status> {
        let mut charge = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        charge.resize(bytes).map_err(|_| memory_spent_status())
    }
}

impl RequestBody {
    /// Reads a body. `base` bytes are charged already, for what waits unread.
    pub(super) fn new(
        body: Incoming,
        charge: RequestCharge,
        base: usize,
        max_message: usize,
        timeout: Duration,
    ) -> Self {
        Self {
            body,
            charge,
            base,
            max_message,
            largest: 0,
            messages: MessageBoundaries::default(),
            timeout,
            expiry: Box::pin(sleep(timeout)),
            is_running: true,
        }
    }

    /// Counts a chunk of bytes, and what is announced to follow: room is made for a whole message once its length is known.
    fn charge_chunk(&mut self, bytes: &[u8]) -> Result<(), Status> {
        let completed = self.messages.completed;
        self.messages.advance(bytes);
        if self.messages.completed > completed {
            self.is_running = false;
        }
        let announced = self.messages.missing.saturating_add(self.messages.pending);
        let message = if announced > self.max_message + PREFIX_BYTES { 0 } else { announced };
        let needed = bytes.len().max(message);
        if needed > self.largest {
            self.charge.resize(self.base + needed)?;
            self.largest = needed;
        }
        Ok(())
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
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = &mut *self;
        let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) else {
            if !this.is_running {
                this.expiry.as_mut().reset(Instant::now() + this.timeout);
                this.is_running = true;
            }
            ready!(this.expiry.as_mut().poll(context));
            return Poll::Ready(Some(Err(late_request_status(this.timeout).into())));
        };
        let frame = frame.transpose()?;
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
