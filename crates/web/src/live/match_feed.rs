//! Live updates of a match page.

use super::feed::{FeedPublisher, FeedWatcher, HEARTBEAT_INTERVAL};
use super::feed_key::FeedTopic;
use super::feed_start::watch_feed;
use super::live_page::LivePage;
use crate::match_page::MatchAtPly;
use crate::replay::Replay;
use crate::site::Site;
use crate::visitor::Visitor;
use lastnim_core::game::MatchId;
use lastnim_proto::pb;
use lastnim_rpc::MatchRpc;
use pb::match_service_server::MatchService;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use tokio_stream::StreamExt as _;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

const MIN_UPDATE_INTERVAL: Duration = Duration::from_millis(250);
/// The time after which an update that was refused for lack of capacity is tried again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// The maximum number of events read in a row before other tasks can run.
const MAX_EVENTS_AT_ONCE: usize = 1_024;

/// Adds a visitor to the feed of a match.
pub(super) async fn watch_match_page(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
    after: Option<u64>,
) -> Result<FeedWatcher, Status> {
    // Access is checked as for a page, even if the feed already runs.
    let shown = site.get_match(visitor, id).await?;
    if shown.r#match.as_ref().is_some_and(|game| game.phase() == pb::Phase::Ended) {
        return watch_ended_match(site, visitor, ShownMatch { id, shown }, after).await;
    }
    let feed = |visitor| MatchFeed { site: site.clone(), visitor, id };
    let topic = FeedTopic::Match(id);
    watch_feed(site, visitor, topic, after, |visitor, publisher| feed(visitor).follow(publisher))
}

/// A match as the service returned it.
#[derive(Debug)]
struct ShownMatch {
    id: MatchId,
    shown: pb::GetMatchResponse,
}

/// Brings a tab up to date with a match that is over, which needs no feed.
async fn watch_ended_match(
    site: &Site,
    visitor: &Visitor,
    ShownMatch { id, shown }: ShownMatch,
    after: Option<u64>,
) -> Result<FeedWatcher, Status> {
    // Without a record there is nothing to show except that it is over.
    let record = site.find_record(visitor, id).await?;
    let make = move || {
        let Some(replay) = record.as_ref().and_then(Replay::of_record) else { return Ok(None) };
        MatchAtPly { id, shown: &shown, replay: &replay, words: None, ply: replay.ply_count() }
            .live_page()
            .map(Some)
    };
    let page = site.reads.run_slow_work(&visitor.request(()), make).await??;
    let publisher = FeedPublisher::default();
    let watcher = publisher.watch(after);
    if let Some(page) = page {
        publisher.publish(page);
    }
    publisher.finish();
    Ok(watcher)
}

/// Follows a match for all visitors with the same rights.
#[derive(Debug, Clone)]
struct MatchFeed {
    site: Site,
    visitor: Visitor,
    id: MatchId,
}

/// The events of a match. More of them can arrive while the page is made from the earlier ones.
#[derive(Debug, Default)]
struct EventBuffer {
    /// `None` before the first event.
    replay: Arc<Mutex<Option<Replay>>>,
    /// Events that arrived while the others were being shown.
    waiting: Vec<pb::RecordEvent>,
}

impl EventBuffer {
    /// Reads the events that have arrived. Returns whether the stream has ended.
    async fn take_ready_events(&mut self, stream: &mut WatchedEvents) -> Result<bool, Status> {
        loop {
            let came = tokio::select! {
                biased;
                came = stream.next() => came,
                () = std::future::ready(()) => return Ok(false),
            };
            let Some(watched) = came else { return Ok(true) };
            self.waiting.extend(watched?.event);
            if self.waiting.len().is_multiple_of(MAX_EVENTS_AT_ONCE) {
                tokio::task::yield_now().await;
            }
        }
    }

    fn push(&mut self, event: pb::RecordEvent) {
        self.waiting.push(event);
        // The lock is held while the events are shown.
        if let Ok(mut replay) = self.replay.try_lock() {
            add_events(&mut replay, &mut self.waiting);
        }
    }

    /// Adds the waiting events to the replay, and returns the replay.
    fn apply_waiting_events(&mut self) -> Arc<Mutex<Option<Replay>>> {
        let mut replay = self.replay.lock().unwrap_or_else(PoisonError::into_inner);
        add_events(&mut replay, &mut self.waiting);
        drop(replay);
        Arc::clone(&self.replay)
    }
}

fn add_events(replay: &mut Option<Replay>, waiting: &mut Vec<pb::RecordEvent>) {
    for event in waiting.drain(..) {
        match replay {
            Some(replay) => replay.push_newest(event),
            None => *replay = Replay::begin(&event),
        }
    }
}

type WatchedEvents = <MatchRpc as MatchService>::WatchMatchStream;
type PageFuture = Pin<Box<dyn Future<Output = Result<Option<LivePage>, Status>> + Send>>;

impl MatchFeed {
    /// Publishes the page until the match ends or cannot be followed.
    async fn follow(self, publisher: Arc<FeedPublisher>) {
        loop {
            match self.follow_events(&publisher).await {
                Ok(()) => return publisher.finish(),
                // The reader was too slow. Reading again returns all events.
                Err(status) if is_slow_reader(&status) => {}
                Err(status) => {
                    return tracing::debug!(%status, id = %self.id, "a match's feed stopped");
                }
            }
        }
    }

    /// Follows a match from its first event to its last, or until the stream breaks.
    async fn follow_events(&self, publisher: &FeedPublisher) -> Result<(), Status> {
        let mut start = Some(self.site.reads.wait_to_start_feed(&self.visitor.request(())).await?);
        let request = pb::WatchMatchRequest { match_id: self.id.to_string() };
        let watched = self.site.matches.watch_match(self.visitor.request(request)).await?;
        let (mut stream, mut events) = (watched.into_inner(), EventBuffer::default());
        // All earlier events are shown in one update, because a tab may already show them.
        let mut is_over = events.take_ready_events(&mut stream).await?;
        let mut next_look = pin!(sleep_until(Instant::now()));
        let mut looked_at = Instant::now();
        let mut has_news = true;
        let mut showing: Option<(UpdateKind, PageFuture)> = None;
        loop {
            tokio::select! {
                biased;
                (ending, shown) = wait_until_shown(&mut showing), if showing.is_some() => {
                    showing = None;
                    match shown {
                        Ok(page) => {
                            if let Some(page) = page {
                                publisher.publish(page);
                            }
                            drop(start.take());
                            if ending == UpdateKind::Final {
                                return Ok(());
                            }
                        }
                        Err(status) if status.code() == Code::ResourceExhausted => {
                            next_look.as_mut().reset(Instant::now() + RETRY_INTERVAL);
                        }
                        Err(status) => return Err(status),
                    }
                }
                () = next_look.as_mut(), if showing.is_none() => {
                    let ending = if is_over { UpdateKind::Final } else { UpdateKind::Interim };
                    showing = Some((ending, Box::pin(self.clone().show(events.apply_waiting_events()))));
                    (has_news, looked_at) = (false, Instant::now());
                    next_look.as_mut().reset(looked_at + HEARTBEAT_INTERVAL);
                }
                came = stream.next(), if !is_over => {
                    is_over = came.is_none();
                    if let Some(event) = came.transpose()?.and_then(|watched| watched.event) {
                        events.push(event);
                    }
                    if is_over {
                        next_look.as_mut().reset(Instant::now());
                    } else if !has_news {
                        has_news = true;
                        next_look.as_mut().reset(looked_at + publisher.interval(MIN_UPDATE_INTERVAL));
                    }
                }
            }
        }
    }

    /// Makes the page from the events so far.
    async fn show(self, events: Arc<Mutex<Option<Replay>>>) -> Result<Option<LivePage>, Status> {
        let shown = self.site.get_match(&self.visitor, self.id).await?;
        let id = self.id;
        let make = move || {
            let replay = events.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(replay) = &*replay else { return Ok(None) };
            MatchAtPly { id, shown: &shown, replay, words: None, ply: replay.ply_count() }
                .live_page()
                .map(Some)
        };
        self.site.reads.run_slow_work(&self.visitor.request(()), make).await?
    }
}

/// Whether a feed continues after an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UpdateKind {
    Interim,
    Final,
}

async fn wait_until_shown(
    showing: &mut Option<(UpdateKind, PageFuture)>,
) -> (UpdateKind, Result<Option<LivePage>, Status>) {
    match showing {
        Some((ending, showing)) => (*ending, showing.await),
        None => std::future::pending().await,
    }
}

fn is_slow_reader(status: &Status) -> bool {
    status.get_details_error_info().is_some_and(|info| info.reason == "SLOW_READER")
}
