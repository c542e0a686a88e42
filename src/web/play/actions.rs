//! What a guest does in a hand.

use super::address::PlayAddress;
use super::hand::{Hand, guest_of_visitor};
use super::hand_page::mistaken_hand_response;
use super::typed_row::read_row;
use crate::game::MatchId;
use crate::rpc::HandNews;
use crate::web::address::PageAddress;
use crate::web::forms::FormFields;
use crate::web::pages::Pages;
use crate::web::response::{PageResponse, redirect_response};
use crate::web::visitor::Visitor;
use crate::wire::BotAction;
use std::time::Duration;
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};

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
    let is_answered = answer_of_action(&action, hand.news.refusals);
    let acted = match action {
        HandAction::Take { ply, take } => {
            let note_hash = Ok(None);
            Some(BotAction::Take { match_id: id, ply, take, note_hash })
        }
        HandAction::Declare { offsets } => {
            Some(BotAction::Declare { match_id: id, offsets, note_hash: Ok(None) })
        }
        HandAction::Resign => Some(BotAction::Resign { match_id: id }),
        HandAction::MadeBefore { .. } => None,
    };
    if let Some(action) = acted {
        match pages.guests.act(&visitor.request(()), &guest, id, action).await {
            Ok(()) => {}
            // It has ended in between, as the page will show.
            Err(status) if status.code() == Code::FailedPrecondition => return Ok(answer),
            Err(status) => return Err(status),
        }
    }
    pages.guests.wait_for_news(&guest, id, ANSWER_TIME, is_answered).await?;
    Ok(answer)
}

/// What a form asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum HandAction {
    Take {
        ply: u32,
        take: u64,
    },
    Declare {
        offsets: Vec<u64>,
    },
    Resign,
    /// What counts already; for a take at this ply.
    MadeBefore {
        ply: Option<u32>,
    },
}

/// Returns what says that an action has been answered; `refusals` is how much was refused before.
fn answer_of_action(action: &HandAction, refusals: u64) -> impl Fn(&HandNews) -> bool + use<> {
    let (ply, awaits_rows) = match action {
        HandAction::Take { ply, .. } => (Some(*ply), false),
        HandAction::MadeBefore { ply } => (*ply, ply.is_none()),
        HandAction::Declare { .. } => (None, true),
        HandAction::Resign => (None, false),
    };
    move |news| match ply {
        Some(ply) => news.answers(ply, refusals),
        None => news.is_over || news.refusals > refusals || (awaits_rows && news.is_revealed),
    }
}

/// Reads what a form asks for.
fn read_action(hand: &Hand, fields: &FormFields) -> Result<HandAction, String> {
    match fields.value("act") {
        "take" => {
            let ply = read_number(fields, "ply")?;
            let ply = u32::try_from(ply).map_err(|_| format!("ply {ply}: expected a ply of this hand"))?;
            let take = read_number(fields, "take")?;
            match hand.replay.takes.get(ply as usize) {
                None => Ok(HandAction::Take { ply, take }),
                Some(made) if made.took.seat as usize == hand.seat && made.took.take == take => {
                    Ok(HandAction::MadeBefore { ply: Some(ply) })
                }
                Some(made) => {
                    let name = hand.names.subject(made.took.seat as usize);
                    Err(format!("ply {ply} is over: {name} took {} there", made.took.take))
                }
            }
        }
        // Sent twice, it counts once.
        "declare" if !(hand.is_declaring() && hand.is_awaited()) => Ok(HandAction::MadeBefore { ply: None }),
        "declare" => {
            let offsets = read_row(fields, hand.seat, hand.replay.setup.bots.len())?;
            Ok(HandAction::Declare { offsets })
        }
        "resign" => Ok(HandAction::Resign),
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
