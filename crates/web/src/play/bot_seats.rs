//! Where somebody plays who holds the token of a bot: signing in and out, and the matches of the bot.

use super::player::Player;
use crate::address::{BotPlayAddress, PageAddress};
use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::response::{PageResponse, http_status, private_response, redirect_response, with_cookie};
use crate::site::Site;
use crate::site_cookies::PLAYER_COOKIE;
use crate::token_sessions::TokenHolders;
use crate::typed_token::{authorization_header, check_known_token, token_mistake};
use crate::visitor::Visitor;
use askama::Template;
use lastnim_arena::OpenHand;
use lastnim_core::game::BotName;
use lastnim_report::words::{join_first_words, join_words};
use std::time::{Duration, Instant};
use tonic::Status;
use tonic::codegen::http::StatusCode;

/// The method as whose caller somebody is checked who signs in.
const PATH: &str = "/play/bot";
/// Open matches that are listed.
const MATCHES: usize = 50;

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
    /// Its tournaments, as they are written already.
    tournaments: String,
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
}

/// Checks that what a visitor types here stays between the two.
pub(super) fn check_player_channel(visitor: &Visitor) -> Result<(), Status> {
    visitor.check_channel(
        "playing as a bot needs its token, which others could read on the way: open this page on the server's own machine, or through a proxy that speaks https and \
         that the server trusts (--trusted-proxy), which says so in x-forwarded-proto",
    )
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

/// Says that nobody is signed in any more to a page that follows what happens, and asks for the token.
pub(super) fn lost_sign_in_response(visitor: &Visitor) -> Result<PageResponse, Status> {
    let mistake = "You are no longer signed in: your time is over, somebody has signed in elsewhere with the same token or replaced it, or the server has begun anew.";
    sign_in_response(visitor, StatusCode::UNAUTHORIZED, mistake.to_owned())
}

fn sign_in_response(visitor: &Visitor, status: StatusCode, mistake: String) -> Result<PageResponse, Status> {
    let form_token = visitor.form_token()?;
    let content = BotSignIn { form_token, mistake };
    Ok(private_response(visitor, status, Page::of_template("Play as a bot", &content)))
}

/// Signs somebody in who types the token of a bot, and takes its seats.
pub(super) fn sign_in_as_bot(
    site: &Site,
    visitor: &Visitor,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let now = Instant::now();
    let taken = authorization_header(fields.value("token")).and_then(|header| {
        check_known_token(site, visitor, PATH, &header)?;
        let request = visitor.with_authorization(header.clone()).request(());
        Ok((site.bot_hands.take_seats(&request, site.players.end_of_session(now))?, header))
    });
    let (seats, header) = match taken {
        Ok(taken) => taken,
        Err(status) => return sign_in_response(visitor, http_status(&status), token_mistake(&status)),
    };
    // Of two browsers with the same token, the later one plays.
    site.players.end_all_of(&header, now);
    let secret = site.players.begin(header, TokenHolders::One, visitor.address(), now);
    site.players.hold_seats(&secret, seats, now);
    let answer = redirect_response(&BotPlayAddress::Seats { since: None });
    Ok(with_cookie(answer, PLAYER_COOKIE.set(&secret, visitor.channel)))
}

/// Takes the seats again that another session has taken.
pub(super) fn retake_seats(site: &Site, seated: &Visitor) -> Result<PageResponse, Status> {
    let now = Instant::now();
    let ending = seated.secret().and_then(|secret| Some((secret, site.players.end_of(secret, now)?)));
    let Some((secret, until)) = ending else { return signed_out_response(seated) };
    let seats = site.bot_hands.take_seats(&seated.request(()), until)?;
    site.players.hold_seats(secret, seats, now);
    Ok(redirect_response(&BotPlayAddress::Seats { since: None }))
}

/// Leaves the seats, and has the browser forget its session.
pub(super) fn sign_out(site: &Site, visitor: &Visitor) -> PageResponse {
    // The seats are left with it, unless a later session has them.
    if let Some(secret) = visitor.secret() {
        site.players.end(secret, Instant::now());
    }
    let answer = redirect_response(&BotPlayAddress::Seats { since: None });
    with_cookie(answer, PLAYER_COOKIE.remove(visitor.channel))
}

/// Shows the open matches of a bot, once its session has heard more than the page with the number `since` shows, or some time has passed.
pub(super) async fn later_bot_seats_page(
    site: &Site,
    seated: &Visitor,
    bot: BotName,
    since: u64,
    within: Duration,
) -> Result<PageResponse, Status> {
    site.bot_hands.wait_for_more(&bot, within, since).await;
    // What follows this page does not look at the tournaments.
    bot_seats_page_with(site, seated, bot, StatusCode::OK, String::new())
}

/// Shows the open matches of a bot, and its tournaments as they are written already.
pub(super) fn bot_seats_page_with(
    site: &Site,
    seated: &Visitor,
    bot: BotName,
    status: StatusCode,
    tournaments: String,
) -> Result<PageResponse, Status> {
    let form_token = seated.form_token()?;
    let revision = site.bot_hands.revision(&bot);
    let (hands, has_more) = site.bot_hands.open_hands(&bot, MATCHES);
    let player = Player::Bot(bot);
    let content = BotSeats {
        form_token,
        bot_address: PageAddress::Bot { name: player.name().clone() }.to_string(),
        bot: player.name().to_string(),
        has_seats: revision.is_some(),
        revision: revision.unwrap_or_default(),
        matches: hands.iter().map(|hand| open_match(&player, hand)).collect(),
        has_more,
        tournaments,
    };
    Ok(private_response(seated, status, Page::of_template("Play as a bot", &content)))
}

fn open_match(player: &Player, OpenHand { id, setup, open }: &OpenHand) -> OpenMatch {
    let tournament =
        setup.origin.as_ref().map(|origin| PageAddress::Tournament { id: origin.tournament }.to_string());
    let bots: Vec<_> = setup.bots.iter().map(ToString::to_string).collect();
    OpenMatch {
        address: player.hand_address(*id).to_string(),
        bots: join_first_words(&bots),
        piles: join_words(setup.piles.as_slice(), ","),
        tournament: tournament.unwrap_or_default(),
        state: match (open.is_awaited, open.is_declaring) {
            (true, true) => "declare your row",
            (true, false) => "your move",
            (false, _) => "waits for others",
        },
    }
}
