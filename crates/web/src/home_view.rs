//! The parts of the home page.

use super::address::{FeedAddress, PageAddress, link_of_cell, link_of_match_cell, link_of_tournament_cell};
use super::board::{LastTake, draw_small_board};
use super::live::{LivePage, PageParts};
use super::page::link_paragraph;
use super::replay::Replay;
use super::seat_sign::seat_sign;
use super::site::Site;
use super::visitor::Visitor;
use askama::Template;
use lastnim_core::game::MatchId;
use lastnim_proto::pb;
use lastnim_report::Section;
use lastnim_report::render::{Html, write_template};
use lastnim_report::words::count_words;
use lastnim_report::{
    bots::bot_overview_table,
    matches::match_table,
    tournament::{titles_first, tournament_table},
};
use pb::bot_service_server::BotService as _;
use pb::tournament_service_server::TournamentService as _;
use tonic::Status;

const MAX_TOURNAMENTS: u32 = 10;
/// The number of running tournaments that each request for ladders reads.
const TOURNAMENTS_PER_REQUEST: u32 = 100;
/// The maximum number of requests for ladders.
const MAX_LADDER_REQUESTS: usize = 10;
const MAX_LADDERS: usize = 5;
/// The number of bots that are searched for connected ones.
const MAX_KNOWN_BOTS: u32 = 200;
const MAX_BOTS: usize = 8;
const MAX_MATCHES: u32 = 12;
const MAX_BOARDS: usize = 6;
/// The longest match, in takes, whose board is shown. Longer ones would be read from the start each time.
const MAX_PLIES: u32 = 500;

/// The maximum number of seats that a small board names.
const MAX_SEATS: usize = 6;

/// The content of the home page.
#[derive(Debug, Clone, Template)]
#[template(path = "home_now.html")]
pub(super) struct HomeNow {
    pub tournaments: pb::ListTournamentsResponse,
    /// Running ladders.
    ladders: Vec<pb::Tournament>,
    /// Bots, connected ones first.
    bots: Vec<pb::Bot>,
    matches: Vec<pb::Match>,
    boards: Vec<OpenBoard>,
}

/// An open match with a board.
#[derive(Debug, Clone)]
struct OpenBoard {
    id: MatchId,
    replay: Replay,
}

/// The boards of open matches, and a table of the rest.
#[derive(Template)]
#[template(path = "open_matches.html")]
struct OpenMatches<'a> {
    boards: Vec<DrawnBoard<'a>>,
    others: String,
}

struct DrawnBoard<'a> {
    address: String,
    svg: String,
    seats: Vec<NamedSeat<'a>>,
    /// The number of further seats, in words.
    others: Option<String>,
    plies: String,
}

struct NamedSeat<'a> {
    mark: String,
    bot: &'a str,
    is_to_move: bool,
}

/// Reads the content of the home page.
pub(super) async fn read_home(site: &Site, visitor: &Visitor) -> Result<HomeNow, Status> {
    let request = pb::ListTournamentsRequest { page_size: MAX_TOURNAMENTS, ..Default::default() };
    let tournaments = site.tournaments.list_tournaments(visitor.request(request)).await?.into_inner();
    let (ladders, bots) = (read_ladders(site, visitor).await?, read_bots(site, visitor).await?);
    let state = pb::MatchState::Open.into();
    let request = pb::ListMatchesRequest { page_size: MAX_MATCHES, state, ..Default::default() };
    let matches = site.list_matches(visitor, request).await?.matches;
    let mut boards = Vec::new();
    for game in matches.iter().filter(|game| game.plies <= MAX_PLIES).take(MAX_BOARDS) {
        let Ok(id) = game.id.parse() else { continue };
        // The match may have ended and been removed.
        let record = site.find_record(visitor, id).await?;
        boards.extend(record.as_ref().and_then(Replay::of_record).map(|replay| OpenBoard { id, replay }));
    }
    Ok(HomeNow { tournaments, ladders, bots, matches, boards })
}

/// Lists running ladders, the newest first.
async fn read_ladders(site: &Site, visitor: &Visitor) -> Result<Vec<pb::Tournament>, Status> {
    let (mut ladders, mut page_token) = (Vec::new(), String::new());
    for _ in 0..MAX_LADDER_REQUESTS {
        let (page_size, state) = (TOURNAMENTS_PER_REQUEST, pb::TournamentState::Running.into());
        let request = pb::ListTournamentsRequest { page_size, page_token, state };
        let running = site.tournaments.list_tournaments(visitor.request(request)).await?.into_inner();
        ladders.extend(running.tournaments.into_iter().filter(pb::Tournament::has_open_field));
        page_token = running.next_page_token;
        if page_token.is_empty() || ladders.len() >= MAX_LADDERS {
            break;
        }
    }
    ladders.truncate(MAX_LADDERS);
    Ok(ladders)
}

/// Lists bots, connected ones first. An order by activity would change all the time.
async fn read_bots(site: &Site, visitor: &Visitor) -> Result<Vec<pb::Bot>, Status> {
    let request = pb::ListBotsRequest { page_size: MAX_KNOWN_BOTS, ..Default::default() };
    let mut bots = site.bots.list_bots(visitor.request(request)).await?.into_inner().bots;
    bots.sort_by_key(|bot| !bot.connected);
    bots.truncate(MAX_BOTS);
    Ok(bots)
}

impl HomeNow {
    /// Writes the changing parts.
    pub(super) fn html(&self) -> String {
        write_template(self)
    }

    /// Returns the changing parts for live updates.
    pub(super) fn live_page(&self) -> LivePage {
        let parts = PageParts::default()
            .with("boards", self.boards_html())
            .with("ladders", self.ladders_html())
            .with("tournaments", self.tournaments_html())
            .with("bots", self.bots_html());
        LivePage { parts, ..LivePage::default() }
    }

    /// Returns whether a match is open.
    pub(super) fn is_busy(&self) -> bool {
        !self.matches.is_empty()
    }

    fn tournaments_html(&self) -> String {
        let tournaments = &self.tournaments.tournaments;
        let section = if tournaments.is_empty() {
            Section::with_heading("Tournaments")
                .paragraph("There are no tournaments yet. An organiser can create one:")
                .command("lastnim tournament create --help")
        } else {
            let table = titles_first(tournament_table(tournaments));
            Section::with_heading("Newest tournaments").table(table)
        };
        Html::with_links(&link_of_tournament_cell).section_html(&section)
    }

    /// Writes the running ladders. Without a ladder it writes nothing, since the list of tournaments is always shown.
    fn ladders_html(&self) -> String {
        if self.ladders.is_empty() {
            return String::new();
        }
        let table = titles_first(tournament_table(&self.ladders));
        let section = Section::with_heading("Ladders")
            .paragraph("A ladder runs until an organiser stops it. Bots can join at any time.")
            .table(table);
        Html::with_links(&link_of_tournament_cell).section_html(&section)
    }

    fn bots_html(&self) -> String {
        let html = Html::with_links(&link_of_cell);
        if self.bots.is_empty() {
            let section = Section::with_heading("Bots")
                .paragraph(
                    "No bots are registered yet. An organiser can register one and give its token to its author:",
                )
                .command("lastnim bot register alice");
            return html.section_html(&section);
        }
        let section = Section::with_heading("Bots").table(bot_overview_table(&self.bots));
        let every = PageAddress::Bots { page: String::new() };
        html.section_html(&section) + &link_paragraph(&every, "", "All bots")
    }

    fn boards_html(&self) -> String {
        let html = Html::with_links(&link_of_match_cell);
        if self.matches.is_empty() {
            let section = Section::with_heading("Open matches").paragraph("No matches are being played.");
            return html.section_html(&section);
        }
        let boards = self.boards.iter().filter_map(OpenBoard::draw).collect();
        let is_drawn = |game: &&pb::Match| self.boards.iter().any(|board| board.id.to_string() == game.id);
        let others: Vec<_> = self.matches.iter().filter(|game| !is_drawn(game)).cloned().collect();
        let others = if others.is_empty() { String::new() } else { html.table_html(&match_table(&others)) };
        write_template(&OpenMatches { boards, others })
    }
}

impl OpenBoard {
    /// Draws the board with players and turn; `None` if the record has an illegal take.
    fn draw(&self) -> Option<DrawnBoard<'_>> {
        let replay = &self.replay;
        let position = replay.position_after(replay.plies())?;
        let last = replay.newest_takes().next();
        let last = last.map(|take| LastTake { pile: take.pile, counters: take.took.take });
        let to_move = (!position.is_over()).then(|| position.to_move().index());
        let bots = &replay.setup.bots;
        let seats = bots.iter().enumerate().map(|(seat, bot)| NamedSeat {
            mark: seat_sign(seat),
            bot,
            is_to_move: to_move == Some(seat),
        });
        let others = bots.len().checked_sub(MAX_SEATS).filter(|&others| others > 0);
        Some(DrawnBoard {
            address: PageAddress::Match { id: self.id, ply: None }.to_string(),
            svg: draw_small_board(&position, last).svg,
            seats: seats.take(MAX_SEATS).collect(),
            others: others.map(|others| count_words(others as u64, "other", "others")),
            plies: count_words(replay.plies(), "take", "takes"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{open_site, start_old_ladder, stranger};
    use lastnim_arena::{Arena, Backend, Limits};

    #[tokio::test]
    async fn a_running_ladder_is_found_behind_newer_tournaments() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        let id = start_old_ladder(&arena, [&"one".parse().unwrap(), &"two".parse().unwrap()]).await;
        let site = open_site(&arena, 1);
        let state = pb::TournamentState::Running.into();
        let request = pb::ListTournamentsRequest { page_size: 1, state, ..Default::default() };
        let list = site.tournaments.list_tournaments(stranger().request(request)).await.unwrap();
        let list = list.into_inner();
        assert_eq!((list.tournaments.len(), list.next_page_token.as_str()), (1, ""), "one request is enough");
        let ladders = read_ladders(&site, &stranger()).await.unwrap();
        let ids: Vec<_> = ladders.iter().map(|ladder| ladder.id.as_str()).collect();
        assert_eq!(ids, [id.to_string()]);
    }
}
