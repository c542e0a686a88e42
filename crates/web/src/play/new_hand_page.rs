//! Where a hand is begun: opponents, piles, and terms.

use super::opponents::opponent_words;
use super::player::guest_of_visitor;
use super::typed_hand::{MAX_OPPONENTS, ROWS, SEATS, SIZES, TIMES, TypedHand, opponent_field};
use crate::address::PlayAddress;
use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::page_refusal::{with_reason, with_status_reason};
use crate::response::{PageResponse, http_status, private_response, redirect_response};
use crate::site::Site;
use crate::visitor::Visitor;
use askama::Template;
use lastnim_core::game::{BotName, Ending, MatchId};
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};

/// Where a hand is begun.
#[derive(Debug, Template)]
#[template(path = "play/new_hand.html")]
struct NewHandContent {
    form_token: FormToken,
    /// The addresses of hands that go on.
    open: Vec<String>,
    /// Why nobody can play here; empty if somebody can.
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

/// A house bot that can be ticked.
#[derive(Debug)]
struct Opponent {
    field: String,
    name: String,
    words: String,
    is_ticked: bool,
}

/// Something that can be chosen from a list.
#[derive(Debug)]
struct Choice {
    value: String,
    words: String,
    is_chosen: bool,
}

/// Shows where a hand is begun.
pub(super) fn new_hand_page(site: &Site, visitor: &Visitor) -> Result<PageResponse, Status> {
    let hosted = site.guests.opponents(&visitor.request(()))?;
    let proposed = TypedHand::proposed(&hosted);
    new_hand_response(site, visitor, StatusCode::OK, &hosted, &proposed, Vec::new())
}

/// Begins a hand.
pub(super) async fn begin_hand(
    site: &Site,
    visitor: &Visitor,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let hosted = site.guests.opponents(&visitor.request(()))?;
    let typed = TypedHand::of_fields(fields, &hosted);
    let request = match typed.read() {
        Ok(request) => request,
        Err(mistakes) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            let response = new_hand_response(site, visitor, status, &hosted, &typed, mistakes)?;
            return Ok(with_reason(response, "FORM_MISTAKE"));
        }
    };
    let request = request.with_guest_at(site.arena.draw_number());
    match site.guests.begin(visitor.request(request), &guest_of_visitor(visitor)?).await {
        Ok(id) => Ok(redirect_response(&PlayAddress::Hand { id, since: None })),
        Err(status) => {
            let mistakes = vec![status.message().to_owned()];
            // Whoever may not even look has been refused before.
            let code = match status.code() {
                Code::Unauthenticated => StatusCode::FORBIDDEN,
                _ => http_status(&status),
            };
            let response = new_hand_response(site, visitor, code, &hosted, &typed, mistakes)?;
            Ok(with_status_reason(response, &status))
        }
    }
}

fn new_hand_response(
    site: &Site,
    visitor: &Visitor,
    status: StatusCode,
    hosted: &[(BotName, String)],
    typed: &TypedHand,
    mistakes: Vec<String>,
) -> Result<PageResponse, Status> {
    let form_token = visitor.form_token()?;
    let open = site.guests.open_matches(&visitor.request(()), &guest_of_visitor(visitor)?)?;
    let hand_address = |id: MatchId| PlayAddress::Hand { id, since: None }.to_string();
    let opponent = |(name, house_bot): &(BotName, String)| Opponent {
        field: opponent_field(name),
        name: name.to_string(),
        words: opponent_words(house_bot),
        is_ticked: typed.against.contains(name),
    };
    let choices = |of: &[(&str, &str)], chosen: &str| {
        let choice = |&(value, words): &(&str, &str)| choice(value, words, chosen);
        let mut choices: Vec<_> = of.iter().map(choice).collect();
        // What was typed by other means stays as it was.
        if !chosen.is_empty() && !choices.iter().any(|choice| choice.is_chosen) {
            choices.push(self::choice(chosen, chosen, chosen));
        }
        choices
    };
    let content = NewHandContent {
        form_token,
        open: open.into_iter().map(hand_address).collect(),
        closed: closed_words(site, hosted),
        mistakes,
        max_opponents: MAX_OPPONENTS,
        opponents: hosted.iter().map(opponent).collect(),
        piles: typed.piles.clone(),
        sizes: choices(&SIZES.map(|(size, words, _)| (size, words)), &typed.size),
        endings: Ending::ALL
            .map(|ending| choice(&ending.to_string(), ending_words(ending), &typed.ending))
            .into(),
        seats: choices(&SEATS, &typed.seat),
        times: choices(&TIMES, &typed.time),
        rows: choices(&ROWS, &typed.rows),
    };
    let page = Page::of_template("Play a hand", &content)
        .with_summary("Play a hand of Last Nim against house bots, without an account");
    Ok(private_response(visitor, status, page))
}

fn choice(value: &str, words: &str, chosen: &str) -> Choice {
    Choice { value: value.to_owned(), words: words.to_owned(), is_chosen: value == chosen }
}

fn ending_words(ending: Ending) -> &'static str {
    match ending {
        Ending::ToMoveWins => "the seat that cannot move",
        Ending::LastMoverWins => "the seat that moved last",
    }
}

/// Says why nobody can play here.
fn closed_words(site: &Site, hosted: &[(BotName, String)]) -> &'static str {
    if !site.guests.are_admitted() {
        "This server admits no guests: whoever runs it has set --guest-matches 0."
    } else if hosted.is_empty() {
        "This server hosts no house bots, so that there is nobody to play against: whoever runs it starts it with --house, as in"
    } else {
        ""
    }
}
