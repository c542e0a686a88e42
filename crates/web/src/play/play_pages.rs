//! From a request of a player to its answer.

use super::actions::act_in_hand;
use super::address::PlayAddress;
use super::bot_seats::{
    check_player_channel, later_bot_seats_page, lost_sign_in_response, retake_seats, sign_in_as_bot,
    sign_in_page, sign_out, signed_out_response,
};
use super::bot_tournaments::{bot_page_with_tournaments, change_field};
use super::hand::Hand;
use super::hand_page::hand_response;
use super::new_hand_page::{begin_hand, new_hand_page};
use super::player::{Player, guest_of_visitor, seated_visitor};
use crate::address::PageAddress;
use crate::forms::FormFields;
use crate::pages::Pages;
use crate::response::{PageResponse, redirect_response};
use crate::visitor::Visitor;
use lastnim_core::game::MatchId;
use std::time::Duration;
use tonic::Status;

/// How long a page waits for something to happen, where it is asked to.
const POLL_TIMEOUT: Duration = Duration::from_secs(20);

/// Shows where hands are begun, a hand, or what somebody plays as a bot.
pub(crate) async fn show_play_page(
    pages: &Pages,
    visitor: &Visitor,
    address: &PlayAddress,
) -> Result<PageResponse, Status> {
    match *address {
        PlayAddress::NewHand => return new_hand_page(pages, visitor),
        PlayAddress::Hand { id, since } => {
            let guest = Player::Guest(guest_of_visitor(visitor)?);
            return show_hand(pages, visitor, guest, id, since).await;
        }
        _ => check_player_channel(visitor)?,
    }
    let is_followed = address.since().is_some();
    let Some((seated, bot)) = seated_visitor(pages, visitor) else {
        return if is_followed { lost_sign_in_response(visitor) } else { sign_in_page(visitor) };
    };
    let shown = match *address {
        PlayAddress::BotHand { id, since } => show_hand(pages, &seated, Player::Bot(bot), id, since).await?,
        PlayAddress::BotSeats { since: Some(since) } => {
            later_bot_seats_page(pages, &seated, bot, since, POLL_TIMEOUT).await?
        }
        PlayAddress::BotSeats { since: None } => bot_page_with_tournaments(pages, &seated, bot).await?,
        // The others only take forms.
        _ => redirect_response(&PageAddress::Play(PlayAddress::BotSeats { since: None })),
    };
    // The sign-in may have ended while the answer waited.
    if is_followed && seated_visitor(pages, visitor).is_none() {
        return lost_sign_in_response(visitor);
    }
    Ok(shown)
}

async fn show_hand(
    pages: &Pages,
    visitor: &Visitor,
    player: Player,
    id: MatchId,
    since: Option<u64>,
) -> Result<PageResponse, Status> {
    let hand = Hand::load(pages, visitor, player.clone(), id).await?;
    let Some(since) = since.filter(|since| *since == hand.status.revision && !hand.is_over()) else {
        return hand_response(visitor, &hand);
    };
    drop(hand);
    player.wait_for_status(pages, id, POLL_TIMEOUT, |status| status.revision != since).await?;
    hand_response(visitor, &Hand::load(pages, visitor, player, id).await?)
}

/// Does what the form of a player asks for.
pub(crate) async fn take_play_form(
    pages: &Pages,
    visitor: &Visitor,
    address: &PlayAddress,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    match *address {
        PlayAddress::NewHand => return begin_hand(pages, visitor, fields).await,
        PlayAddress::Hand { id, .. } => {
            let guest = Player::Guest(guest_of_visitor(visitor)?);
            return act_in_hand(pages, visitor, guest, id, fields).await;
        }
        _ => check_player_channel(visitor)?,
    }
    match address {
        PlayAddress::BotSignIn => return sign_in_as_bot(pages, visitor, fields),
        PlayAddress::BotSignOut => return Ok(sign_out(pages, visitor)),
        _ => {}
    }
    let Some((seated, bot)) = seated_visitor(pages, visitor) else { return signed_out_response(visitor) };
    match *address {
        PlayAddress::RetakeSeats => retake_seats(pages, &seated),
        PlayAddress::ChangeField(id, action) => change_field(pages, &seated, bot, (id, action)).await,
        PlayAddress::BotHand { id, .. } => act_in_hand(pages, &seated, Player::Bot(bot), id, fields).await,
        _ => Ok(redirect_response(&PageAddress::Play(PlayAddress::BotSeats { since: None }))),
    }
}
