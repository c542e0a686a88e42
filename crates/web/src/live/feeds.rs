//! The running feeds. Each runs as long as it has watchers.

use super::feed::{FeedPublisher, FeedWatcher};
use super::feed_key::FeedKey;
use super::feed_payer::FeedPayer;
use lastnim_rpc::{ClientAddress, retry_status};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tonic::{Code, Status};

/// The maximum number of feeds. Each feed calls the services several times a second.
const MAX_FEEDS: usize = 1_024;
/// The maximum number of feeds charged to one address.
const MAX_FEEDS_PER_ADDRESS: usize = 64;

/// All running feeds.
#[derive(Debug, Clone, Default)]
pub struct Feeds {
    running: Arc<Mutex<RunningFeeds>>,
}

type RunningFeeds = HashMap<FeedKey, FeedEntry>;

/// A feed, and the addresses of its watchers.
#[derive(Debug)]
struct FeedEntry {
    publisher: Arc<FeedPublisher>,
    payer: FeedPayer,
    /// The number of watchers by address.
    watchers: HashMap<ClientAddress, usize>,
}

/// Counts a watcher in a feed, until dropped.
#[derive(Debug)]
pub(super) struct WatcherPlace {
    feeds: Feeds,
    key: FeedKey,
    payer: FeedPayer,
    address: ClientAddress,
}

/// A running feed, until dropped.
struct RunningFeed {
    feeds: Feeds,
    key: FeedKey,
    publisher: Arc<FeedPublisher>,
}

impl Feeds {
    fn lock(&self) -> MutexGuard<'_, RunningFeeds> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a watcher from the address of `payer`. The first watcher starts the feed and is charged for it. The feed
    /// runs until `follow` ends, nobody watches, or the server stops.
    ///
    /// # Errors
    /// If too many feeds run, or too many are charged to this address.
    pub(super) fn watch<F>(
        &self,
        key: FeedKey,
        payer: FeedPayer,
        after: Option<u64>,
        server_stopped: impl Future<Output = ()> + Send + 'static,
        follow: impl FnOnce(Arc<FeedPublisher>) -> F,
    ) -> Result<FeedWatcher, Status>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let address = payer.address();
        let mut running = self.lock();
        if let Some(feed) = running.get_mut(&key) {
            feed.add_watcher(address);
            let place = WatcherPlace { feeds: self.clone(), key, payer: feed.payer.clone(), address };
            return Ok(feed.publisher.watch(after).with_place(place));
        }
        if running.len() >= MAX_FEEDS {
            let message = format!("the limit of {MAX_FEEDS} live pages is reached: try again later");
            return Err(retry_status(Code::ResourceExhausted, "FULL", &message));
        }
        if count_charged_feeds(&running, address) >= MAX_FEEDS_PER_ADDRESS {
            let message = format!(
                "the limit of {MAX_FEEDS_PER_ADDRESS} live pages for your address is reached: close one, or try again later"
            );
            return Err(retry_status(Code::ResourceExhausted, "TOO_MANY_LIVE_PAGES", &message));
        }
        let publisher = Arc::new(FeedPublisher::default());
        let place = WatcherPlace { feeds: self.clone(), key: key.clone(), payer: payer.clone(), address };
        let watcher = publisher.watch(after).with_place(place);
        let watchers = HashMap::from([(address, 1)]);
        running.insert(key.clone(), FeedEntry { publisher: Arc::clone(&publisher), payer, watchers });
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

/// Returns the number of feeds charged to an address.
fn count_charged_feeds(running: &RunningFeeds, address: ClientAddress) -> usize {
    running.values().filter(|feed| feed.payer.address() == address).count()
}

impl FeedEntry {
    fn add_watcher(&mut self, address: ClientAddress) {
        *self.watchers.entry(address).or_default() += 1;
        // The last watcher at the charged address may just have left.
        if !self.watchers.contains_key(&self.payer.address()) {
            self.payer.pass_to(address);
        }
    }

    /// Removes a watcher. Returns whether the charged address has no watchers left.
    fn remove_watcher(&mut self, address: ClientAddress) -> bool {
        if let Some(watchers) = self.watchers.get_mut(&address) {
            *watchers -= 1;
            if *watchers == 0 {
                self.watchers.remove(&address);
            }
        }
        !self.watchers.contains_key(&self.payer.address())
    }
}

impl Drop for WatcherPlace {
    fn drop(&mut self) {
        let mut running = self.feeds.lock();
        let Some(feed) = running.get_mut(&self.key).filter(|feed| feed.payer.is_same_feed_as(&self.payer))
        else {
            return;
        };
        if feed.remove_watcher(self.address) {
            // Charge the watcher with the fewest other feeds.
            let watchers: Vec<_> = feed.watchers.keys().copied().collect();
            let next_payer =
                watchers.into_iter().min_by_key(|&address| (count_charged_feeds(&running, address), address));
            if let Some(next_payer) = next_payer {
                self.payer.pass_to(next_payer);
            }
        }
    }
}

impl RunningFeed {
    /// Waits until nobody watches the feed, and then removes it, so that no watcher can join.
    async fn wait_until_abandoned(&self) {
        loop {
            self.publisher.wait_until_unwatched().await;
            let mut running = self.feeds.lock();
            if self.publisher.watcher_count() == 0 {
                running.remove(&self.key);
                return;
            }
        }
    }
}

impl Drop for RunningFeed {
    fn drop(&mut self) {
        let mut running = self.feeds.lock();
        if running.get(&self.key).is_some_and(|feed| Arc::ptr_eq(&feed.publisher, &self.publisher)) {
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
    use std::net::IpAddr;
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
            feeds.watch(key.clone(), FeedPayer::new(ClientAddress::UNKNOWN), None, pending(), follow).unwrap()
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
    async fn each_address_has_its_own_limit_of_feeds() {
        let feeds = Feeds::default();
        let [one, other] = [1, 2].map(|last| ClientAddress::from(IpAddr::from([192, 0, 2, last])));
        let watch = |starter, number: usize| {
            let id = format!("0192f0c1-2e6b-7c3a-8f4d-{number:012x}").parse().unwrap();
            let key = FeedKey { topic: FeedTopic::Tournament(id), token: None };
            feeds.watch(key, FeedPayer::new(starter), None, pending(), |_| pending())
        };
        let mut watchers: Vec<_> =
            (0..MAX_FEEDS_PER_ADDRESS).map(|number| watch(one, number).unwrap()).collect();
        let refused = watch(one, MAX_FEEDS_PER_ADDRESS).unwrap_err();
        assert!(refused.message().contains("for your address"), "{refused}");
        // Everyone can still watch running feeds, and other addresses have their own limit.
        drop((watch(one, 3).unwrap(), watch(other, MAX_FEEDS_PER_ADDRESS).unwrap()));
        watchers.pop();
        while feeds.lock().len() >= MAX_FEEDS_PER_ADDRESS {
            tokio::task::yield_now().await;
        }
        watch(one, MAX_FEEDS_PER_ADDRESS).unwrap();
    }

    #[tokio::test]
    async fn a_stopping_server_closes_its_feeds() {
        let feeds = Feeds::default();
        let key = FeedKey { topic: FeedTopic::Home, token: None };
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let stopped = async { drop(stopped.await) };
        let mut watcher =
            feeds.watch(key, FeedPayer::new(ClientAddress::UNKNOWN), None, stopped, |_| pending()).unwrap();
        stop.send(()).unwrap();
        assert_eq!(watcher.next_message().await, None);
        assert!(feeds.lock().is_empty());
    }

    #[tokio::test]
    async fn an_address_without_watchers_is_not_charged() {
        let feeds = Feeds::default();
        let address_ending = |last| ClientAddress::from(IpAddr::from([192, 0, 2, last]));
        let key = |number: usize| {
            let id = format!("0192f0c1-2e6b-7c3a-8f4d-{number:012x}").parse().unwrap();
            FeedKey { topic: FeedTopic::Tournament(id), token: None }
        };
        let watch = |last, number| {
            feeds.watch(key(number), FeedPayer::new(address_ending(last)), None, pending(), |_| pending())
        };
        let payer = |number| feeds.lock()[&key(number)].payer.address();
        let mut first: Vec<_> = (0..MAX_FEEDS_PER_ADDRESS).map(|number| watch(1, number).unwrap()).collect();
        assert!(watch(1, 100).is_err());
        // The first address still watches the feed, in another tab, after these two have left.
        let [other_tab, passer_by] = [1, 9].map(|last| watch(last, 0).unwrap());
        drop((other_tab, passer_by));
        assert_eq!(payer(0), address_ending(1));
        // The second address watches all feeds, and is charged for one more, which only it watches. The third watches
        // two.
        let second: Vec<_> = (0..MAX_FEEDS_PER_ADDRESS).map(|number| watch(2, number).unwrap()).collect();
        let third: Vec<_> = (0..2).map(|number| watch(3, number).unwrap()).collect();
        let own = watch(2, 200).unwrap();
        first.truncate(2);
        assert_eq!(payer(2), address_ending(2));
        drop(first);
        assert_eq!([payer(0), payer(1)], [address_ending(3), address_ending(3)], "it has fewer feeds");
        let again: Vec<_> =
            (0..MAX_FEEDS_PER_ADDRESS).map(|number| watch(1, 300 + number).unwrap()).collect();
        drop((third, again));
        assert_eq!([payer(0), payer(1)], [address_ending(2), address_ending(2)]);
        drop((second, own));
        while !feeds.lock().is_empty() {
            tokio::task::yield_now().await;
        }
    }
}
