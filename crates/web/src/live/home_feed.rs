//! What changes on the page of what goes on.

use super::feed::FeedPublisher;
use super::feed_key::FeedTopic;
use super::feed_start::watch_feed;
use crate::home_view::read_home;
use crate::response::PageResponse;
use crate::site::Site;
use crate::visitor::Visitor;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use tonic::{Code, Status};

/// The shortest time between two updates while something is played.
const MIN_UPDATE_INTERVAL: Duration = Duration::from_secs(1);
/// The shortest time between two updates while nothing is.
const MIN_IDLE_INTERVAL: Duration = Duration::from_secs(5);

/// Lets a visitor follow what goes on.
pub(crate) async fn watch_home_page(site: &Site, visitor: &Visitor) -> Result<PageResponse, Status> {
    // Whoever shares a feed is let in as for a feed of its own.
    site.reads.run_slow_work(&visitor.request(()), || ()).await?;
    let feed = |visitor| HomeFeed { site: site.clone(), visitor };
    watch_feed(site, visitor, FeedTopic::Home, None, |visitor, publisher| feed(visitor).follow(publisher))
}

/// Looks at what goes on for all who have the same rights.
#[derive(Debug)]
struct HomeFeed {
    site: Site,
    visitor: Visitor,
}

impl HomeFeed {
    /// Publishes the page for as long as it may be read.
    async fn follow(self, publisher: Arc<FeedPublisher>) {
        loop {
            let interval = match self.look(&publisher).await {
                Ok(interval) => interval,
                // There was no room; there will be.
                Err(status) if status.code() == Code::ResourceExhausted => MIN_IDLE_INTERVAL,
                Err(status) => return tracing::debug!(%status, "what goes on is not followed any further"),
            };
            sleep(publisher.interval(interval)).await;
        }
    }

    /// Publishes the page as it is now, and returns when to look again.
    async fn look(&self, publisher: &FeedPublisher) -> Result<Duration, Status> {
        let now = read_home(&self.site, &self.visitor).await?;
        let interval = if now.is_busy() { MIN_UPDATE_INTERVAL } else { MIN_IDLE_INTERVAL };
        let page = self.site.reads.run_slow_work(&self.visitor.request(()), move || now.live_page()).await?;
        publisher.publish(page);
        Ok(interval)
    }
}
