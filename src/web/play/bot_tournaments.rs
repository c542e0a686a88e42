//! The tournaments of a bot that somebody plays by hand: those that it may join, and those that it is in.

use super::address::{FieldAction, PlayAddress};
use super::bot_seats::bot_seats_page_with;
use crate::game::{BotName, TournamentId};
use crate::report::words::count_words;
use crate::web::address::PageAddress;
use crate::web::forms::FormToken;
use crate::web::pages::Pages;
use crate::web::response::{PageResponse, form_status, redirect_response};
use crate::web::visitor::Visitor;
use crate::wire::pb::{self, verdict::Verdict};
use askama::Template;
use pb::tournament_service_server::TournamentService as _;
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};

/// Tournaments of one state that are listed.
const TOURNAMENTS: u32 = 50;
/// Ladders of the bot that are asked whether they have suspended it.
const MAX_LADDERS: usize = 10;

/// The tournaments of a bot, and the forms by which it joins and leaves them.
#[derive(Debug, Template)]
#[template(path = "play/bot_tournaments.html")]
struct BotTournaments<'a> {
    form_token: FormToken,
    bot: &'a BotName,
    /// Why nothing came of a form; empty if something did.
    mistake: &'a str,
    sections: Vec<TournamentSection>,
    /// Why nothing can be listed now; empty if something can.
    unread: String,
}

/// Some of them.
#[derive(Debug)]
struct TournamentSection {
    heading: &'static str,
    tournaments: Vec<ListedTournament>,
}

/// A tournament, and what can be done with it.
#[derive(Debug)]
struct ListedTournament {
    title: String,
    address: String,
    state: &'static str,
    /// How many bots are in it.
    field: String,
    actions: Vec<TournamentForm>,
}

/// A form with one button.
#[derive(Debug)]
struct TournamentForm {
    action: String,
    button: &'static str,
}

/// Writes the tournaments of a bot. If they cannot be read now, its matches are shown all the same.
pub(super) async fn bot_tournaments_html(
    pages: &Pages,
    seated: &Visitor,
    bot: &BotName,
    mistake: &str,
) -> Result<String, Status> {
    let form_token = seated.form_token().ok_or_else(|| Status::internal("this page has no cookie"))?;
    let (sections, unread) = match read_tournaments(pages, seated, bot).await {
        Ok(sections) => {
            (sections.into_iter().filter(|section| !section.tournaments.is_empty()).collect(), String::new())
        }
        Err(status) => (Vec::new(), status.message().to_owned()),
    };
    let shown = BotTournaments { form_token, bot, mistake, sections, unread };
    shown.render().map_err(|error| Status::internal(error.to_string()))
}

/// Returns the tournaments that a bot is in, and those that it may join.
async fn read_tournaments(
    pages: &Pages,
    seated: &Visitor,
    bot: &BotName,
) -> Result<[TournamentSection; 2], Status> {
    let (mut entered, mut joinable, mut ladders) = (Vec::new(), Vec::new(), 0);
    for state in [pb::TournamentState::Running, pb::TournamentState::Open] {
        let (page_size, state) = (TOURNAMENTS, state.into());
        let request = pb::ListTournamentsRequest { page_size, state, ..Default::default() };
        let list = pages.tournaments.list_tournaments(seated.request(request)).await?.into_inner();
        for tournament in list.tournaments {
            let Ok(id) = tournament.id.parse::<TournamentId>() else { continue };
            let is_entered = tournament.field.iter().any(|entrant| entrant == bot.as_str());
            let is_ladder = is_running_ladder(&tournament);
            let is_suspended = is_entered && is_ladder && ladders < MAX_LADDERS && {
                ladders += 1;
                is_suspended(pages, seated, &tournament.id, bot).await?
            };
            let is_open = tournament.state() == pb::TournamentState::Open || is_ladder;
            let state = match (tournament.state(), is_ladder, is_suspended) {
                (_, _, true) => "a ladder that has suspended it: it returns by joining again",
                (_, true, _) => "a ladder that runs",
                (pb::TournamentState::Open, ..) => "not started yet",
                _ => "it runs",
            };
            let mut actions = Vec::new();
            if is_open && (!is_entered || is_suspended) {
                actions.push(tournament_form(id, FieldAction::Join, "Join"));
            }
            if is_open && is_entered {
                actions.push(tournament_form(id, FieldAction::Leave, "Leave"));
            }
            if actions.is_empty() && !is_entered {
                continue;
            }
            let listed = ListedTournament {
                title: tournament.settings.map(|settings| settings.title).unwrap_or_default(),
                address: PageAddress::Tournament(id).to_string(),
                state,
                field: count_words(tournament.field.len(), "bot", "bots"),
                actions,
            };
            if is_entered { entered.push(listed) } else { joinable.push(listed) }
        }
    }
    let section = |heading, tournaments| TournamentSection { heading, tournaments };
    Ok([section("In these", entered), section("It may join these", joinable)])
}

fn tournament_form(id: TournamentId, action: FieldAction, button: &'static str) -> TournamentForm {
    let address = PageAddress::Play(PlayAddress::ChangeField(id, action));
    TournamentForm { action: address.to_string(), button }
}

/// Returns whether bots come and go although the tournament has started.
fn is_running_ladder(tournament: &pb::Tournament) -> bool {
    let format = tournament.settings.as_ref().and_then(|settings| settings.format.as_ref());
    tournament.state() == pb::TournamentState::Running
        && matches!(format, Some(pb::tournament_settings::Format::Ladder(_)))
}

async fn is_suspended(pages: &Pages, seated: &Visitor, id: &str, bot: &BotName) -> Result<bool, Status> {
    let request = pb::GetTournamentRequest { tournament_id: id.to_owned() };
    let shown = pages.tournaments.get_tournament(seated.request(request)).await?.into_inner();
    let Some(Verdict::Suspended(suspended)) = shown.verdict.and_then(|verdict| verdict.verdict) else {
        return Ok(false);
    };
    Ok(suspended.bots.iter().any(|suspended| suspended.bot == bot.as_str()))
}

/// Enters the bot into a tournament, or takes it out, and shows its tournaments after that.
pub(super) async fn change_field(
    pages: &Pages,
    seated: &Visitor,
    bot: BotName,
    (id, action): (TournamentId, FieldAction),
) -> Result<PageResponse, Status> {
    // The service takes the bot whose token the session shows.
    let (tournament_id, named) = (id.to_string(), String::new());
    let changed = match action {
        FieldAction::Join => {
            let request = pb::JoinTournamentRequest { tournament_id, bot: named };
            pages.tournaments.join_tournament(seated.request(request)).await.map(drop)
        }
        FieldAction::Leave => {
            let request = pb::LeaveTournamentRequest { tournament_id, bot: named };
            pages.tournaments.leave_tournament(seated.request(request)).await.map(drop)
        }
    };
    match changed {
        Ok(()) => Ok(redirect_response(&PageAddress::Play(PlayAddress::BotSeats { since: None }))),
        Err(status) if status.code() == Code::Unauthenticated => Err(status),
        Err(status) => {
            let tournaments = bot_tournaments_html(pages, seated, &bot, status.message()).await?;
            bot_seats_page_with(pages, seated, bot, form_status(&status), tournaments)
        }
    }
}

/// Writes the page with the matches of a bot and its tournaments.
pub(super) async fn bot_page_with_tournaments(
    pages: &Pages,
    seated: &Visitor,
    bot: BotName,
) -> Result<PageResponse, Status> {
    let tournaments = bot_tournaments_html(pages, seated, &bot, "").await?;
    bot_seats_page_with(pages, seated, bot, StatusCode::OK, tournaments)
}
