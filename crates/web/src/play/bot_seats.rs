//! Playing as a bot: signing in and out, and the matches of the bot.

use super::player::{BotVisitor, Player};
use crate::address::{BotPlayAddress, PageAddress};
use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::page_refusal::with_refusal;
use crate::response::{PageResponse, http_status, private_response, redirect_response, with_cookie};
use crate::site::Site;
use crate::site_cookies::PLAYER_COOKIE;
use crate::typed_token::{authorization_header, check_known_token, token_mistake};
use crate::visitor::Visitor;
use askama::Template;
use lastnim_arena::OpenGame;
use lastnim_core::game::BotName;
use lastnim_report::words::{join_first_items, join_items};
use std::time::{Duration, Instant};
use tonic::Status;
use tonic::codegen::http::StatusCode;

/// The path that a sign-in here passes to the check of its token.
const SIGN_IN_PATH: &str = "/play/bot";
/// The maximum number of open matches that are listed.
const MAX_LISTED_MATCHES: usize = 50;

/// The form for a bot's token. The typed token is never shown again.
#[derive(Debug, Template)]
#[template(path = "play/bot_sign_in.html")]
struct BotSignIn {
    form_token: FormToken,
    mistake: String,
}

/// The open matches of a bot that a person plays.
#[derive(Debug, Template)]
#[template(path = "play/bot_seats.html")]
struct BotSeats {
    form_token: FormToken,
    bot: String,
    bot_address: String,
    revision: u64,
    /// Whether a person has the seats; the bot's program may have taken them.
    has_seats: bool,
    matches: Vec<OpenMatch>,
    has_more: bool,
    /// The section about the bot's tournaments, as HTML.
    tournaments: String,
}

/// An open match of the bot.
#[derive(Debug)]
struct OpenMatch {
    address: String,
    bots: String,
    piles: String,
    /// The page of its tournament; may be empty.
    tournament: String,
    state: &'static str,
}

/// Checks that the connection keeps the bot's token secret.
pub(super) fn check_player_channel(visitor: &Visitor) -> Result<(), Status> {
    visitor.check_channel(
        "playing as a bot needs its token, but this connection would not protect it: open this page on the server's own machine, or over https, with --tls-cert or \
         through a proxy that the server trusts (--trusted-proxy) and that sets x-forwarded-proto",
    )
}

pub(super) fn sign_in_page(visitor: &Visitor) -> Result<PageResponse, Status> {
    sign_in_response(visitor, StatusCode::OK, String::new())
}

/// Shows the sign-in form, with the note that nobody is signed in.
pub(super) fn signed_out_response(visitor: &Visitor) -> Result<PageResponse, Status> {
    let mistake = "You are not signed in, or your session has ended. Nothing was changed.".to_owned();
    sign_in_response(visitor, StatusCode::UNAUTHORIZED, mistake)
}

/// Shows the sign-in form to a live page whose session has ended.
pub(super) fn lost_sign_in_response(visitor: &Visitor) -> Result<PageResponse, Status> {
    let mistake =
        "You are no longer signed in: you signed out, the sign-in expired, or the token was replaced.";
    sign_in_response(visitor, StatusCode::UNAUTHORIZED, mistake.to_owned())
}

fn sign_in_response(visitor: &Visitor, status: StatusCode, mistake: String) -> Result<PageResponse, Status> {
    let form_token = visitor.form_token()?;
    let content = BotSignIn { form_token, mistake };
    let summary = "Sign in with a bot's token to play its matches by hand";
    Ok(private_response(visitor, status, Page::of_template("Play as a bot", summary, &content)))
}

/// Signs in with a bot's token, and takes its seats.
pub(super) fn sign_in_as_bot(
    site: &Site,
    visitor: &Visitor,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let taken = authorization_header(fields.value("token")).and_then(|header| {
        check_known_token(site, visitor, SIGN_IN_PATH, &header)?;
        let request = visitor.with_authorization(header.clone()).request(());
        site.bot_games.take_seats(&request, Instant::now() + site.sign_ins.lifetime())?;
        Ok(header)
    });
    match taken {
        Ok(header) => {
            let secret = site.sign_ins.begin(&PLAYER_COOKIE, &header, site.now());
            let answer = redirect_response(&BotPlayAddress::Seats { since: None });
            Ok(with_cookie(answer, PLAYER_COOKIE.set(&secret, visitor.channel)))
        }
        Err(status) => {
            let response = sign_in_response(visitor, http_status(&status), token_mistake(&status))?;
            Ok(with_refusal(response, &status))
        }
    }
}

/// Takes the seats back from another session.
pub(super) fn reclaim_seats(site: &Site, player: &BotVisitor) -> Result<PageResponse, Status> {
    site.bot_games.take_seats(&player.as_bot.request(()), player.until)?;
    Ok(redirect_response(&BotPlayAddress::Seats { since: None }))
}

/// Leaves the seats and deletes the cookie.
pub(super) fn sign_out(site: &Site, visitor: &Visitor) -> PageResponse {
    let player = BotVisitor::of_visitor(site, visitor);
    if let Some(secret) = visitor.secret() {
        site.sign_ins.end(&PLAYER_COOKIE, secret, site.now());
    }
    if let Some(player) = player {
        site.bot_games.leave_seats(&player.bot);
    }
    let answer = redirect_response(&BotPlayAddress::Seats { since: None });
    with_cookie(answer, PLAYER_COOKIE.remove(visitor.channel))
}

/// Shows the open matches of a bot once they are newer than the revision `since`, or the wait times out.
pub(super) async fn wait_for_bot_seats_page(
    site: &Site,
    as_bot: &Visitor,
    bot: BotName,
    since: u64,
    within: Duration,
) -> Result<PageResponse, Status> {
    site.bot_games.wait_for_newer_events(&bot, within, since).await;
    // Live updates of this page do not include the tournaments.
    bot_seats_page_with(site, as_bot, bot, StatusCode::OK, String::new())
}

/// Shows the open matches of a bot, with the section on its tournaments.
pub(super) fn bot_seats_page_with(
    site: &Site,
    as_bot: &Visitor,
    bot: BotName,
    status: StatusCode,
    tournaments: String,
) -> Result<PageResponse, Status> {
    let form_token = as_bot.form_token()?;
    let revision = site.bot_games.revision(&bot);
    let (games, has_more) = site.bot_games.open_games(&bot, MAX_LISTED_MATCHES);
    let player = Player::Bot(bot);
    let content = BotSeats {
        form_token,
        bot_address: PageAddress::Bot { name: player.name().clone() }.to_string(),
        bot: player.name().to_string(),
        has_seats: revision.is_some(),
        revision: revision.unwrap_or_default(),
        matches: games.iter().map(|game| open_match(&player, game)).collect(),
        has_more,
        tournaments,
    };
    let summary = format!("The matches and tournaments of {}, for you to play by hand", content.bot);
    Ok(private_response(as_bot, status, Page::of_template("Play as a bot", summary, &content)))
}

fn open_match(player: &Player, OpenGame { id, setup, open }: &OpenGame) -> OpenMatch {
    let tournament =
        setup.origin.as_ref().map(|origin| PageAddress::Tournament { id: origin.tournament }.to_string());
    let bots: Vec<_> = setup.bots.iter().map(ToString::to_string).collect();
    OpenMatch {
        address: player.game_address(*id).to_string(),
        bots: join_first_items(&bots),
        piles: join_items(setup.piles.as_slice(), ","),
        tournament: tournament.unwrap_or_default(),
        state: match (open.is_awaited, open.is_declaring) {
            (true, true) => "say whom you want to see win",
            (true, false) => "your move",
            (false, _) => "waiting for others",
        },
    }
}
