//! The parts of the home page.

use super::address::{FeedAddress, PageAddress, PlayAddress};
use super::live::{LivePage, PageParts};
use super::match_page::{MatchPreview, featured_html, previews_html};
use super::page::link_paragraph;
use super::site::Site;
use super::tournament_headlines::{read_headlines, tournament_cards_html};
use super::visitor::Visitor;
use askama::Template;
use lastnim_proto::pb;
use lastnim_report::Section;
use lastnim_report::render::{Html, write_template};
use lastnim_report::tournament_finding::TournamentFinding;
use pb::tournament_service_server::TournamentService as _;
use tonic::{Code, Status};

/// The maximum number of tournaments that are shown.
const MAX_TOURNAMENTS: usize = 9;
const MAX_MATCHES: u32 = 12;
/// The maximum number of matches with a preview, including the large one.
const MAX_PREVIEWS: usize = 5;

/// The content of the home page.
#[derive(Debug, Clone, Template)]
#[template(path = "home_now.html")]
pub(super) struct HomeView {
    /// Running tournaments, then the newest others.
    pub tournaments: pb::ListTournamentsResponse,
    /// What was found about each of them.
    findings: Vec<Option<TournamentFinding>>,
    is_busy: bool,
    /// Open matches; without one, the match that ended last.
    previews: Vec<MatchPreview>,
    /// The title of the tournament of the first of them; may be empty.
    title: String,
}

/// Reads the content of the home page.
pub(super) async fn read_home(site: &Site, visitor: &Visitor) -> Result<HomeView, Status> {
    let tournaments = read_tournaments(site, visitor).await?;
    let findings = read_headlines(site, visitor, &tournaments.tournaments).await?;
    let open = read_matches(site, visitor, pb::MatchState::Open).await?;
    let is_busy = !open.is_empty();
    let mut previews = read_previews(site, visitor, &open, MAX_PREVIEWS).await?;
    if previews.is_empty() {
        let ended = read_matches(site, visitor, pb::MatchState::Over).await?;
        previews = read_previews(site, visitor, ended.get(..1).unwrap_or_default(), 1).await?;
    }
    let title = match previews.first() {
        Some(preview) if !preview.tournament_id().is_empty() => {
            match site.get_tournament(visitor, preview.tournament_id()).await {
                Ok(shown) => shown.tournament.and_then(|tournament| tournament.settings),
                Err(status) if status.code() == Code::NotFound => None,
                Err(status) => return Err(status),
            }
        }
        _ => None,
    };
    let title = title.map(|settings| settings.title).unwrap_or_default();
    Ok(HomeView { tournaments, findings, is_busy, previews, title })
}

/// Lists running tournaments, then the newest others.
async fn read_tournaments(site: &Site, visitor: &Visitor) -> Result<pb::ListTournamentsResponse, Status> {
    let page_size = MAX_TOURNAMENTS as u32;
    let list = async |state: pb::TournamentState| {
        let request = pb::ListTournamentsRequest { page_size, state: state.into(), ..Default::default() };
        let listed = site.tournaments.list_tournaments(visitor.request(request)).await?;
        Ok::<_, Status>(listed.into_inner())
    };
    let mut newest = list(pb::TournamentState::Unspecified).await?;
    let running = list(pb::TournamentState::Running).await?.tournaments;
    newest.tournaments.retain(|other| running.iter().all(|tournament| tournament.id != other.id));
    newest.tournaments.splice(0..0, running);
    newest.tournaments.truncate(MAX_TOURNAMENTS);
    Ok(newest)
}

async fn read_matches(
    site: &Site,
    visitor: &Visitor,
    state: pb::MatchState,
) -> Result<Vec<pb::Match>, Status> {
    let request =
        pb::ListMatchesRequest { page_size: MAX_MATCHES, state: state.into(), ..Default::default() };
    Ok(site.list_matches(visitor, request).await?.matches)
}

/// Reads previews of matches: the oldest first, so that it stays the same until it ends, and those that have just
/// begun last.
async fn read_previews(
    site: &Site,
    visitor: &Visitor,
    matches: &[pb::Match],
    most: usize,
) -> Result<Vec<MatchPreview>, Status> {
    let mut matches: Vec<_> = matches.iter().rev().map(|game| (game.id.as_str(), game.plies)).collect();
    matches.sort_by_key(|&(_, plies)| plies == 0);
    MatchPreview::read_first(site, visitor, matches, most).await
}

impl HomeView {
    /// Writes the changing parts.
    pub(super) fn html(&self) -> String {
        write_template(self)
    }

    /// Returns the changing parts for live updates.
    pub(super) fn live_page(&self) -> LivePage {
        let parts = PageParts::default()
            .with("featured", self.featured_html())
            .with("previews", self.previews_html())
            .with("tournaments", self.tournaments_html());
        LivePage { parts, ..LivePage::default() }
    }

    /// Returns whether a match is open.
    pub(super) fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// Writes the first match large.
    fn featured_html(&self) -> String {
        match self.previews.first() {
            Some(preview) => featured_html(preview, &self.title),
            None => "<p>There is no match to show.</p>".to_owned(),
        }
    }

    /// Writes the other open matches.
    fn previews_html(&self) -> String {
        previews_html("Also being played", self.previews.get(1..).unwrap_or_default())
    }

    fn tournaments_html(&self) -> String {
        let tournaments = &self.tournaments.tournaments;
        if tournaments.is_empty() {
            let section = Section::with_heading("Tournaments")
                .paragraph("There are no tournaments yet. An organiser can create one:")
                .command("lastnim tournament create --help");
            return Html::with_links(&|_, _| None).section_html(&section);
        }
        let all = PageAddress::Tournaments { page: String::new() };
        "<h2>Tournaments</h2>\n".to_owned()
            + &tournament_cards_html(tournaments, &self.findings)
            + &link_paragraph(&all, "", "All tournaments")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{open_site, start_old_ladder, stranger};
    use lastnim_arena::{Arena, Backend, Limits};

    #[tokio::test]
    async fn a_running_tournament_comes_before_newer_ones() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        let id = start_old_ladder(&arena, [&"one".parse().unwrap(), &"two".parse().unwrap()]).await;
        let site = open_site(&arena, 1);
        let home = read_home(&site, &stranger()).await.unwrap();
        assert_eq!(home.tournaments.tournaments[0].id, id.to_string());
        assert_eq!(home.tournaments.tournaments.len(), MAX_TOURNAMENTS);
        let html = home.tournaments_html();
        assert!(
            html.contains("No match has ended yet") && html.contains("Bots can join at any time"),
            "{html}"
        );
        assert_eq!(html.matches("The tournament was cancelled").count(), MAX_TOURNAMENTS - 1, "{html}");
    }
}
