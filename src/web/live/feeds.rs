//! The feeds that run: each from its first watcher to its last.

use super::feed::{FeedPublisher, FeedWatcher};
use super::feed_key::FeedKey;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tonic::Status;

/// Feeds at once. Each asks the services several times a second.
const MAX_FEEDS: usize = 1_024;

/// All feeds of a server.
#[derive(Debug, Clone, Default)]
pub struct Feeds {
    running: Arc<Mutex<HashMap<FeedKey, Arc<FeedPublisher>>>>,
}

/// A feed among those that run, until this is dropped.
struct RunningFeed {
    feeds: Feeds,
    key: FeedKey,
    publisher: Arc<FeedPublisher>,
}

impl Feeds {
    fn lock(&self) -> MutexGuard<'_, HashMap<FeedKey, Arc<FeedPublisher>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets somebody watch a feed, and starts it for the first one. It runs until `follow` is done, nobody watches, or the server stops.
    ///
    /// # Errors
    /// If too many feeds run.
    pub(super) fn watch<F>(
        &self,
        key: FeedKey,
        after: Option<u64>,
        server_stopped: impl Future<Output = ()> + Send + 'static,
        follow: impl FnOnce(Arc<FeedPublisher>) -> F,
    ) -> Result<FeedWatcher, Status>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let mut running = self.lock();
        if let Some(publisher) = running.get(&key) {
            return Ok(publisher.watch(after));
        }
        if running.len() >= MAX_FEEDS {
            return Err(Status::resource_exhausted(format!(
                "{MAX_FEEDS} pages are followed already: try again later"
            )));
        }
        let publisher = Arc::new(FeedPublisher::default());
        let watcher = publisher.watch(after);
        running.insert(key.clone(), Arc::clone(&publisher));
        let feed = RunningFeed { feeds: self.clone(), key, publisher: Arc::clone(&publisher) };
        let following = follow(publisher);
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = server_stopped => {}
                () = feed.wait_until_abandoned() => {}
                () = following => {}
            }
        });
        Ok(watcher)
    }
}

impl RunningFeed {
    /// Waits until nobody watches, and lets nobody watch from then on.
    async fn wait_until_abandoned(&self) {
        loop {
            self.publisher.wait_until_unwatched().await;
            let mut running = self.feeds.lock();
            if self.publisher.watchers() == 0 {
                running.remove(&self.key);
                return;
            }
        }
    }
}

impl Drop for RunningFeed {
    fn drop(&mut self) {
        let mut running = self.feeds.lock();
        if running.get(&self.key).is_some_and(|publisher| Arc::ptr_eq(publisher, &self.publisher)) {
            running.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::feed_key::FeedTopic;
    use super::super::{LivePage, PageParts};
    use super::*;
    use std::future::pending;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn a_feed_lasts_from_its_first_watcher_to_its_last() {
        let (feeds, starts) = (Feeds::default(), Arc::new(AtomicUsize::new(0)));
        let key = FeedKey { topic: FeedTopic::Home, token: None };
        let watch = || {
            let starts = Arc::clone(&starts);
            let follow = |publisher: Arc<FeedPublisher>| async move {
                starts.fetch_add(1, Ordering::SeqCst);
                let parts = PageParts::default().with("board", "drawn");
                publisher.publish(LivePage { parts, ..LivePage::default() });
                pending::<()>().await;
            };
            feeds.watch(key.clone(), None, pending(), follow).unwrap()
        };
        let (mut first, mut second) = (watch(), watch());
        assert!(first.next_message().await.is_some() && second.next_message().await.is_some());
        assert_eq!((starts.load(Ordering::SeqCst), feeds.lock().len()), (1, 1));
        drop(first);
        let third = watch();
        drop((second, third));
        while !feeds.lock().is_empty() {
            tokio::task::yield_now().await;
        }
        assert!(watch().next_message().await.is_some());
        assert_eq!(starts.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn a_server_that_stops_closes_its_feeds() {
        let feeds = Feeds::default();
        let key = FeedKey { topic: FeedTopic::Home, token: None };
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let stopped = async { drop(stopped.await) };
        let mut watcher = feeds.watch(key, None, stopped, |_| pending()).unwrap();
        stop.send(()).unwrap();
        assert_eq!(watcher.next_message().await, None);
        assert!(feeds.lock().is_empty());
    }
}
