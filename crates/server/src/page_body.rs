//! The body of a request for a page: within a time, and counted.

use super::memory_budget::MemoryCharge;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use lastnim_rpc::{late_request_status, memory_spent_status};
use prost::bytes::Bytes;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Sleep, sleep};
use tonic::Status;

/// How often a form is in memory while it is read: as it arrived, joined, and taken apart.
const COPIES: usize = 3;

/// The body of a request for a page. All of it has to arrive in time, and what has arrived counts until this is dropped.
#[derive(Debug)]
pub(super) struct PageBody {
    body: Incoming,
    charge: MemoryCharge,
    /// What is charged already, for what waits unread.
    base: usize,
    arrived: usize,
    timeout: Duration,
    /// None until somebody reads.
    expiry: Option<Pin<Box<Sleep>>>,
}

impl PageBody {
    /// Reads a body. `base` bytes are charged already.
    pub(super) fn new(body: Incoming, charge: MemoryCharge, base: usize, timeout: Duration) -> Self {
        Self { body, charge, base, arrived: 0, timeout, expiry: None }
    }
}

impl Body for PageBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = &mut *self;
        let limit = this.timeout;
        let expiry = this.expiry.get_or_insert_with(|| Box::pin(sleep(limit)));
        let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) else {
            ready!(expiry.as_mut().poll(context));
            return Poll::Ready(Some(Err(late_request_status(limit))));
        };
        let broken =
            |error: hyper::Error| Status::invalid_argument(format!("the form did not arrive: {error}"));
        let frame = frame.transpose().map_err(broken)?;
        if let Some(bytes) = frame.as_ref().and_then(Frame::data_ref) {
            this.arrived += bytes.len();
            let needed = this.base + COPIES * this.arrived;
            this.charge.resize(needed).map_err(|_| memory_spent_status())?;
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
