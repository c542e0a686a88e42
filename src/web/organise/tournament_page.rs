//! A tournament, for its organiser.

use super::address::OrganiseAddress;
use super::tournament_action::TournamentAction;
use crate::game::TournamentId;
use crate::report::tournament::progress_words;
use crate::web::address::PageAddress;
use crate::web::forms::FormToken;
use crate::web::page::Page;
use crate::web::pages::Pages;
use crate::web::response::{PageResponse, form_status, private_response};
use crate::web::visitor::Visitor;
use crate::wire::pb;
use askama::Template;
use pb::tournament_service_server::TournamentService as _;
use tonic::Status;
use tonic::codegen::http::StatusCode;

/// Bots of the field that are shown.
const SHOWN: usize = 200;

#[derive(Debug, Template)]
#[template(path = "organise/tournament.html")]
struct OrganisedTournament {
    form_token: FormToken,
    /// What was refused; empty if nothing was.
    mistake: String,
    progress: String,
    public_address: String,
    own_address: String,
    bots: Vec<(String, String)>,
    unshown_bots: usize,
    /// What can be done with one press.
    actions: Vec<ActionButton>,
    is_over: bool,
    can_disqualify: bool,
}

/// Something that can be done.
#[derive(Debug)]
struct ActionButton {
    address: String,
    words: &'static str,
    hint: &'static str,
}

/// Shows a tournament, and what can be done with it.
pub(super) async fn organised_tournament_page(
    pages: &Pages,
    organiser: &Visitor,
    id: TournamentId,
) -> Result<PageResponse, Status> {
    tournament_page_with(pages, organiser, id, None).await
}

/// Shows a tournament, and what was refused.
pub(super) async fn tournament_page_with(
    pages: &Pages,
    organiser: &Visitor,
    id: TournamentId,
    refused: Option<&Status>,
) -> Result<PageResponse, Status> {
    let request = pb::GetTournamentRequest { tournament_id: id.to_string() };
    let shown = pages.tournaments.get_tournament(organiser.request(request)).await?.into_inner();
    let tournament = shown.tournament.unwrap_or_default();
    let form_token = organiser.form_token().ok_or_else(|| Status::internal("this page has no cookie"))?;
    let bot_link = |bot: &String| {
        let address = bot.parse().map(|bot| PageAddress::Bot(bot).to_string());
        (bot.clone(), address.unwrap_or_default())
    };
    let state = tournament.state();
    let is_running = state == pb::TournamentState::Running;
    let content = OrganisedTournament {
        form_token,
        mistake: refused.map(|status| status.message().to_owned()).unwrap_or_default(),
        progress: progress_words(&tournament),
        public_address: PageAddress::Tournament(id).to_string(),
        own_address: PageAddress::Organise(OrganiseAddress::Tournament(id)).to_string(),
        bots: tournament.field.iter().take(SHOWN).map(bot_link).collect(),
        unshown_bots: tournament.field.len().saturating_sub(SHOWN),
        actions: action_buttons(id, &tournament),
        is_over: !is_running && state != pb::TournamentState::Open,
        can_disqualify: is_running,
    };
    let content = content.render().map_err(|error| Status::internal(error.to_string()))?;
    let title = tournament.settings.map(|settings| settings.title).unwrap_or_default();
    let status = refused.map_or(StatusCode::OK, form_status);
    Ok(private_response(status, &Page::without_twins(title, content)))
}

fn action_buttons(id: TournamentId, tournament: &pb::Tournament) -> Vec<ActionButton> {
    let is_ladder = matches!(
        tournament.settings.as_ref().and_then(|settings| settings.format.as_ref()),
        Some(pb::tournament_settings::Format::Ladder(_))
    );
    let is_paused = tournament.pause() != pb::OpenMatches::Unspecified;
    let actions: Vec<(TournamentAction, &str, &str)> = match tournament.state() {
        pb::TournamentState::Open => vec![
            (TournamentAction::Start, "Start", "plays with the bots that have joined"),
            (TournamentAction::Cancel, "Cancel", "for good"),
        ],
        pb::TournamentState::Running => {
            let mut actions = if is_paused {
                vec![(TournamentAction::Resume, "Resume", "goes on")]
            } else {
                vec![
                    (TournamentAction::Pause, "Pause", "begins no further match; open ones are played on"),
                    (
                        TournamentAction::Freeze,
                        "Freeze",
                        "open matches wait as well, and their clocks stand still",
                    ),
                ]
            };
            if is_ladder {
                actions.push((TournamentAction::Finish, "Finish", "ends the ladder after this round"));
            }
            actions.push((TournamentAction::Cancel, "Cancel", "for good"));
            actions
        }
        _ => Vec::new(),
    };
    let button = |(action, words, hint)| ActionButton {
        address: PageAddress::Organise(OrganiseAddress::Act(id, action)).to_string(),
        words,
        hint,
    };
    actions.into_iter().map(button).collect()
}
