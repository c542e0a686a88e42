//! The parts of the home page.

use super::address::{FeedAddress, PageAddress, PlayAddress};
use super::live::{LivePage, PageParts};
use super::match_page::{MatchPreview, featured_html, previews_html};
use super::page::link_paragraph;
use super::site::Site;
use super::tournament_headlines::{read_headlines, tournament_cards_html};
use super::visitor::Visitor;
use askama::Template;
use lastnim_arena::is_guest_name;
use lastnim_proto::pb;
use lastnim_report::Section;
use lastnim_report::render::{Html, write_template};
use lastnim_report::tournament_finding::TournamentFinding;
use pb::tournament_service_server::TournamentService as _;
use tonic::Status;

/// The maximum number of tournaments that are shown.
const MAX_TOURNAMENTS: usize = 9;
/// The maximum number of matches that are read, without those of guests.
const MAX_MATCHES: usize = 12;
/// The maximum number of matches that one request returns.
const MAX_MATCHES_PER_REQUEST: usize = 1_000;
/// The maximum number of previews of guests' games.
const MAX_GUEST_PREVIEWS: usize = 2;
/// The maximum number of matches with a preview, including the large one.
const MAX_PREVIEWS: usize = 5;

/// The content of the home page.
#[derive(Debug, Clone, Template)]
#[template(path = "home_now.html")]
pub(super) struct HomeView {
    /// Running tournaments, then the newest others.
    pub tournaments: pb::ListTournamentsResponse,
    /// Who leads or has won each of these tournaments, if that could be read.
    findings: Vec<Option<TournamentFinding>>,
    is_busy: bool,
    /// Previews of the open matches. When no match is open, the preview of the newest finished match.
    previews: Vec<MatchPreview>,
    /// The title of the tournament of the first preview; may be empty.
    title: String,
}

/// Reads the content of the home page.
pub(super) async fn read_home(site: &Site, visitor: &Visitor) -> Result<HomeView, Status> {
    let tournaments = read_tournaments(site, visitor).await?;
    let findings = read_headlines(site, visitor, &tournaments.tournaments).await?;
    // However many guests play, the matches of others are among these.
    let guests = site.arena.limits().guest_matches;
    let open = read_matches(site, visitor, pb::MatchState::Open, MAX_MATCHES + guests).await?;
    let is_busy = !open.is_empty();
    let mut previews = read_previews(site, visitor, &open, MAX_PREVIEWS).await?;
    if previews.is_empty() {
        let ended = read_matches(site, visitor, pb::MatchState::Over, 1).await?;
        previews = read_previews(site, visitor, &ended, 1).await?;
    }
    let tournament = previews.first().and_then(|preview| preview.tournament_id().parse().ok());
    let title = match tournament {
        Some(tournament) => site.find_title(visitor, tournament).await?.unwrap_or_default(),
        None => String::new(),
    };
    Ok(HomeView { tournaments, findings, is_busy, previews, title })
}

/// Lists running tournaments, then the newest others.
pub(super) async fn read_tournaments(
    site: &Site,
    visitor: &Visitor,
) -> Result<pb::ListTournamentsResponse, Status> {
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
    most: usize,
) -> Result<Vec<pb::Match>, Status> {
    let page_size = most.min(MAX_MATCHES_PER_REQUEST) as u32;
    let request = pb::ListMatchesRequest { page_size, state: state.into(), ..Default::default() };
    Ok(site.list_matches(visitor, request).await?.matches)
}

/// Reads previews of matches, given the newest first.
async fn read_previews(
    site: &Site,
    visitor: &Visitor,
    matches: &[pb::Match],
    most: usize,
) -> Result<Vec<MatchPreview>, Status> {
    let matches = preview_order(matches).into_iter().map(|game| (game.id.as_str(), game.plies)).collect();
    MatchPreview::read_first(site, visitor, matches, most).await
}

/// Orders matches for previews: those of tournaments, then others, then a few of guests. In each group the oldest match
/// is first, so that the first preview does not change until its match ends. Matches without a take are last in it.
fn preview_order(newest_first: &[pb::Match]) -> Vec<&pb::Match> {
    let (guests, mut others): (Vec<_>, Vec<_>) = newest_first.iter().partition(|game| has_guest(game));
    others.truncate(MAX_MATCHES);
    let guests = oldest_first(guests).into_iter().take(MAX_GUEST_PREVIEWS).collect();
    [oldest_first(others), guests].concat()
}

fn oldest_first(mut games: Vec<&pb::Match>) -> Vec<&pb::Match> {
    games.reverse();
    games.sort_by_key(|game| (is_outside_tournaments(game), game.plies == 0));
    games
}

fn is_outside_tournaments(game: &pb::Match) -> bool {
    game.setup.as_ref().is_none_or(|setup| setup.tournament_id.is_empty())
}

fn has_guest(game: &pb::Match) -> bool {
    let mut bots = game.setup.iter().flat_map(|setup| &setup.bots);
    bots.any(|bot| bot.parse().is_ok_and(|bot| is_guest_name(&bot)))
}

impl HomeView {
    /// Writes the parts of the page that live updates change.
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

    /// Writes the large preview of the first match.
    fn featured_html(&self) -> String {
        match self.previews.first() {
            Some(preview) => featured_html(preview, &self.title),
            None => "<p>No match has been played yet.</p>".to_owned(),
        }
    }

    /// Writes the previews of the other open matches.
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
    use lastnim_arena::{Arena, Backend, Limits, guest_name};

    #[test]
    fn tournament_matches_come_first_and_guest_matches_do_not_fill_the_page() {
        let game = |id: &str, tournament: &str, bot: &str, plies| {
            let (bots, tournament_id) = (vec![bot.to_owned(), "timid".to_owned()], tournament.to_owned());
            let setup = Some(pb::MatchSetup { bots, tournament_id, ..Default::default() });
            pb::Match { id: id.to_owned(), setup, plies, ..Default::default() }
        };
        let name = guest_name(&[7; 32]);
        let guest = |id: usize| game(&format!("guest {id}"), "", name.as_str(), 1);
        assert!(has_guest(&guest(0)) && !has_guest(&game("", "", "ann", 0)));
        let mut newest_first: Vec<_> = (0..9).rev().map(guest).collect();
        newest_first.push(game("begun", "cup", "ann", 0));
        newest_first.push(game("practice", "", "ann", 1));
        newest_first.push(game("old", "cup", "ann", 1));
        let order: Vec<_> = preview_order(&newest_first).iter().map(|game| game.id.as_str()).collect();
        assert_eq!(order, ["old", "begun", "practice", "guest 0", "guest 1"]);
    }

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
