//! Where somebody plays who holds the token of a bot: signing in and out, and the matches of the bot.

use super::address::{PLAYER_COOKIE, PlayAddress};
use super::player::{Player, seated_visitor};
use crate::game::{BotName, MatchId};
use crate::report::words::{join_first_words, join_words};
use crate::web::address::PageAddress;
use crate::web::forms::{FormFields, FormToken};
use crate::web::page::Page;
use crate::web::pages::Pages;
use crate::web::response::{PageResponse, http_status, private_response, redirect_response, with_cookie};
use crate::web::typed_token::{authorization_header, check_known_token};
use crate::web::visitor::Visitor;
use crate::web::visitor_channel::VisitorChannel;
use crate::wire::pb;
use askama::Template;
use pb::match_service_server::MatchService as _;
use std::time::{Duration, Instant};
use tonic::Status;
use tonic::codegen::http::StatusCode;

/// The method as whose caller somebody is checked who signs in.
const PATH: &str = "/play/bot";
/// Open matches that are listed.
const MATCHES: u32 = 50;

/// The form that asks for the token of a bot. What was typed is never shown again.
#[derive(Debug, Template)]
#[template(path = "play/bot_sign_in.html")]
struct BotSignIn {
    form_token: FormToken,
    mistake: String,
}

/// The matches of a bot.
#[derive(Debug, Template)]
#[template(path = "play/bot_seats.html")]
struct BotSeats {
    form_token: FormToken,
    bot: String,
    bot_address: String,
    revision: u64,
    /// Whether the visitor's session has the seats, and no later one.
    has_seats: bool,
    matches: Vec<OpenMatch>,
    /// Whether there are more.
    has_more: bool,
}

/// An open match of the bot.
#[derive(Debug)]
struct OpenMatch {
    address: String,
    bots: String,
    piles: String,
    /// Where its tournament is; empty for none.
    tournament: String,
    state: &'static str,
    is_awaited: bool,
}

/// Checks that what a visitor types here stays between the two.
pub(super) fn check_channel(visitor: &Visitor) -> Result<(), Status> {
    match visitor.channel {
        VisitorChannel::Loopback | VisitorChannel::Https => Ok(()),
        VisitorChannel::Plain => Err(Status::permission_denied(
            "playing as a bot needs its token, which others could read on the way: open this page on the server's own machine, or through a proxy that speaks https and \
             that the server trusts (--trusted-proxy), which says so in x-forwarded-proto",
        )),
    }
}

/// Asks for the token of a bot.
pub(super) fn sign_in_page(visitor: &Visitor) -> Result<PageResponse, Status> {
    sign_in_response(visitor, StatusCode::OK, String::new())
}

/// Says that nobody is signed in, and asks for the token.
pub(super) fn signed_out_response(visitor: &Visitor) -> Result<PageResponse, Status> {
    let mistake = "You are not signed in, or no longer: nothing was done.".to_owned();
    sign_in_response(visitor, StatusCode::UNAUTHORIZED, mistake)
}

fn sign_in_response(visitor: &Visitor, status: StatusCode, mistake: String) -> Result<PageResponse, Status> {
    let form_token = visitor.form_token().ok_or_else(|| Status::internal("this page has no cookie"))?;
    let content = BotSignIn { form_token, mistake }.render();
    let content = content.map_err(|error| Status::internal(error.to_string()))?;
    Ok(private_response(status, &Page::without_twins("Play as a bot", content)))
}

/// Signs somebody in who types the token of a bot, and takes its seats.
pub(super) fn sign_in_as_bot(
    pages: &Pages,
    visitor: &Visitor,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let header = match authorization_header(fields.value("token")) {
        Ok(header) => header,
        Err(mistake) => return sign_in_response(visitor, StatusCode::UNAUTHORIZED, mistake.to_owned()),
    };
    let seated = visitor.with_authorization(header.clone());
    let taken = check_known_token(pages, visitor, PATH, &header)
        .and_then(|()| pages.bot_hands.take_seats(&seated.request(())));
    if let Err(status) = taken {
        let mistake = status.message().trim_start_matches("authorization: ").to_owned();
        return sign_in_response(visitor, http_status(&status), mistake);
    }
    let now = Instant::now();
    // Of two browsers with the same token, the later one plays.
    pages.players.end_all_of(&header, now);
    let secret = pages.players.begin(header, now);
    let answer = redirect_response(&PageAddress::Play(PlayAddress::BotSeats { since: None }));
    Ok(with_cookie(answer, PLAYER_COOKIE.set(&secret, visitor.channel)))
}

/// Takes the seats again that another session has taken.
pub(super) fn retake_seats(pages: &Pages, seated: &Visitor) -> Result<PageResponse, Status> {
    pages.bot_hands.take_seats(&seated.request(()))?;
    Ok(redirect_response(&PageAddress::Play(PlayAddress::BotSeats { since: None })))
}

/// Leaves the seats, and has the browser forget its session.
pub(super) fn sign_out(pages: &Pages, visitor: &Visitor) -> PageResponse {
    if let Some((_, bot)) = seated_visitor(pages, visitor) {
        pages.bot_hands.leave_seats(&bot);
    }
    if let Some(secret) = visitor.secret() {
        pages.players.end(secret, Instant::now());
    }
    let answer = redirect_response(&PageAddress::Play(PlayAddress::BotSeats { since: None }));
    with_cookie(answer, PLAYER_COOKIE.remove(visitor.channel))
}

/// Shows the open matches of a bot. With `since` it waits until its session has heard more than the page with this number shows.
pub(super) async fn bot_seats_page(
    pages: &Pages,
    seated: &Visitor,
    bot: BotName,
    since: Option<u64>,
    within: Duration,
) -> Result<PageResponse, Status> {
    if let Some(since) = since {
        pages.bot_hands.wait_for_more(&bot, within, since).await;
    }
    let form_token = seated.form_token().ok_or_else(|| Status::internal("this page has no cookie"))?;
    let revision = pages.bot_hands.revision(&bot);
    let request = pb::ListMatchesRequest {
        bots: vec![bot.to_string()],
        state: pb::MatchState::Open.into(),
        page_size: MATCHES,
        ..Default::default()
    };
    let list = pages.matches.list_matches(seated.request(request)).await?.into_inner();
    let mut matches: Vec<_> = list.matches.iter().filter_map(|game| open_match(pages, &bot, game)).collect();
    matches.sort_by_key(|game| !game.is_awaited);
    let content = BotSeats {
        form_token,
        bot_address: PageAddress::Bot(bot.clone()).to_string(),
        bot: bot.to_string(),
        has_seats: revision.is_some(),
        revision: revision.unwrap_or_default(),
        matches,
        has_more: !list.next_page_token.is_empty(),
    };
    let content = content.render().map_err(|error| Status::internal(error.to_string()))?;
    Ok(private_response(StatusCode::OK, &Page::without_twins("Play as a bot", content)))
}

fn open_match(pages: &Pages, bot: &BotName, game: &pb::Match) -> Option<OpenMatch> {
    let (setup, id) = (game.setup.as_ref()?, game.id.parse::<MatchId>().ok()?);
    let player = Player::Bot(bot.clone());
    // It may be over by now.
    let open = pages.bot_hands.open_seat(bot, id)?;
    let tournament = setup.tournament_id.parse().map(|id| PageAddress::Tournament(id).to_string());
    Some(OpenMatch {
        address: player.hand_address(id).to_string(),
        bots: join_first_words(&setup.bots),
        piles: join_words(&setup.piles, ","),
        tournament: tournament.unwrap_or_default(),
        state: match (open.is_awaited, open.is_declaring) {
            (true, true) => "declare your row",
            (true, false) => "your move",
            (false, _) => "waits for others",
        },
        is_awaited: open.is_awaited,
    })
}
