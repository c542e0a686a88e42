//! What goes on now, part by part.

use super::address::{
    FeedAddress, OracleView, PageAddress, link_of_cell, link_of_match_cell, link_of_tournament_cell,
};
use super::board::{LastTake, draw_small_board};
use super::live::{LivePage, PageParts};
use super::page::link_paragraph;
use super::replay::Replay;
use super::seat_mark::SeatMark;
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

/// Tournaments that are shown.
const MAX_TOURNAMENTS: u32 = 10;
/// Tournaments that run which are looked through for ladders at once.
const LOOKED_THROUGH: u32 = 100;
/// How many times as many are looked through at most.
const MAX_LOOKS: usize = 10;
/// Ladders that are shown.
const MAX_LADDERS: usize = 5;
/// Bots among which connected ones are looked for.
const MAX_KNOWN_BOTS: u32 = 200;
/// Bots that are shown.
const MAX_BOTS: usize = 8;
/// Open matches that are shown.
const MAX_MATCHES: u32 = 12;
/// Open matches whose boards are shown.
const MAX_BOARDS: usize = 6;
/// Takes of a match whose board is shown. A longer one would have to be read from its beginning at every look.
const MAX_PLIES: u32 = 500;

/// Seats of a small board that are named.
const MAX_SEATS: usize = 6;

/// What goes on now.
#[derive(Debug, Clone, Template)]
#[template(path = "home_now.html")]
pub(super) struct HomeNow {
    /// The newest tournaments.
    pub tournaments: pb::ListTournamentsResponse,
    /// Ladders that run.
    ladders: Vec<pb::Tournament>,
    /// Bots, those first that are connected.
    bots: Vec<pb::Bot>,
    matches: Vec<pb::Match>,
    boards: Vec<OpenBoard>,
}

/// An open match whose board is shown.
#[derive(Debug, Clone)]
struct OpenBoard {
    id: MatchId,
    replay: Replay,
}

/// The boards of open matches, and a table of the others.
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
    /// How many more seats there are, in words.
    others: Option<String>,
    plies: String,
}

struct NamedSeat<'a> {
    mark: String,
    bot: &'a str,
    is_to_move: bool,
}

/// Asks what goes on.
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
        // It may be over and gone by now.
        let record = site.find_record(visitor, id).await?;
        boards.extend(record.as_ref().and_then(Replay::of_record).map(|replay| OpenBoard { id, replay }));
    }
    Ok(HomeNow { tournaments, ladders, bots, matches, boards })
}

/// Asks for ladders that run, the newest first.
async fn read_ladders(site: &Site, visitor: &Visitor) -> Result<Vec<pb::Tournament>, Status> {
    let (mut ladders, mut page_token) = (Vec::new(), String::new());
    for _ in 0..MAX_LOOKS {
        let (page_size, state) = (LOOKED_THROUGH, pb::TournamentState::Running.into());
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

/// Asks for bots, those first that are connected. By how much they play they would change places all the time.
async fn read_bots(site: &Site, visitor: &Visitor) -> Result<Vec<pb::Bot>, Status> {
    let request = pb::ListBotsRequest { page_size: MAX_KNOWN_BOTS, ..Default::default() };
    let mut bots = site.bots.list_bots(visitor.request(request)).await?.into_inner().bots;
    bots.sort_by_key(|bot| !bot.connected);
    bots.truncate(MAX_BOTS);
    Ok(bots)
}

impl HomeNow {
    /// Writes what changes.
    pub(super) fn html(&self) -> String {
        write_template(self)
    }

    /// Writes the same for those who look at it.
    pub(super) fn live_page(&self) -> LivePage {
        let parts = PageParts::default()
            .with("boards", self.boards_html())
            .with("ladders", self.ladders_html())
            .with("tournaments", self.tournaments_html())
            .with("bots", self.bots_html());
        LivePage { parts, ..LivePage::default() }
    }

    /// Returns whether anything is played.
    pub(super) fn is_busy(&self) -> bool {
        !self.matches.is_empty()
    }

    fn tournaments_html(&self) -> String {
        let tournaments = &self.tournaments.tournaments;
        let section = if tournaments.is_empty() {
            Section::with_heading("Tournaments")
                .paragraph("There is no tournament yet. An organiser creates one:")
                .command("lastnim tournament create --help")
        } else {
            let table = titles_first(tournament_table(tournaments));
            Section::with_heading("Newest tournaments").table(table)
        };
        Html::with_links(&link_of_tournament_cell).section_html(&section)
    }

    /// Writes the ladders that run; nothing where none does, as a list of tournaments is there in any case.
    fn ladders_html(&self) -> String {
        if self.ladders.is_empty() {
            return String::new();
        }
        let table = titles_first(tournament_table(&self.ladders));
        let section = Section::with_heading("Ladders")
            .paragraph("A ladder goes on for as long as nobody stops it: a bot joins it at any time.")
            .table(table);
        Html::with_links(&link_of_tournament_cell).section_html(&section)
    }

    fn bots_html(&self) -> String {
        let html = Html::with_links(&link_of_cell);
        if self.bots.is_empty() {
            let section = Section::with_heading("Bots")
                .paragraph(
                    "No bot is registered yet. An organiser registers one, and gives its author the token:",
                )
                .command("lastnim bots add alice");
            return html.section_html(&section);
        }
        let section = Section::with_heading("Bots").table(bot_overview_table(&self.bots));
        let every = PageAddress::Bots { page: String::new() };
        html.section_html(&section) + &link_paragraph(&every, "", "All bots")
    }

    fn boards_html(&self) -> String {
        let html = Html::with_links(&link_of_match_cell);
        if self.matches.is_empty() {
            let section = Section::with_heading("Open matches").paragraph("Nothing is played at the moment.");
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
    /// Draws the board, and says who plays and whose turn it is; `None` if the record has a take that the rules do not allow.
    fn draw(&self) -> Option<DrawnBoard<'_>> {
        let replay = &self.replay;
        let position = replay.position_after(replay.plies())?;
        let last = replay.newest_takes().next();
        let last = last.map(|take| LastTake { pile: take.pile, counters: take.took.take });
        let to_move = (!position.is_over()).then(|| position.to_move().index());
        let bots = &replay.setup.bots;
        let seats = bots.iter().enumerate().map(|(seat, bot)| NamedSeat {
            mark: SeatMark::beside_number(seat),
            bot,
            is_to_move: to_move == Some(seat),
        });
        let others = bots.len().checked_sub(MAX_SEATS).filter(|&others| others > 0);
        Some(DrawnBoard {
            address: PageAddress::Match { id: self.id, ply: None, oracle: OracleView::Hidden }.to_string(),
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
    async fn a_ladder_that_runs_is_shown_however_many_newer_tournaments_there_are() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        let id = start_old_ladder(&arena, [&"one".parse().unwrap(), &"two".parse().unwrap()]).await;
        let site = open_site(&arena, 1);
        let state = pb::TournamentState::Running.into();
        let request = pb::ListTournamentsRequest { page_size: 1, state, ..Default::default() };
        let list = site.tournaments.list_tournaments(stranger().request(request)).await.unwrap();
        let list = list.into_inner();
        assert_eq!((list.tournaments.len(), list.next_page_token.as_str()), (1, ""), "one look is enough");
        let ladders = read_ladders(&site, &stranger()).await.unwrap();
        let ids: Vec<_> = ladders.iter().map(|ladder| ladder.id.as_str()).collect();
        assert_eq!(ids, [id.to_string()]);
    }
}
