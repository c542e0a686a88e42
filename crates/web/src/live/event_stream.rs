//! Feeds as server-sent events.

use super::feed::FeedWatcher;
use crate::response::{Freshness, PageResponse, body_response};
use crate::visitor::Visitor;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use prost::bytes::Bytes;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tonic::body::Body;
use tonic::codegen::http::header::CONTENT_TYPE;
use tonic::codegen::http::{HeaderValue, StatusCode};

const EVENT_STREAM: &str = "text/event-stream";

/// Ends the stream because the visitor is signed out. It is an event because a browser cannot see the status of a
/// refused reconnection.
const SIGNED_OUT: Bytes = Bytes::from_static(b"event: signed-out\ndata: {}\n\n");

/// Ends the stream because other visitors are waiting. A browser without scripts reconnects after a minute.
pub const BUSY_MESSAGE: Bytes = Bytes::from_static(b"retry: 60000\nevent: busy\ndata: {}\n\n");

type NextMessage = Pin<Box<dyn Future<Output = (Option<VisitorWatch>, Option<Bytes>)> + Send>>;

/// A watched feed, until its visitor signs out.
struct VisitorWatch {
    watcher: FeedWatcher,
    signed_out: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// The messages of a feed, each produced after the previous one is sent.
struct EventStreamBody {
    /// `None` after the last message.
    next: Option<NextMessage>,
    /// The bytes that are held for this watcher alone.
    held_bytes: u64,
}

impl EventStreamBody {
    fn new(watch: VisitorWatch) -> Self {
        let held_bytes = watch.watcher.unshared_bytes() as u64;
        Self { next: Some(Box::pin(wait_for_message(watch))), held_bytes }
    }
}

/// Returns the next message, and the watch if more may follow.
async fn wait_for_message(mut watch: VisitorWatch) -> (Option<VisitorWatch>, Option<Bytes>) {
    tokio::select! {
        biased;
        () = &mut watch.signed_out => (None, Some(SIGNED_OUT)),
        message = watch.watcher.next_message() => (message.is_some().then_some(watch), message),
    }
}

impl HttpBody for EventStreamBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(next) = &mut self.next else { return Poll::Ready(None) };
        let (watch, message) = ready!(next.as_mut().poll(context));
        self.next = watch.map(|watch| Box::pin(wait_for_message(watch)) as NextMessage);
        self.held_bytes = 0;
        Poll::Ready(message.map(|message| Ok(Frame::data(message))))
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = SizeHint::new();
        hint.set_lower(self.held_bytes);
        hint
    }
}

/// Returns a feed as a response. It ends with the visitor's session, since other visitors may see other things.
pub(crate) fn event_stream_response(visitor: &Visitor, watcher: FeedWatcher) -> PageResponse {
    let signed_out = Box::pin(visitor.signed_out());
    let body = Body::new(EventStreamBody::new(VisitorWatch { watcher, signed_out }));
    let mut response = body_response(StatusCode::OK, EVENT_STREAM, Freshness::Now, body);
    // Stops proxies from buffering the stream.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Returns whether a response is a stream of events.
pub fn is_event_stream(response: &PageResponse) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|content_type| content_type == EVENT_STREAM)
}
