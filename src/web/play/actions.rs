//! What a guest does in a hand.

use super::address::PlayAddress;
use super::hand::{Hand, guest_of_visitor};
use super::hand_page::mistaken_hand_response;
use super::typed_row::read_row;
use crate::game::MatchId;
use crate::web::address::PageAddress;
use crate::web::forms::FormFields;
use crate::web::pages::Pages;
use crate::web::response::{PageResponse, redirect_response};
use crate::web::visitor::Visitor;
use crate::wire::BotAction;
use std::time::Duration;
use tonic::Status;
use tonic::codegen::http::StatusCode;

/// How long the answers of the others are waited for: without scripts, a page shows nothing that happens later.
const ANSWER_TIME: Duration = Duration::from_secs(2);
/// The most characters of what was typed that are repeated.
const MAX_REPEATED: usize = 40;

/// Does what a form asks for, and shows the hand as it stands then.
pub(super) async fn act_in_hand(
    pages: &Pages,
    visitor: &Visitor,
    id: MatchId,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let hand = Hand::load(pages, visitor, id).await?;
    let answer = redirect_response(&PageAddress::Play(PlayAddress::Hand { id, since: None }));
    if hand.is_over() {
        return Ok(answer);
    }
    let action = match read_action(&hand, fields) {
        Ok(action) => action,
        Err(mistake) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return mistaken_hand_response(visitor, &hand, status, mistake, Some(fields));
        }
    };
    let guest = guest_of_visitor(visitor)?;
    let refusals = hand.news.refusals;
    let (ply, declares) = match &action {
        BotAction::Take { ply, .. } => (Some(*ply), false),
        BotAction::Declare { .. } => (None, true),
        _ => (None, false),
    };
    pages.guests.act(&visitor.request(()), &guest, action).await?;
    pages
        .guests
        .wait_for_news(&guest, id, ANSWER_TIME, |news| match (ply, declares) {
            (Some(ply), _) => news.answers(ply, refusals),
            (None, true) => news.is_revealed || news.is_over || news.refusals > refusals,
            (None, false) => news.is_over,
        })
        .await?;
    Ok(answer)
}

/// Reads what a form asks for.
fn read_action(hand: &Hand, fields: &FormFields) -> Result<BotAction, String> {
    let (match_id, note_hash) = (hand.id, Ok(None));
    match fields.value("act") {
        "take" => {
            let ply = read_number(fields, "ply")?;
            let ply = u32::try_from(ply).map_err(|_| format!("ply {ply}: expected a ply of this hand"))?;
            Ok(BotAction::Take { match_id, ply, take: read_number(fields, "take")?, note_hash })
        }
        "declare" => {
            let offsets = read_row(fields, hand.seat, hand.replay.setup.bots.len())?;
            Ok(BotAction::Declare { match_id, offsets, note_hash })
        }
        "resign" => Ok(BotAction::Resign { match_id }),
        other => Err(format!("act {:?}: expected take, declare or resign", shortened(other))),
    }
}

fn read_number(fields: &FormFields, name: &str) -> Result<u64, String> {
    let given = fields.value(name).trim();
    given
        .parse()
        .map_err(|_| format!("{name} {:?}: expected a whole number from 0 to {}", shortened(given), u64::MAX))
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_REPEATED).collect()
}
