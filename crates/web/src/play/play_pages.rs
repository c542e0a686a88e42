//! Dispatches requests of players.

use super::actions::act_in_game;
use super::bot_seats::{
    check_player_channel, lost_sign_in_response, reclaim_seats, sign_in_as_bot, sign_in_page, sign_out,
    signed_out_response, wait_for_bot_seats_page,
};
use super::bot_tournaments::{bot_page_with_tournaments, change_field};
use super::game::PlayerGame;
use super::game_page::game_response;
use super::new_game_page::{new_game_page, start_game};
use super::player::{BotVisitor, Player, visitor_guest_name};
use crate::address::{BotPlayAddress, PlayAddress};
use crate::forms::FormFields;
use crate::response::{PageResponse, redirect_response};
use crate::site::Site;
use crate::visitor::Visitor;
use lastnim_core::game::MatchId;
use std::time::Duration;
use tonic::Status;

/// How long a long-polled page waits for a change.
const POLL_TIMEOUT: Duration = Duration::from_secs(20);

/// Shows the form for a new game, or a game of a guest.
pub(crate) async fn show_play_page(
    site: &Site,
    visitor: &Visitor,
    address: &PlayAddress,
) -> Result<PageResponse, Status> {
    match *address {
        PlayAddress::NewGame => new_game_page(site, visitor),
        PlayAddress::Game { id, since } => {
            let guest = Player::Guest(visitor_guest_name(visitor)?);
            Box::pin(show_game(site, visitor, guest, id, since)).await
        }
    }
}

/// Shows the pages for playing as a bot.
pub(crate) async fn show_bot_play_page(
    site: &Site,
    visitor: &Visitor,
    address: &BotPlayAddress,
) -> Result<PageResponse, Status> {
    check_player_channel(visitor)?;
    let is_followed = matches!(
        address,
        BotPlayAddress::Seats { since: Some(_) } | BotPlayAddress::Game { since: Some(_), .. }
    );
    let Some(BotVisitor { as_bot, bot, .. }) = seated_visitor(site, visitor)? else {
        return if is_followed { lost_sign_in_response(visitor) } else { sign_in_page(visitor) };
    };
    let shown = match *address {
        BotPlayAddress::Game { id, since } => {
            Box::pin(show_game(site, &as_bot, Player::Bot(bot), id, since)).await?
        }
        BotPlayAddress::Seats { since: Some(since) } => {
            wait_for_bot_seats_page(site, &as_bot, bot, since, POLL_TIMEOUT).await?
        }
        BotPlayAddress::Seats { since: None } => bot_page_with_tournaments(site, &as_bot, bot).await?,
        // The other addresses accept only forms.
        _ => redirect_response(&BotPlayAddress::Seats { since: None }),
    };
    // The session may have ended while the response waited.
    if is_followed && BotVisitor::of_visitor(site, visitor).is_none() {
        return lost_sign_in_response(visitor);
    }
    Ok(shown)
}

/// Returns the visitor as the bot that they signed in as. If the bot has no session, they take its seats: after a
/// restart they have them again.
fn seated_visitor(site: &Site, visitor: &Visitor) -> Result<Option<BotVisitor>, Status> {
    let Some(player) = BotVisitor::of_visitor(site, visitor) else { return Ok(None) };
    site.bot_games.take_free_seats(&player.as_bot.request(()), player.until)?;
    Ok(Some(player))
}

async fn show_game(
    site: &Site,
    visitor: &Visitor,
    player: Player,
    id: MatchId,
    since: Option<u64>,
) -> Result<PageResponse, Status> {
    let game = PlayerGame::load(site, visitor, player.clone(), id).await?;
    let Some(since) = since.filter(|since| *since == game.status.revision && !game.is_over()) else {
        return game_response(site, visitor, game).await;
    };
    drop(game);
    player.wait_for_status(site, id, POLL_TIMEOUT, |status| status.revision != since).await?;
    game_response(site, visitor, PlayerGame::load(site, visitor, player, id).await?).await
}

/// Handles a guest's form.
pub(crate) async fn handle_play_form(
    site: &Site,
    visitor: &Visitor,
    address: &PlayAddress,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    match *address {
        PlayAddress::NewGame => start_game(site, visitor, fields).await,
        PlayAddress::Game { id, .. } => {
            let guest = Player::Guest(visitor_guest_name(visitor)?);
            Box::pin(act_in_game(site, visitor, guest, id, fields)).await
        }
    }
}

/// Handles a form from a person who plays as a bot.
pub(crate) async fn handle_bot_play_form(
    site: &Site,
    visitor: &Visitor,
    address: &BotPlayAddress,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    check_player_channel(visitor)?;
    match *address {
        BotPlayAddress::SignIn => return sign_in_as_bot(site, visitor, fields),
        BotPlayAddress::SignOut => return Ok(sign_out(site, visitor)),
        _ => {}
    }
    let Some(player) = seated_visitor(site, visitor)? else { return signed_out_response(visitor) };
    match *address {
        BotPlayAddress::RetakeSeats => reclaim_seats(site, &player),
        BotPlayAddress::ChangeField { id, action } => {
            change_field(site, &player.as_bot, player.bot, (id, action), fields).await
        }
        BotPlayAddress::Game { id, .. } => {
            Box::pin(act_in_game(site, &player.as_bot, Player::Bot(player.bot), id, fields)).await
        }
        _ => Ok(redirect_response(&BotPlayAddress::Seats { since: None })),
    }
}
