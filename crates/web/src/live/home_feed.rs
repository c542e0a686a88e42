//! Live updates of the home page.

use super::feed::{FeedPublisher, FeedWatcher};
use super::feed_key::FeedTopic;
use super::feed_start::watch_feed;
use crate::home_view::read_home;
use crate::site::Site;
use crate::visitor::Visitor;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use tonic::{Code, Status};

/// The shortest time between updates while matches are played.
const MIN_UPDATE_INTERVAL: Duration = Duration::from_secs(1);
/// The shortest time between updates otherwise.
const MIN_IDLE_INTERVAL: Duration = Duration::from_secs(5);

/// Adds a visitor to the feed of the home page.
pub(super) async fn watch_home_page(site: &Site, visitor: &Visitor) -> Result<FeedWatcher, Status> {
    // Access is checked as for a page, even if the feed already runs.
    site.reads.run_slow_work(&visitor.request(()), || ()).await?;
    let feed = |visitor| HomeFeed { site: site.clone(), visitor };
    watch_feed(site, visitor, FeedTopic::Home, None, |visitor, publisher| feed(visitor).follow(publisher))
}

/// Follows the home page for all visitors with the same rights.
#[derive(Debug)]
struct HomeFeed {
    site: Site,
    visitor: Visitor,
}

impl HomeFeed {
    /// Publishes the page until it can no longer be read.
    async fn follow(self, publisher: Arc<FeedPublisher>) {
        loop {
            let interval = match self.publish_update(&publisher).await {
                Ok(interval) => interval,
                // The server is busy; try again later.
                Err(status) if status.code() == Code::ResourceExhausted => MIN_IDLE_INTERVAL,
                Err(status) => return tracing::debug!(%status, "the home page's feed stopped"),
            };
            sleep(publisher.interval(interval)).await;
        }
    }

    /// Publishes the current page, and returns the time until the next update.
    async fn publish_update(&self, publisher: &FeedPublisher) -> Result<Duration, Status> {
        let now = read_home(&self.site, &self.visitor).await?;
        let interval = if now.is_busy() { MIN_UPDATE_INTERVAL } else { MIN_IDLE_INTERVAL };
        let page = self.site.reads.run_slow_work(&self.visitor.request(()), move || now.live_page()).await?;
        publisher.publish(page);
        Ok(interval)
    }
}
