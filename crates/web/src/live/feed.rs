//! What all who look at a page share.

use super::feeds::WatcherPlace;
use super::live_page::{LivePage, ShownState};
use prost::bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// The share of a second that one watcher adds to the interval between two updates, so that what is sent in a second is bounded however many
/// watch.
const MIN_INTERVAL_PER_WATCHER: Duration = Duration::from_millis(1);

/// The longest time in which a feed says nothing.
pub(super) const MAX_SILENCE: Duration = Duration::from_secs(10);

/// A comment, which says that the connection is alive.
const BEAT: Bytes = Bytes::from_static(b":\n\n");
/// How long a browser waits before it connects again by itself, in milliseconds.
const RETRY: &str = "retry: 2000\n";
/// Says that nothing comes any more.
const END: Bytes = Bytes::from_static(b"event: end\ndata: {}\n\n");

/// Where a feed is.
#[derive(Debug, Default)]
struct FeedState {
    /// How often the page has changed; 0 before it is there.
    version: u64,
    page: Arc<PublishedPage>,
    /// What brings a tab from the version before to this one.
    update: Bytes,
    /// How often nothing has changed for so long that the connections were tried.
    beats: u64,
    /// Whether nothing comes any more.
    is_over: bool,
}

/// A page, and what brings tabs to it that do not show the one before.
#[derive(Debug, Default)]
struct PublishedPage {
    page: LivePage,
    /// The messages that somebody needed, by the last row that the tabs show; none where that is not known.
    messages: Mutex<BTreeMap<Option<u64>, Bytes>>,
}

impl PublishedPage {
    /// Returns the message for tabs that show so many events. It is made once for all that need it.
    fn message_after(&self, after: Option<u64>) -> Bytes {
        let row = after.and_then(|after| self.page.last_row_within(after));
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        let message = messages.entry(row).or_insert_with(|| {
            let shown = row.map_or(ShownState::Unknown, ShownState::After);
            let message = self.page.message_since(shown).unwrap_or_default();
            [RETRY.as_bytes(), &message].concat().into()
        });
        message.clone()
    }
}

/// Publishes a page whenever it changes. It waits for nobody.
#[derive(Debug, Default)]
pub(super) struct FeedPublisher {
    state: watch::Sender<FeedState>,
}

/// Somebody who watches: each gets what is new, made once for all; who is too slow for that gets what it missed in one message.
#[derive(Debug)]
pub(crate) struct FeedWatcher {
    state: watch::Receiver<FeedState>,
    /// The version that was sent last; 0 before the first.
    version: u64,
    /// How many events the tab shows, as far as that is known.
    after: Option<u64>,
    beats: u64,
    is_done: bool,
    /// Its place among those who watch, where the feed is one that others may watch.
    _place: Option<WatcherPlace>,
}

impl FeedPublisher {
    /// Lets somebody watch whose tab shows so many events.
    pub(super) fn watch(&self, after: Option<u64>) -> FeedWatcher {
        let state = self.state.subscribe();
        let beats = state.borrow().beats;
        FeedWatcher { state, version: 0, after, beats, is_done: false, _place: None }
    }

    /// Returns how many watch.
    pub(super) fn watchers(&self) -> usize {
        self.state.receiver_count()
    }

    /// Waits until nobody watches.
    pub(super) async fn wait_until_unwatched(&self) {
        self.state.closed().await;
    }

    /// Returns the time between two updates.
    pub(super) fn interval(&self, shortest: Duration) -> Duration {
        let watchers = u32::try_from(self.watchers()).unwrap_or(u32::MAX);
        shortest.max(MIN_INTERVAL_PER_WATCHER.saturating_mul(watchers))
    }

    /// Publishes the page as it is now. If nothing has changed, the connections are tried.
    pub(super) fn publish(&self, page: LivePage) {
        let (before, version) = {
            let state = self.state.borrow();
            (Arc::clone(&state.page), state.version)
        };
        let update = if version == 0 {
            Some(Bytes::new())
        } else {
            page.message_since(ShownState::Page(&before.page))
        };
        self.state.send_modify(|state| match update {
            Some(update) => {
                let page = PublishedPage { page, messages: Mutex::default() };
                (state.page, state.update) = (Arc::new(page), update);
                state.version += 1;
            }
            None => state.beats += 1,
        });
    }

    /// Says that nothing comes any more.
    pub(super) fn finish(&self) {
        self.state.send_modify(|state| state.is_over = true);
    }
}

impl FeedWatcher {
    /// Says where it stands among those who watch.
    #[must_use = "it is the watcher with its place"]
    pub(super) fn with_place(self, place: WatcherPlace) -> Self {
        Self { _place: Some(place), ..self }
    }

    /// Returns the bytes of a message that nobody else watches for.
    pub(super) fn unshared_bytes(&self) -> usize {
        let state = self.state.borrow();
        let (is_over, version, page) = (state.is_over, state.version, Arc::clone(&state.page));
        drop(state);
        if is_over && version > 0 { page.message_after(self.after).len() } else { 0 }
    }

    /// Waits for the next message; none when the feed has ended.
    pub(super) async fn next_message(&mut self) -> Option<Bytes> {
        while !self.is_done {
            if let Some(message) = self.newest_message() {
                return Some(message);
            }
            self.state.changed().await.ok()?;
        }
        None
    }

    /// Returns what is to be sent now.
    fn newest_message(&mut self) -> Option<Bytes> {
        let state = self.state.borrow_and_update();
        if self.version < state.version {
            let (before, page) = (self.version, Arc::clone(&state.page));
            let update = (before != 0 && before + 1 == state.version).then(|| state.update.clone());
            (self.version, self.beats) = (state.version, state.beats);
            // Who publishes waits for nobody who makes a message.
            drop(state);
            let after = std::mem::replace(&mut self.after, page.page.event);
            return Some(update.unwrap_or_else(|| page.message_after(after)));
        }
        if state.is_over {
            self.is_done = true;
            return Some(END);
        }
        (self.beats < state.beats).then(|| {
            self.beats = state.beats;
            BEAT
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::{LiveList, PageParts};

    fn page(event: u64) -> LivePage {
        let rows: Vec<_> = (1..=event).map(|number| (number, format!("[{number}]"))).collect();
        let whole = rows.iter().map(|(_, row)| row.as_str()).collect();
        LivePage {
            event: Some(event),
            parts: PageParts::default().with("board", format!("board {event}")),
            list: Some(LiveList { id: "takes", whole, rows }),
            said: String::new(),
        }
    }

    async fn next(watcher: &mut FeedWatcher) -> String {
        String::from_utf8(watcher.next_message().await.unwrap().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_message_is_made_once_for_all() {
        let feed = FeedPublisher::default();
        feed.publish(page(1));
        let mut watchers = [feed.watch(None), feed.watch(Some(1))];
        assert!(next(&mut watchers[0]).await.contains("\"takes\":\"[1]\""));
        assert!(!next(&mut watchers[1]).await.contains("[1]"));
        feed.publish(page(2));
        let sent = [watchers[0].next_message().await.unwrap(), watchers[1].next_message().await.unwrap()];
        assert_eq!(sent[0].as_ptr(), sent[1].as_ptr());
        feed.publish(page(2));
        assert_eq!(next(&mut watchers[0]).await, ":\n\n");
        feed.finish();
        drop(feed);
        for watcher in &mut watchers {
            let mut last = next(watcher).await;
            if last == ":\n\n" {
                last = next(watcher).await;
            }
            assert_eq!((last.as_str(), watcher.next_message().await), ("event: end\ndata: {}\n\n", None));
        }
    }

    #[tokio::test]
    async fn who_comes_first_or_late_shares_its_message_with_all_who_show_the_same() {
        let feed = FeedPublisher::default();
        feed.publish(page(3));
        let mut sent = BTreeMap::new();
        // Nothing, too much, and each number of rows.
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
            feed.publish(page(event));
        }
        let caught_up = [late[0].next_message().await.unwrap(), late[1].next_message().await.unwrap()];
        assert_eq!(caught_up[0].as_ptr(), caught_up[1].as_ptr());
    }

    #[tokio::test]
    async fn who_is_too_slow_gets_what_it_missed_at_once() {
        let feed = FeedPublisher::default();
        feed.publish(page(1));
        let mut slow = feed.watch(None);
        next(&mut slow).await;
        for event in 2..=9 {
            feed.publish(page(event));
        }
        let caught_up = next(&mut slow).await;
        assert!(
            caught_up.starts_with("retry: 2000\nid: 9\n") && caught_up.contains("[2][3][4][5][6][7][8][9]"),
            "{caught_up}"
        );
        assert!(!caught_up.contains("[1]") && caught_up.contains("board 9"), "{caught_up}");
        drop(feed);
        assert_eq!(slow.next_message().await, None);
    }

    #[test]
    fn the_more_watch_the_fewer_updates_there_are() {
        let feed = FeedPublisher::default();
        let watchers: Vec<_> = (0..1_000).map(|_| feed.watch(None)).collect();
        assert_eq!(feed.interval(Duration::from_millis(250)), Duration::from_secs(1));
        drop(watchers);
        assert_eq!(feed.interval(Duration::from_millis(250)), Duration::from_millis(250));
    }
}
