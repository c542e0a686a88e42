//! Starts feeds and adds watchers.

use super::event_stream::event_stream_response;
use super::feed::FeedPublisher;
use super::feed_key::{FeedKey, FeedTopic};
use super::feed_payer::FeedPayer;
use crate::response::PageResponse;
use crate::site::Site;
use crate::visitor::Visitor;
use std::sync::Arc;
use tonic::Status;

/// Adds a visitor to the feed of a topic, and starts the feed for the first one. `follow` gets the visitor on whose
/// behalf the feed calls services.
pub(super) fn watch_feed<F>(
    site: &Site,
    visitor: &Visitor,
    topic: FeedTopic,
    after: Option<u64>,
    follow: impl FnOnce(Visitor, Arc<FeedPublisher>) -> F,
) -> Result<PageResponse, Status>
where
    F: Future<Output = ()> + Send + 'static,
{
    let payer = FeedPayer::new(visitor.address());
    let key = FeedKey { topic, token: visitor.token() };
    let for_feed = visitor.for_feed(&payer);
    let arena = site.arena.clone();
    let stopped = async move { arena.wait_until_stopped().await };
    let watcher = site.feeds.watch(key, payer, after, stopped, |publisher| follow(for_feed, publisher))?;
    Ok(event_stream_response(visitor, watcher))
}
