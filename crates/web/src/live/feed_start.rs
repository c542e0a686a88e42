//! Starts feeds and adds watchers.

use super::feed::{FeedPublisher, FeedWatcher};
use super::feed_key::{FeedKey, FeedTopic};
use super::feed_payer::FeedPayer;
use super::home_feed::watch_home_page;
use super::match_feed::watch_match_page;
use super::tournament_feed::watch_tournament_page;
use crate::address::FeedAddress;
use crate::site::Site;
use crate::visitor::Visitor;
use std::sync::Arc;
use tonic::Status;

/// Adds a visitor to the feed at an address.
pub(super) async fn watch_feed_at(
    site: &Site,
    visitor: &Visitor,
    feed: &FeedAddress,
) -> Result<FeedWatcher, Status> {
    match *feed {
        FeedAddress::Home => watch_home_page(site, visitor).await,
        FeedAddress::Tournament { id } => watch_tournament_page(site, visitor, id).await,
        FeedAddress::Match { id, after } => watch_match_page(site, visitor, id, after).await,
    }
}

/// Adds a visitor to the feed of a topic, and starts the feed for the first one. `follow` gets the visitor on whose
/// behalf the feed calls services.
pub(super) fn watch_feed<F>(
    site: &Site,
    visitor: &Visitor,
    topic: FeedTopic,
    after: Option<u64>,
    follow: impl FnOnce(Visitor, Arc<FeedPublisher>) -> F,
) -> Result<FeedWatcher, Status>
where
    F: Future<Output = ()> + Send + 'static,
{
    let payer = FeedPayer::new(visitor.address());
    let key = FeedKey { topic, token: visitor.token() };
    let feed_visitor = visitor.for_feed(&payer);
    let arena = site.arena.clone();
    let stopped = async move { arena.wait_until_stopped().await };
    site.feeds.watch(key, payer, after, stopped, |publisher| follow(feed_visitor, publisher))
}
