//! What a player does in a hand.

use super::hand::Hand;
use super::hand_page::mistaken_hand_response;
use super::player::Player;
use super::typed_row::read_row;
use crate::forms::FormFields;
use crate::page_refusal::with_reason;
use crate::response::{PageResponse, redirect_response};
use crate::site::Site;
use crate::visitor::Visitor;
use lastnim_arena::OpenSeat;
use lastnim_core::game::MatchId;
use lastnim_core::referee::SeatAction;
use lastnim_rpc::HandStatus;
use std::time::Duration;
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};

/// How long the answers of the others are waited for: without scripts, a page shows nothing that happens later.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// The most characters of what was typed that are repeated.
const MAX_REPEATED: usize = 40;

/// Does what a form asks for, and shows the hand as it stands then. An action is applied before anything is read: whoever plays waits for nobody who reads.
pub(super) async fn act_in_hand(
    site: &Site,
    visitor: &Visitor,
    player: Player,
    id: MatchId,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let answer = redirect_response(&player.hand_address(id));
    let Some(open) = player.open_seat(site, visitor, id)? else {
        // It is over, or no hand of the player: reading it says which.
        return Hand::load(site, visitor, player, id).await.map(|_| answer);
    };
    let action = match read_action(&open, fields) {
        Ok(HandAction::New(SeatAction::Take { ply, take, .. })) if ply < open.plies => {
            let hand = Hand::load(site, visitor, player.clone(), id).await?;
            match describe_past_ply(&hand, ply, take) {
                Some(mistake) => return mistake_response(visitor, &hand, mistake, fields),
                None => HandAction::MadeBefore { ply: Some(ply) },
            }
        }
        Ok(action) => action,
        Err(mistake) => {
            let hand = Hand::load(site, visitor, player, id).await?;
            return mistake_response(visitor, &hand, mistake, fields);
        }
    };
    let refusals = player.hand_status(site, id)?.refusals;
    let is_answered = answer_of_action(&action, refusals);
    if let HandAction::New(action) = action {
        match player.act(site, visitor, id, action).await {
            Ok(()) => {}
            // It has ended in between, as the page will show.
            Err(status) if status.code() == Code::FailedPrecondition => return Ok(answer),
            // Another session has the seats.
            Err(status) if status.code() == Code::Aborted => {
                let hand = Hand::load(site, visitor, player, id).await?;
                let mistake = status.message().to_owned();
                return mistaken_hand_response(visitor, &hand, StatusCode::CONFLICT, mistake, Some(fields));
            }
            Err(status) => return Err(status),
        }
    }
    player.wait_for_status(site, id, ANSWER_TIMEOUT, is_answered).await?;
    Ok(answer)
}

/// Shows a hand with what is wrong with a form; one that is over as it is.
fn mistake_response(
    visitor: &Visitor,
    hand: &Hand,
    mistake: String,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    if hand.is_over() {
        return Ok(redirect_response(&hand.player.hand_address(hand.id)));
    }
    let response =
        mistaken_hand_response(visitor, hand, StatusCode::UNPROCESSABLE_ENTITY, mistake, Some(fields))?;
    Ok(with_reason(response, "FORM_MISTAKE"))
}

/// What a form asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum HandAction {
    New(SeatAction),
    /// What counts already; for a take at this ply.
    MadeBefore {
        ply: Option<u32>,
    },
}

/// Returns what says that an action has been answered; `refusals` is how much was refused before.
fn answer_of_action(action: &HandAction, refusals: u64) -> impl Fn(&HandStatus) -> bool + use<> {
    let (ply, awaits_rows) = match *action {
        HandAction::New(SeatAction::Take { ply, .. }) => (Some(ply), false),
        HandAction::New(SeatAction::Declare { .. }) => (None, true),
        HandAction::New(SeatAction::Resign) => (None, false),
        HandAction::MadeBefore { ply } => (ply, ply.is_none()),
    };
    move |status| match ply {
        Some(ply) => status.answers(ply, refusals),
        None => status.is_over || status.refusals > refusals || (awaits_rows && status.is_revealed),
    }
}

/// Reads what a form asks for.
fn read_action(open: &OpenSeat, fields: &FormFields) -> Result<HandAction, String> {
    match fields.value("act") {
        "take" => {
            let ply = read_number(fields, "ply")?;
            let ply = u32::try_from(ply).map_err(|_| format!("ply {ply}: expected a ply of this hand"))?;
            Ok(HandAction::New(SeatAction::take(ply, read_number(fields, "take")?, None)))
        }
        // Sent twice, it counts once.
        "declare" if !(open.is_declaring && open.is_awaited) => Ok(HandAction::MadeBefore { ply: None }),
        "declare" => {
            let offsets = read_row(fields, open.seat.index(), open.seats.get())?;
            Ok(HandAction::New(SeatAction::Declare { offsets, note_hash: Ok(None) }))
        }
        "resign" => Ok(HandAction::New(SeatAction::Resign)),
        other => Err(format!("act {:?}: expected take, declare or resign", shortened(other))),
    }
}

/// Says who took at a ply that is over; nothing if it was this take of the player.
fn describe_past_ply(hand: &Hand, ply: u32, take: u64) -> Option<String> {
    let made = &hand.replay.take_at(ply)?.took;
    let is_same = made.seat as usize == hand.seat && made.take == take;
    let name = || hand.names.subject(made.seat as usize);
    (!is_same).then(|| format!("ply {ply} is over: {} took {} there", name(), made.take))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms::CookieSecret;
    use crate::play::player::guest_of_visitor;
    use crate::testing::open_site;
    use crate::visitor_channel::VisitorChannel;
    use lastnim_arena::{Arena, Backend, Limits};
    use lastnim_proto::pb;
    use lastnim_rpc::ClientAddress;
    use std::sync::mpsc;
    use tokio::sync::oneshot;
    use tonic::codegen::http;

    fn guest_visitor() -> Visitor {
        let (head, ()) = http::Request::new(()).into_parts();
        let visitor =
            Visitor::of_request(ClientAddress::UNKNOWN, VisitorChannel::Loopback, &head.uri, &head.headers);
        visitor.with_secret(CookieSecret::draw())
    }

    #[tokio::test]
    async fn a_take_waits_for_nobody_who_reads() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        arena.enrol_house_bot("timid".parse().unwrap(), "timid").await.unwrap();
        let (site, visitor) = (open_site(&arena, 1), guest_visitor());
        let guest = guest_of_visitor(&visitor).unwrap();
        let player = Player::Guest(guest.clone());
        let request = pb::CreateMatchRequest {
            bots: vec![String::new(), "timid".into()],
            piles: vec![5],
            alliance: pb::AllianceMode::Standard.into(),
            clock: Some(pb::Clock { initial_ms: 3_600_000, declaration_ms: 1_000, ..pb::Clock::default() }),
            ..pb::CreateMatchRequest::default()
        };
        let id = site.guests.begin(visitor.request(request), &guest).await.unwrap();
        // The only turn to read is taken, and is not given back.
        let ((begin, is_reading), (finish, finished)) = (oneshot::channel(), mpsc::channel::<()>());
        let (reads, reader) = (site.reads.clone(), guest_visitor());
        let reading = tokio::spawn(async move {
            let read = move || (begin.send(()).is_ok(), finished.recv().is_ok());
            reads.run_slow_work(&reader.request(()), read).await
        });
        is_reading.await.unwrap();
        let fields = FormFields::parse(b"act=take&ply=0&take=2").unwrap();
        let applied = async {
            while arena.open_seat(&guest, id).unwrap().plies == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            biased;
            () = applied => {}
            acted = act_in_hand(&site, &visitor, player, id, &fields) => {
                acted.unwrap();
                assert_eq!(arena.open_seat(&guest, id).unwrap().plies, 1);
            }
            () = tokio::time::sleep(Duration::from_mins(1)) => panic!("the take waits for the reader"),
        }
        drop(finish);
        reading.await.unwrap().unwrap();
    }
}
