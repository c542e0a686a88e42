//! What changes on the page of a tournament.

use super::feed::FeedPublisher;
use super::feed_key::FeedTopic;
use super::feed_start::watch_feed;
use super::live_page::LivePage;
use crate::response::PageResponse;
use crate::site::Site;
use crate::tournament_format_sections::{FormatFindings, read_format_findings};
use crate::tournament_page::newest_matches;
use crate::tournament_view::TournamentNow;
use crate::visitor::Visitor;
use lastnim_core::game::TournamentId;
use lastnim_proto::pb;
use pb::tournament_service_server::TournamentService as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tokio_stream::StreamExt as _;
use tonic::{Code, Status};

/// The shortest time between two updates.
const MIN_UPDATE_INTERVAL: Duration = Duration::from_secs(1);
/// The time after which it is said again who is waited for, though no match has ended.
const MAX_ACTIVITY_INTERVAL: Duration = Duration::from_secs(5);

/// The shortest time between two times that what the format needs is read, such as the matches of a bracket.
const MIN_FORMAT_INTERVAL: Duration = Duration::from_secs(3);
/// The time after which it is read again though no match has ended: a round may have begun.
const MAX_FORMAT_INTERVAL: Duration = Duration::from_secs(15);
/// The share of the time in which that is read: for so many times as long as it took it is left alone.
const MIN_FORMAT_REST_RATIO: u32 = 20;

/// Lets a visitor follow the page of a tournament.
pub(crate) async fn watch_tournament_page(
    site: &Site,
    visitor: &Visitor,
    id: TournamentId,
) -> Result<PageResponse, Status> {
    // Whoever shares a feed is let in as for a feed of its own.
    let request = pb::GetTournamentActivityRequest { tournament_id: id.to_string(), most: 1 };
    site.tournaments.get_tournament_activity(visitor.request(request)).await?;
    let feed = |visitor| TournamentFeed { site: site.clone(), visitor, id };
    let topic = FeedTopic::Tournament(id);
    watch_feed(site, visitor, topic, None, |visitor, publisher| feed(visitor).follow(publisher))
}

/// What was read for the format of a tournament, and when it is to be read again.
#[derive(Debug)]
struct KeptFindings {
    findings: Arc<FormatFindings>,
    /// Matches that were played when it was read; `None` before the first time.
    played: Option<u64>,
    due: Instant,
}

impl KeptFindings {
    fn new() -> Self {
        Self { findings: Arc::default(), played: None, due: Instant::now() }
    }

    /// Reads again what has changed, unless it was read a moment ago. What is read last is read in any case.
    async fn refresh(
        &mut self,
        feed: &TournamentFeed,
        tournament: &pb::Tournament,
        standings: &[pb::Standing],
        ending: Ending,
    ) -> Result<(), Status> {
        let began = Instant::now();
        let has_changed = self.played != Some(tournament.matches_played);
        let due = if has_changed { self.due } else { self.due + MAX_FORMAT_INTERVAL };
        if ending == Ending::Open && began < due {
            return Ok(());
        }
        match read_format_findings(&feed.site, &feed.visitor, tournament, standings).await {
            Ok(findings) => {
                (self.findings, self.played) = (Arc::new(findings), Some(tournament.matches_played));
            }
            // What was read before is shown until there is room.
            Err(status) if status.code() == Code::ResourceExhausted && ending == Ending::Open => {}
            Err(status) => return Err(status),
        }
        self.due = Instant::now() + MIN_FORMAT_INTERVAL.max(began.elapsed() * MIN_FORMAT_REST_RATIO);
        Ok(())
    }
}

/// Whether a tournament goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Open,
    Last,
}

/// Follows a tournament for all who look at its page with the same rights.
#[derive(Debug)]
struct TournamentFeed {
    site: Site,
    visitor: Visitor,
    id: TournamentId,
}

impl TournamentFeed {
    /// Publishes the page until the tournament is over, or cannot be followed any further.
    async fn follow(self, publisher: Arc<FeedPublisher>) {
        match self.follow_changes(&publisher).await {
            Ok(()) => publisher.finish(),
            Err(status) => {
                tracing::debug!(%status, id = %self.id, "a tournament is not followed any further");
            }
        }
    }

    async fn follow_changes(&self, publisher: &FeedPublisher) -> Result<(), Status> {
        let request = pb::WatchTournamentRequest { tournament_id: self.id.to_string(), state_only: false };
        let watched = self.site.tournaments.watch_tournament(self.visitor.request(request)).await?;
        let mut changes = watched.into_inner();
        // Before the first one nothing is known that could be shown, however long it takes.
        let Some(first) = changes.next().await else { return Ok(()) };
        let (mut newest, mut is_over, mut is_shown) = (first?, false, false);
        let mut kept = KeptFindings::new();
        loop {
            let wait_limit = if is_shown { MAX_ACTIVITY_INTERVAL } else { Duration::ZERO };
            if !is_over && let Ok(change) = timeout(wait_limit, changes.next()).await {
                let mut change = Some(change);
                // Of what waits the last counts.
                while let Some(came) = change {
                    match came {
                        Some(came) => newest = came?,
                        None => is_over = true,
                    }
                    change = if is_over { None } else { next_at_once(&mut changes).await };
                }
            }
            let ending = if is_over { Ending::Last } else { Ending::Open };
            match self.show(&newest, &mut kept, ending).await {
                Ok(page) => {
                    publisher.publish(page);
                    is_shown = true;
                    if is_over {
                        return Ok(());
                    }
                }
                // There was no room; there will be.
                Err(status) if status.code() == Code::ResourceExhausted => {}
                Err(status) => return Err(status),
            }
            sleep(publisher.interval(MIN_UPDATE_INTERVAL)).await;
        }
    }

    /// Makes the page with the standings that were sent last.
    async fn show(
        &self,
        newest: &pb::WatchTournamentResponse,
        kept: &mut KeptFindings,
        ending: Ending,
    ) -> Result<LivePage, Status> {
        let shown = self.site.get_tournament(&self.visitor, self.id).await?;
        let matches = newest_matches(&self.site, &self.visitor, self.id).await?;
        let pb::WatchTournamentResponse { standings, verdict, events, .. } = newest.clone();
        let standings = pb::GetStandingsResponse { standings, verdict, events, cross_table: Vec::new() };
        let tournament = shown.tournament.clone().unwrap_or_default();
        kept.refresh(self, &tournament, &standings.standings, ending).await?;
        let now =
            TournamentNow { id: self.id, shown, standings, matches, findings: Arc::clone(&kept.findings) };
        self.site.reads.run_slow_work(&self.visitor.request(()), move || now.live_page()).await
    }
}

/// Returns what a stream has at once; nothing if that would have to be waited for.
async fn next_at_once<S: tokio_stream::Stream + Unpin>(stream: &mut S) -> Option<Option<S::Item>> {
    tokio::select! {
        biased;
        item = stream.next() => Some(item),
        () = std::future::ready(()) => None,
    }
}
