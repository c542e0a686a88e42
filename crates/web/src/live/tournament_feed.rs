//! Live updates of a tournament page.

use super::feed::{FeedPublisher, FeedWatcher};
use super::feed_key::FeedTopic;
use super::feed_start::watch_feed;
use super::live_page::LivePage;
use crate::site::Site;
use crate::tournament_format_sections::{FormatFindings, read_format_findings};
use crate::tournament_page::newest_matches;
use crate::tournament_view::{TournamentData, TournamentView, read_previews};
use crate::visitor::Visitor;
use lastnim_core::game::TournamentId;
use lastnim_proto::pb;
use pb::tournament_service_server::TournamentService as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tokio_stream::StreamExt as _;
use tonic::{Code, Status};

/// The shortest time between updates.
const MIN_UPDATE_INTERVAL: Duration = Duration::from_secs(1);
/// The interval at which the list of awaited bots is updated even if no match ends.
const MAX_ACTIVITY_INTERVAL: Duration = Duration::from_secs(5);

/// The shortest time between reads of the data for the format's sections, such as a bracket.
const MIN_FORMAT_INTERVAL: Duration = Duration::from_secs(3);
/// The interval at which the data for the format's sections is read again even if no match ends, since a round may have
/// begun.
const MAX_FORMAT_INTERVAL: Duration = Duration::from_secs(15);
/// The shortest time between reads of the data for the format's sections, as a multiple of the duration of the last
/// read.
const MIN_FORMAT_REST_RATIO: u32 = 20;

/// Adds a visitor to the feed of a tournament.
pub(super) async fn watch_tournament_page(
    site: &Site,
    visitor: &Visitor,
    id: TournamentId,
) -> Result<FeedWatcher, Status> {
    // Access is checked as for a page, even if the feed already runs.
    let request = pb::GetTournamentActivityRequest { tournament_id: id.to_string(), most: 1 };
    site.tournaments.get_tournament_activity(visitor.request(request)).await?;
    let feed = |visitor| TournamentFeed { site: site.clone(), visitor, id };
    let topic = FeedTopic::Tournament(id);
    watch_feed(site, visitor, topic, None, |visitor, publisher| feed(visitor).follow(publisher))
}

/// The data for the format's sections, and when to read it again.
#[derive(Debug)]
struct CachedFindings {
    findings: Arc<FormatFindings>,
    /// Matches played at the last read; `None` before the first.
    played: Option<u64>,
    due: Instant,
}

impl CachedFindings {
    fn new() -> Self {
        Self { findings: Arc::default(), played: None, due: Instant::now() }
    }

    /// Reads the findings again, unless they were read recently. The final update always reads them.
    async fn refresh(
        &mut self,
        feed: &TournamentFeed,
        tournament: &pb::Tournament,
        standings: &[pb::Standing],
        ending: UpdateKind,
    ) -> Result<(), Status> {
        let began = Instant::now();
        let has_changed = self.played != Some(tournament.matches_played);
        let due = if has_changed { self.due } else { self.due + MAX_FORMAT_INTERVAL };
        if ending == UpdateKind::Interim && began < due {
            return Ok(());
        }
        match read_format_findings(&feed.site, &feed.visitor, tournament, standings).await {
            Ok(findings) => {
                (self.findings, self.played) = (Arc::new(findings), Some(tournament.matches_played));
            }
            // Keep the old findings until the server has capacity.
            Err(status) if status.code() == Code::ResourceExhausted && ending == UpdateKind::Interim => {}
            Err(status) => return Err(status),
        }
        self.due = Instant::now() + MIN_FORMAT_INTERVAL.max(began.elapsed() * MIN_FORMAT_REST_RATIO);
        Ok(())
    }
}

/// Whether a feed continues after an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UpdateKind {
    Interim,
    Final,
}

/// Follows a tournament for all visitors with the same rights.
#[derive(Debug)]
struct TournamentFeed {
    site: Site,
    visitor: Visitor,
    id: TournamentId,
}

impl TournamentFeed {
    /// Publishes the page until the tournament ends or can no longer be read.
    async fn follow(self, publisher: Arc<FeedPublisher>) {
        match self.follow_changes(&publisher).await {
            Ok(()) => publisher.finish(),
            Err(status) => {
                tracing::debug!(%status, id = %self.id, "a tournament's feed stopped");
            }
        }
    }

    async fn follow_changes(&self, publisher: &FeedPublisher) -> Result<(), Status> {
        let request = pb::WatchTournamentRequest { tournament_id: self.id.to_string(), state_only: false };
        let watched = self.site.tournaments.watch_tournament(self.visitor.request(request)).await?;
        let mut changes = watched.into_inner();
        // Nothing can be shown before the first standings.
        let Some(first) = changes.next().await else { return Ok(()) };
        let (mut newest, mut is_over, mut is_shown) = (first?, false, false);
        let mut kept = CachedFindings::new();
        loop {
            let wait_limit = if is_shown { MAX_ACTIVITY_INTERVAL } else { Duration::ZERO };
            if !is_over && let Ok(change) = timeout(wait_limit, changes.next()).await {
                let mut change = Some(change);
                // Only the newest of the standings that have arrived is shown.
                while let Some(came) = change {
                    match came {
                        Some(came) => {
                            let came = came?;
                            if came.tournament.is_some() {
                                newest = came;
                            }
                        }
                        None => is_over = true,
                    }
                    change = if is_over { None } else { next_if_ready(&mut changes).await };
                }
            }
            let ending = if is_over { UpdateKind::Final } else { UpdateKind::Interim };
            match self.show(&newest, &mut kept, ending).await {
                Ok(page) => {
                    publisher.publish(page);
                    is_shown = true;
                    if is_over {
                        return Ok(());
                    }
                }
                // The server is busy; try again later.
                Err(status) if status.code() == Code::ResourceExhausted => {}
                Err(status) => return Err(status),
            }
            sleep(publisher.interval(MIN_UPDATE_INTERVAL)).await;
        }
    }

    /// Makes the page with the latest standings.
    async fn show(
        &self,
        newest: &pb::WatchTournamentResponse,
        kept: &mut CachedFindings,
        ending: UpdateKind,
    ) -> Result<LivePage, Status> {
        let shown = self.site.get_tournament(&self.visitor, self.id).await?;
        let matches = newest_matches(&self.site, &self.visitor, self.id).await?;
        let previews = read_previews(&self.site, &self.visitor, &shown).await?;
        let pb::WatchTournamentResponse { standings, verdict, events, order, .. } = newest.clone();
        let standings = pb::GetStandingsResponse { standings, verdict, events, order, ..Default::default() };
        let tournament = shown.tournament.clone().unwrap_or_default();
        kept.refresh(self, &tournament, &standings.standings, ending).await?;
        let (id, findings) = (self.id, Arc::clone(&kept.findings));
        let now = TournamentData { id, shown, standings, matches, previews, findings };
        let draw = move || TournamentView::new(now).live_page();
        self.site.reads.run_slow_work(&self.visitor.request(()), draw).await
    }
}

/// Returns the next item of a stream, or `Some(None)` at its end; `None` if nothing has arrived yet.
async fn next_if_ready<S: tokio_stream::Stream + Unpin>(stream: &mut S) -> Option<Option<S::Item>> {
    tokio::select! {
        biased;
        item = stream.next() => Some(item),
        () = std::future::ready(()) => None,
    }
}
