//! From a request of a guest to its answer.

use super::actions::act_in_hand;
use super::address::PlayAddress;
use super::hand::{Hand, guest_of_visitor};
use super::hand_page::hand_response;
use super::new_hand_page::{begin_hand, new_hand_page};
use crate::web::forms::FormFields;
use crate::web::pages::Pages;
use crate::web::response::PageResponse;
use crate::web::visitor::Visitor;
use std::time::Duration;
use tonic::Status;

/// How long a page waits for something to happen, where it is asked to.
const POLL_TIMEOUT: Duration = Duration::from_secs(20);

/// Shows where hands are begun, or a hand.
pub(in crate::web) async fn show_play_page(
    pages: &Pages,
    visitor: &Visitor,
    address: &PlayAddress,
) -> Result<PageResponse, Status> {
    match *address {
        PlayAddress::NewHand => new_hand_page(pages, visitor),
        PlayAddress::Hand { id, since } => {
            let hand = Hand::load(pages, visitor, id).await?;
            let Some(since) = since.filter(|since| *since == hand.status.revision && !hand.is_over()) else {
                return hand_response(visitor, &hand);
            };
            drop(hand);
            let guest = guest_of_visitor(visitor)?;
            pages.guests.wait_for_status(&guest, id, POLL_TIMEOUT, |status| status.revision != since).await?;
            hand_response(visitor, &Hand::load(pages, visitor, id).await?)
        }
    }
}

/// Does what the form of a guest asks for.
pub(in crate::web) async fn take_play_form(
    pages: &Pages,
    visitor: &Visitor,
    address: &PlayAddress,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    match *address {
        PlayAddress::NewHand => begin_hand(pages, visitor, fields).await,
        PlayAddress::Hand { id, .. } => act_in_hand(pages, visitor, id, fields).await,
    }
}
