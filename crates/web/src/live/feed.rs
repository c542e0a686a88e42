//! The updates of one page, which its watchers share.

use super::feeds::WatcherPlace;
use super::live_page::{LivePage, TabState};
use prost::bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// With n watchers, two updates are at least n times this interval apart, which limits the messages per second.
const INTERVAL_PER_WATCHER: Duration = Duration::from_millis(1);

/// How long a stream is quiet before a heartbeat is sent. The timeouts in `live.js` and `live_stream.js` must be longer.
pub(super) const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);

/// A heartbeat. It is an event because scripts cannot see comments in the stream.
const HEARTBEAT_MESSAGE: Bytes = Bytes::from_static(b"event: heartbeat\ndata: {}\n\n");
/// The line that tells a browser to wait two seconds before it reconnects.
const RETRY_LINE: &str = "retry: 2000\n";
/// Ends a feed.
const END_MESSAGE: Bytes = Bytes::from_static(b"event: end\ndata: {}\n\n");

/// The state of a feed.
#[derive(Debug, Default)]
struct FeedState {
    /// The number of changes; 0 before the first page.
    version: u64,
    page: Arc<PublishedPage>,
    /// The message that updates a tab from the previous version.
    update: Bytes,
    /// Whether the feed has ended.
    is_over: bool,
}

/// A page, and messages for tabs that missed the previous version.
#[derive(Debug, Default)]
struct PublishedPage {
    page: LivePage,
    /// The messages made so far, by the last row that a tab shows; the key is `None` if that row is unknown.
    messages: Mutex<BTreeMap<Option<u64>, Bytes>>,
}

impl PublishedPage {
    /// Returns the message for tabs that show this many events. Each message is made only once.
    fn message_after(&self, after: Option<u64>) -> Bytes {
        let row = after.and_then(|after| self.page.last_row_within(after));
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        let message = messages.entry(row).or_insert_with(|| {
            let shown = row.map_or(TabState::Unknown, TabState::After);
            let message = self.page.message_since(shown).unwrap_or_default();
            [RETRY_LINE.as_bytes(), &message].concat().into()
        });
        message.clone()
    }
}

/// Publishes a page whenever it changes. It never waits for watchers.
#[derive(Debug, Default)]
pub(super) struct FeedPublisher {
    state: watch::Sender<FeedState>,
}

/// A watcher of a feed. Watchers share updates; a watcher that falls behind gets one message with everything that it
/// missed.
#[derive(Debug)]
pub(crate) struct FeedWatcher {
    state: watch::Receiver<FeedState>,
    /// The last version that was sent; 0 before the first.
    version: u64,
    /// How many events the tab shows, if known.
    after: Option<u64>,
    is_done: bool,
    /// Counts the watcher in its feed until dropped; `None` if the feed is not shared.
    _place: Option<WatcherPlace>,
}

impl FeedPublisher {
    /// Adds a watcher whose tab shows this many events.
    pub(super) fn watch(&self, after: Option<u64>) -> FeedWatcher {
        let state = self.state.subscribe();
        FeedWatcher { state, version: 0, after, is_done: false, _place: None }
    }

    /// Returns the number of watchers.
    pub(super) fn watcher_count(&self) -> usize {
        self.state.receiver_count()
    }

    pub(super) async fn wait_until_unwatched(&self) {
        self.state.closed().await;
    }

    /// Returns the time between two updates: at least `shortest`, and longer with many watchers.
    pub(super) fn interval(&self, shortest: Duration) -> Duration {
        let watchers = u32::try_from(self.watcher_count()).unwrap_or(u32::MAX);
        shortest.max(INTERVAL_PER_WATCHER.saturating_mul(watchers))
    }

    /// Publishes the page if it has changed.
    pub(super) fn publish(&self, page: LivePage) {
        let (before, version) = {
            let state = self.state.borrow();
            (Arc::clone(&state.page), state.version)
        };
        let update =
            if version == 0 { Some(Bytes::new()) } else { page.message_since(TabState::Page(&before.page)) };
        let Some(update) = update else { return };
        self.state.send_modify(|state| {
            let page = PublishedPage { page, messages: Mutex::default() };
            (state.page, state.update) = (Arc::new(page), update);
            state.version += 1;
        });
    }

    /// Ends the feed.
    pub(super) fn finish(&self) {
        self.state.send_modify(|state| state.is_over = true);
    }
}

impl FeedWatcher {
    /// Attaches the object that counts the watcher in its feed.
    #[must_use = "returns the watcher with its place"]
    pub(super) fn with_place(self, place: WatcherPlace) -> Self {
        Self { _place: Some(place), ..self }
    }

    /// Returns the size of the next message if only this watcher receives it; otherwise 0.
    pub(super) fn unshared_bytes(&self) -> usize {
        let state = self.state.borrow();
        let (is_over, version, page) = (state.is_over, state.version, Arc::clone(&state.page));
        drop(state);
        if is_over && version > 0 { page.message_after(self.after).len() } else { 0 }
    }

    /// Returns whether the message that ends the feed has been returned.
    pub(super) fn has_ended(&self) -> bool {
        self.is_done
    }

    /// Waits for the next message, or for a heartbeat; `None` once the feed has ended.
    pub(super) async fn next_message(&mut self) -> Option<Bytes> {
        while !self.is_done {
            if let Some(message) = self.newest_message() {
                return Some(message);
            }
            match timeout(HEARTBEAT_INTERVAL, self.state.changed()).await {
                Ok(changed) => changed.ok()?,
                Err(_silent) => return Some(HEARTBEAT_MESSAGE),
            }
        }
        None
    }

    /// Returns the message that is due now, if there is one.
    fn newest_message(&mut self) -> Option<Bytes> {
        let state = self.state.borrow_and_update();
        if self.version < state.version {
            let (before, page) = (self.version, Arc::clone(&state.page));
            let update = (before != 0 && before + 1 == state.version).then(|| state.update.clone());
            self.version = state.version;
            // Drop the lock, so that publishing does not wait for the message to be made.
            drop(state);
            let after = std::mem::replace(&mut self.after, page.page.event);
            return Some(update.unwrap_or_else(|| page.message_after(after)));
        }
        if state.is_over {
            self.is_done = true;
            return Some(END_MESSAGE);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::{LiveList, PageParts};

    fn page_at_event(event: u64) -> LivePage {
        let rows: Vec<_> = (1..=event).map(|number| (number, format!("[{number}]"))).collect();
        let whole = rows.iter().map(|(_, row)| row.as_str()).collect();
        LivePage {
            event: Some(event),
            parts: PageParts::default().with("board", format!("board {event}")),
            list: Some(LiveList { id: "takes", whole, rows }),
            announcement: String::new(),
        }
    }

    async fn next_text(watcher: &mut FeedWatcher) -> String {
        String::from_utf8(watcher.next_message().await.unwrap().to_vec()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_is_made_once_for_all_watchers() {
        let feed = FeedPublisher::default();
        feed.publish(page_at_event(1));
        let mut watchers = [feed.watch(None), feed.watch(Some(1))];
        assert!(next_text(&mut watchers[0]).await.contains("\"takes\":\"[1]\""));
        assert!(!next_text(&mut watchers[1]).await.contains("[1]"));
        feed.publish(page_at_event(2));
        let sent = [watchers[0].next_message().await.unwrap(), watchers[1].next_message().await.unwrap()];
        assert_eq!(sent[0].as_ptr(), sent[1].as_ptr());
        feed.publish(page_at_event(2));
        let began = tokio::time::Instant::now();
        assert_eq!(next_text(&mut watchers[0]).await, "event: heartbeat\ndata: {}\n\n");
        assert_eq!(began.elapsed().as_secs(), HEARTBEAT_INTERVAL.as_secs());
        feed.finish();
        drop(feed);
        for watcher in &mut watchers {
            let last = next_text(watcher).await;
            assert_eq!((last.as_str(), watcher.next_message().await), ("event: end\ndata: {}\n\n", None));
        }
    }

    #[tokio::test]
    async fn new_and_late_watchers_share_messages() {
        let feed = FeedPublisher::default();
        feed.publish(page_at_event(3));
        let mut sent = BTreeMap::new();
        // The number of events is unknown, too large, or each of the possible numbers.
        for after in [None, Some(4), Some(0), Some(1), Some(2), Some(3)] {
            let [mut one, mut other] = [feed.watch(after), feed.watch(after)];
            let message = one.next_message().await.unwrap();
            assert_eq!(message.as_ptr(), other.next_message().await.unwrap().as_ptr(), "{after:?}");
            sent.insert(message.as_ptr(), message);
        }
        assert_eq!(sent.len(), 4, "{sent:?}");
        let mut late = [feed.watch(None), feed.watch(Some(3))];
        for watcher in &mut late {
            watcher.next_message().await.unwrap();
        }
        for event in 4..=6 {
            feed.publish(page_at_event(event));
        }
        let caught_up = [late[0].next_message().await.unwrap(), late[1].next_message().await.unwrap()];
        assert_eq!(caught_up[0].as_ptr(), caught_up[1].as_ptr());
    }

    #[tokio::test]
    async fn a_slow_watcher_catches_up_with_one_message() {
        let feed = FeedPublisher::default();
        feed.publish(page_at_event(1));
        let mut slow = feed.watch(None);
        next_text(&mut slow).await;
        for event in 2..=9 {
            feed.publish(page_at_event(event));
        }
        let caught_up = next_text(&mut slow).await;
        assert!(
            caught_up.starts_with("retry: 2000\nid: 9\n") && caught_up.contains("[2][3][4][5][6][7][8][9]"),
            "{caught_up}"
        );
        assert!(!caught_up.contains("[1]") && caught_up.contains("board 9"), "{caught_up}");
        drop(feed);
        assert_eq!(slow.next_message().await, None);
    }

    #[test]
    fn more_watchers_mean_fewer_updates() {
        let feed = FeedPublisher::default();
        let watchers: Vec<_> = (0..1_000).map(|_| feed.watch(None)).collect();
        assert_eq!(feed.interval(Duration::from_millis(250)), Duration::from_secs(1));
        drop(watchers);
        assert_eq!(feed.interval(Duration::from_millis(250)), Duration::from_millis(250));
    }
}
