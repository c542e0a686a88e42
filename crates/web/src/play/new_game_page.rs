//! The form for a new game.

use super::game_input::{
    CLOCK_CHOICES, GameInput, MAX_OPPONENTS, PILE_CHOICES, ROW_CHOICES, SEAT_CHOICES, opponent_field,
};
use super::opponents::opponent_description;
use super::player::visitor_guest_name;
use crate::address::PlayAddress;
use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::page_refusal::{with_reason, with_refusal};
use crate::response::{PageResponse, http_status, private_response, redirect_response};
use crate::site::Site;
use crate::visitor::Visitor;
use askama::Template;
use lastnim_core::game::{BotName, Ending, MatchId};
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};

#[derive(Debug, Template)]
#[template(path = "play/new_game.html")]
struct NewGameContent {
    form_token: FormToken,
    /// The addresses of the guest's open games.
    open: Vec<String>,
    /// Why nobody can play here; may be empty.
    closed: &'static str,
    mistakes: Vec<String>,
    max_opponents: usize,
    opponents: Vec<Opponent>,
    piles: String,
    sizes: Vec<Choice>,
    endings: Vec<Choice>,
    seats: Vec<Choice>,
    times: Vec<Choice>,
    rows: Vec<Choice>,
}

#[derive(Debug)]
struct Opponent {
    field: String,
    name: String,
    words: String,
    is_ticked: bool,
}

#[derive(Debug)]
struct Choice {
    value: String,
    words: String,
    is_chosen: bool,
}

pub(super) fn new_game_page(site: &Site, visitor: &Visitor) -> Result<PageResponse, Status> {
    let hosted = site.guests.opponents(&visitor.request(()))?;
    let initial = GameInput::initial(&hosted);
    new_game_response(site, visitor, StatusCode::OK, &hosted, &initial, Vec::new())
}

/// Starts a game.
pub(super) async fn start_game(
    site: &Site,
    visitor: &Visitor,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let hosted = site.guests.opponents(&visitor.request(()))?;
    let typed = GameInput::of_fields(fields, &hosted);
    let request = match typed.read() {
        Ok(request) => request,
        Err(mistakes) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            let response = new_game_response(site, visitor, status, &hosted, &typed, mistakes)?;
            return Ok(with_reason(response, "FORM_MISTAKE"));
        }
    };
    let request = request.with_guest_at(site.arena.random_number());
    match site.guests.begin(visitor.request(request), &visitor_guest_name(visitor)?).await {
        Ok(id) => Ok(redirect_response(&PlayAddress::Game { id, since: None })),
        Err(status) => {
            let mistakes = vec![status.message().to_owned()];
            // A visitor without read access was refused earlier.
            let code = match status.code() {
                Code::Unauthenticated => StatusCode::FORBIDDEN,
                _ => http_status(&status),
            };
            let response = new_game_response(site, visitor, code, &hosted, &typed, mistakes)?;
            Ok(with_refusal(response, &status))
        }
    }
}

fn new_game_response(
    site: &Site,
    visitor: &Visitor,
    status: StatusCode,
    hosted: &[(BotName, String)],
    typed: &GameInput,
    mistakes: Vec<String>,
) -> Result<PageResponse, Status> {
    let form_token = visitor.form_token()?;
    let open = site.guests.open_matches(&visitor.request(()), &visitor_guest_name(visitor)?)?;
    let game_address = |id: MatchId| PlayAddress::Game { id, since: None }.to_string();
    let opponent = |(name, house_bot): &(BotName, String)| Opponent {
        field: opponent_field(name),
        name: name.to_string(),
        words: opponent_description(house_bot),
        is_ticked: typed.against.contains(name),
    };
    let choices = |of: &[(&str, &str)], chosen: &str| {
        let choice = |&(value, words): &(&str, &str)| choice_of_value(value, words, chosen);
        let mut choices: Vec<_> = of.iter().map(choice).collect();
        // A value that is not in the list, for example from a link, is added to it.
        if !chosen.is_empty() && !choices.iter().any(|choice| choice.is_chosen) {
            choices.push(choice_of_value(chosen, chosen, chosen));
        }
        choices
    };
    let content = NewGameContent {
        form_token,
        open: open.into_iter().map(game_address).collect(),
        closed: closed_notice(site, hosted),
        mistakes,
        max_opponents: MAX_OPPONENTS,
        opponents: hosted.iter().map(opponent).collect(),
        piles: typed.piles.clone(),
        sizes: choices(&PILE_CHOICES.map(|(size, words, _)| (size, words)), &typed.size),
        endings: Ending::ALL
            .map(|ending| choice_of_value(&ending.to_string(), ending_text(ending), &typed.ending))
            .into(),
        seats: choices(&SEAT_CHOICES, &typed.seat),
        times: choices(&CLOCK_CHOICES, &typed.time),
        rows: choices(&ROW_CHOICES, &typed.rows),
    };
    let page =
        Page::of_template("Play a game", "Play Last Nim against house bots, without an account", &content);
    Ok(private_response(visitor, status, page))
}

fn choice_of_value(value: &str, words: &str, chosen: &str) -> Choice {
    Choice { value: value.to_owned(), words: words.to_owned(), is_chosen: value == chosen }
}

fn ending_text(ending: Ending) -> &'static str {
    match ending {
        Ending::ToMoveWins => "the seat to move when no counter is left",
        Ending::LastMoverWins => "the seat that moved last",
    }
}

/// Returns why nobody can play here; may be empty.
fn closed_notice(site: &Site, hosted: &[(BotName, String)]) -> &'static str {
    if !site.guests.admits_guests() {
        "This server admits no guests: its operator has set --guest-matches 0."
    } else if hosted.is_empty() {
        "This server hosts no house bots to play against. Its operator can add some with --house, for example"
    } else {
        ""
    }
}
