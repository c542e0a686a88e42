//! Feeds as server-sent events.

use super::feed::FeedWatcher;
use super::feed_start::watch_feed_at;
use crate::address::FeedAddress;
use crate::response::{Freshness, PageResponse, body_response};
use crate::site::Site;
use crate::visitor::Visitor;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use prost::bytes::Bytes;
use std::convert::Infallible;
use std::future::ready as ready_future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tonic::body::Body;
use tonic::codegen::http::header::CONTENT_TYPE;
use tonic::codegen::http::{HeaderValue, StatusCode};
use tonic::{Code, Status};

const EVENT_STREAM: &str = "text/event-stream";

/// Ends the stream because the visitor is no longer signed in. This is an event because scripts cannot see the status
/// of a refused reconnection.
const SIGNED_OUT_MESSAGE: Bytes = Bytes::from_static(b"event: signed-out\ndata: {}\n\n");

/// Ends the stream because other visitors are waiting. A browser without scripts reconnects after a minute.
pub const BUSY_MESSAGE: Bytes = Bytes::from_static(b"retry: 60000\nevent: busy\ndata: {}\n\n");

/// Waits for the next message of a feed. Also returns the watch if more messages may follow.
type NextMessage = Pin<Box<dyn Future<Output = (Option<VisitorWatch>, Option<Bytes>)> + Send>>;

/// A watched feed, until its visitor signs out.
struct VisitorWatch {
    watcher: FeedWatcher,
    signed_out: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// A feed in a stream.
struct StreamedFeed {
    /// Its place among the addresses of a stream of several feeds. It is sent before each message.
    place: Option<usize>,
    next: NextMessage,
}

/// The body of a response with the messages of feeds. Each message of a feed is produced after the previous one is
/// sent.
#[derive(Default)]
struct EventStreamBody {
    /// The feeds that may have more messages. The feed that sent the latest message comes last.
    feeds: Vec<StreamedFeed>,
    /// The bytes that are held for this visitor alone.
    held_bytes: u64,
}

impl EventStreamBody {
    /// Adds a feed, or why it is refused.
    fn add(&mut self, visitor: &Visitor, place: Option<usize>, feed: Result<FeedWatcher, Status>) {
        let next: NextMessage = match feed {
            Ok(watcher) => {
                self.held_bytes += watcher.unshared_bytes() as u64;
                let signed_out = Box::pin(visitor.signed_out());
                Box::pin(wait_for_message(VisitorWatch { watcher, signed_out }))
            }
            Err(status) => Box::pin(ready_future((None, Some(refusal_message(&status))))),
        };
        self.feeds.push(StreamedFeed { place, next });
    }

    fn response(self) -> PageResponse {
        let body = Body::new(self);
        let mut response = body_response(StatusCode::OK, EVENT_STREAM, Freshness::Now, body);
        // Stops proxies from buffering the stream.
        response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
        response
    }
}

/// Returns the next message, and the watch if more may follow. There is no message if the feed has stopped early.
async fn wait_for_message(mut watch: VisitorWatch) -> (Option<VisitorWatch>, Option<Bytes>) {
    tokio::select! {
        biased;
        () = &mut watch.signed_out => (None, Some(SIGNED_OUT_MESSAGE)),
        message = watch.watcher.next_message() => {
            let has_more = message.is_some() && !watch.watcher.has_ended();
            (has_more.then_some(watch), message)
        }
    }
}

/// Returns the message for a feed that is refused while the stream's other feeds go on.
fn refusal_message(status: &Status) -> Bytes {
    if status.code() == Code::Unauthenticated {
        return SIGNED_OUT_MESSAGE;
    }
    let reason = serde_json::json!({ "message": status.message() });
    format!("event: refused\ndata: {reason}\n\n").into()
}

/// Returns a message with the place of its feed before it, as an event that also resets the id of the last event.
fn placed_message(place: Option<usize>, message: Bytes) -> Bytes {
    match place {
        Some(place) => [format!("event: feed\nid:\ndata: {place}\n\n").as_bytes(), &message].concat().into(),
        None => message,
    }
}

impl HttpBody for EventStreamBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let ready = self.feeds.iter_mut().enumerate().find_map(|(index, feed)| {
            match feed.next.as_mut().poll(context) {
                Poll::Ready(came) => Some((index, came)),
                Poll::Pending => None,
            }
        });
        let Some((index, (watch, message))) = ready else {
            return if self.feeds.is_empty() { Poll::Ready(None) } else { Poll::Pending };
        };
        let place = self.feeds.remove(index).place;
        if let Some(watch) = watch {
            self.feeds.push(StreamedFeed { place, next: Box::pin(wait_for_message(watch)) });
        }
        self.held_bytes = 0;
        // If a feed has stopped early, the browser connects again for all.
        Poll::Ready(message.map(|message| Ok(Frame::data(placed_message(place, message)))))
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = SizeHint::new();
        hint.set_lower(self.held_bytes);
        hint
    }
}

/// Streams a feed to a visitor. The response ends when the visitor's session ends, because what a feed shows depends on
/// who is signed in.
pub(crate) async fn watch_page(
    site: &Site,
    visitor: &Visitor,
    feed: &FeedAddress,
) -> Result<PageResponse, Status> {
    let mut body = EventStreamBody::default();
    body.add(visitor, None, Ok(watch_feed_at(site, visitor, feed).await?));
    Ok(body.response())
}

/// Adds a visitor to several feeds. For each feed that is refused, the response says why.
pub(crate) async fn watch_pages(site: &Site, visitor: &Visitor, feeds: &[FeedAddress]) -> PageResponse {
    let mut body = EventStreamBody::default();
    for (place, feed) in feeds.iter().enumerate() {
        body.add(visitor, Some(place), watch_feed_at(site, visitor, feed).await);
    }
    body.response()
}

/// Returns whether a response is a stream of events.
pub fn is_event_stream(response: &PageResponse) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|content_type| content_type == EVENT_STREAM)
}
