//! Actions of a player in a game.

use super::game::PlayerGame;
use super::game_page::game_form_response;
use super::player::Player;
use super::typed_row::read_row;
use crate::forms::FormFields;
use crate::page_refusal::with_reason;
use crate::response::{PageResponse, redirect_response};
use crate::site::Site;
use crate::visitor::Visitor;
use lastnim_arena::OpenSeat;
use lastnim_core::game::{MatchId, Position};
use lastnim_core::referee::SeatAction;
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb;
use lastnim_rpc::GameStatus;
use std::time::Duration;
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};

/// How long a response waits for the moves of other seats, since without scripts the page does not update itself.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// The maximum number of characters quoted in an error.
const MAX_QUOTED_CHARS: usize = 40;

/// Applies a form to a game and shows the result. The action is sent before anything is read, so it never waits for
/// readers.
pub(super) async fn act_in_game(
    site: &Site,
    visitor: &Visitor,
    player: Player,
    id: MatchId,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    if fields.value("act") == "again" {
        return play_again(site, visitor, player, id, fields).await;
    }
    let answer = redirect_response(&player.game_address(id));
    let Some(open) = player.open_seat(site, visitor, id)? else {
        // The game is over or belongs to another player; loading it shows which.
        return PlayerGame::load(site, visitor, player, id).await.map(|_| answer);
    };
    let action = match read_action(&open, fields) {
        Ok(GameAction::New(SeatAction::Take { ply, take, .. })) if ply < open.plies => {
            let game = PlayerGame::load(site, visitor, player.clone(), id).await?;
            match describe_past_ply(&game, ply, take) {
                Some(mistake) => return form_error_response(site, visitor, game, mistake, fields).await,
                None => GameAction::AlreadyMade { ply: Some(ply) },
            }
        }
        Ok(action) => action,
        Err(mistake) => {
            let game = PlayerGame::load(site, visitor, player, id).await?;
            return form_error_response(site, visitor, game, mistake, fields).await;
        }
    };
    let refusals = player.game_status(site, id)?.refusals;
    let is_answered = answer_check(&action, refusals);
    if let GameAction::New(action) = action {
        match player.act(site, visitor, id, action).await {
            Ok(()) => {}
            // The game has just ended.
            Err(status) if status.code() == Code::FailedPrecondition => return Ok(answer),
            // Another session has the seats.
            Err(status) if status.code() == Code::Aborted => {
                let game = PlayerGame::load(site, visitor, player, id).await?;
                let mistake = status.message().to_owned();
                let code = StatusCode::CONFLICT;
                return game_form_response(site, visitor, game, code, mistake, Some(fields)).await;
            }
            Err(status) => return Err(status),
        }
    }
    player.wait_for_status(site, id, ANSWER_TIMEOUT, is_answered).await?;
    Ok(answer)
}

/// Starts a guest's game again from one of its positions, with the same opponents. From any position but the first, the
/// rows of the old game are kept.
async fn play_again(
    site: &Site,
    visitor: &Visitor,
    player: Player,
    id: MatchId,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let game = PlayerGame::load(site, visitor, player, id).await?;
    let Player::Guest(guest) = &game.player else {
        return Err(Status::permission_denied("only a guest can play a game again"));
    };
    if !game.is_over() {
        return Err(Status::failed_precondition("this game is not over: finish or resign it first"));
    }
    let ply = read_number(fields, "ply").map_err(Status::invalid_argument)?;
    let position = game.replay.requested_position(u32::try_from(ply).unwrap_or(u32::MAX))?;
    let request = rematch_request(&game, &position, ply > 0);
    let id = site.guests.begin(visitor.request(request), guest).await?;
    Ok(redirect_response(&game.player.game_address(id)))
}

fn rematch_request(game: &PlayerGame, position: &Position, keeps_rows: bool) -> pb::CreateMatchRequest {
    let setup = &game.replay.setup;
    let mut bots = setup.bots.clone();
    // The guest has an empty name in a request.
    bots[game.seat].clear();
    let rows = || pb::AllianceMatrix { rows: game.replay.rows.clone() };
    let assigned = if keeps_rows { Some(rows()) } else { setup.assigned.clone() };
    pb::CreateMatchRequest {
        bots,
        piles: position.piles().filter(|&counters| counters > 0).collect(),
        first: position.to_move().index() as u32,
        ending: setup.ending,
        alliance: match &assigned {
            Some(_) => pb::AllianceMode::Given,
            None => pb::AllianceMode::Declared,
        }
        .into(),
        assigned,
        clock: setup.clock,
        max_plies: setup.max_plies,
        ..pb::CreateMatchRequest::default()
    }
}

/// Shows a game with an error in its form, or just the game if it is over.
async fn form_error_response(
    site: &Site,
    visitor: &Visitor,
    game: PlayerGame,
    mistake: String,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    if game.is_over() {
        return Ok(redirect_response(&game.player.game_address(game.id)));
    }
    let code = StatusCode::UNPROCESSABLE_ENTITY;
    let response = game_form_response(site, visitor, game, code, mistake, Some(fields)).await?;
    Ok(with_reason(response, "FORM_MISTAKE"))
}

/// An action of a player.
#[derive(Debug, Clone, PartialEq, Eq)]
enum GameAction {
    New(SeatAction),
    /// An action that was already made; for a take, its ply.
    AlreadyMade {
        ply: Option<u32>,
    },
}

/// Returns a function that checks whether an action has been answered; `refusals` is the number of refusals before it.
fn answer_check(action: &GameAction, refusals: u64) -> impl Fn(&GameStatus) -> bool + use<> {
    let (ply, awaits_rows) = match *action {
        GameAction::New(SeatAction::Take { ply, .. }) => (Some(ply), false),
        GameAction::New(SeatAction::Declare { .. }) => (None, true),
        GameAction::New(SeatAction::Resign | SeatAction::Say(_) | SeatAction::EndTalk { .. }) => {
            (None, false)
        }
        GameAction::AlreadyMade { ply } => (ply, ply.is_none()),
    };
    move |status| match ply {
        Some(ply) => status.has_answered(ply, refusals),
        None => status.is_over || status.refusals > refusals || (awaits_rows && status.is_revealed),
    }
}

/// Parses a form.
fn read_action(open: &OpenSeat, fields: &FormFields) -> Result<GameAction, String> {
    match fields.value("act") {
        "take" => {
            let ply = read_number(fields, "ply")?;
            let ply = u32::try_from(ply).map_err(|_| format!("ply {ply}: this game has no such ply"))?;
            Ok(GameAction::New(SeatAction::take(ply, read_number(fields, "take")?, None)))
        }
        // A repeated form counts once.
        "declare" if !(open.is_declaring && open.is_awaited) => Ok(GameAction::AlreadyMade { ply: None }),
        "declare" => {
            let offsets = read_row(fields, open.seat.index(), open.seats.get())?;
            Ok(GameAction::New(SeatAction::Declare { offsets, note_hash: Ok(None) }))
        }
        "resign" => Ok(GameAction::New(SeatAction::Resign)),
        other => Err(format!("act {:?}: expected take, declare or resign", shorten_text(other))),
    }
}

/// Describes the take at a past ply; `None` if the player made this same take.
fn describe_past_ply(game: &PlayerGame, ply: u32, take: u64) -> Option<String> {
    let made = &game.replay.take_at(ply)?.took;
    let is_same = made.seat as usize == game.seat && made.take == take;
    let name = || game.names.name(made.seat as usize);
    (!is_same).then(|| format!("take {} was already made: {} took {}", shown_number(ply), name(), made.take))
}

fn read_number(fields: &FormFields, name: &str) -> Result<u64, String> {
    let given = fields.value(name).trim();
    given.parse().map_err(|_| {
        format!("{name} {:?}: expected a whole number from 0 to {}", shorten_text(given), u64::MAX)
    })
}

fn shorten_text(text: &str) -> String {
    text.chars().take(MAX_QUOTED_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms::CookieSecret;
    use crate::pages::Pages;
    use crate::play::game_page::game_response;
    use crate::play::player::visitor_guest_name;
    use crate::testing::{forbid_slow_work, open_site};
    use crate::visitor_channel::VisitorChannel;
    use lastnim_arena::{Arena, Backend, Limits};
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

    /// Begins a game of a guest with one pile of 5, and returns it.
    async fn begin_game(arena: &Arena) -> (Site, Visitor, Player, MatchId) {
        arena.enrol_house_bot("timid".parse().unwrap(), "timid").await.unwrap();
        let (site, visitor) = (open_site(arena, 1), guest_visitor());
        let guest = visitor_guest_name(&visitor).unwrap();
        let request = pb::CreateMatchRequest {
            bots: vec![String::new(), "timid".into()],
            piles: vec![5],
            alliance: pb::AllianceMode::Standard.into(),
            clock: Some(pb::Clock { initial_ms: 3_600_000, declaration_ms: 1_000, ..pb::Clock::default() }),
            ..pb::CreateMatchRequest::default()
        };
        let id = site.guests.begin(visitor.request(request), &guest).await.unwrap();
        (site, visitor, Player::Guest(guest), id)
    }

    #[tokio::test]
    async fn slow_work_does_not_run_on_the_message_thread() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        let (site, visitor, player, id) = begin_game(&arena).await;
        // The test's own thread is the runtime's only one for messages.
        forbid_slow_work();
        let fields = FormFields::parse(b"act=take&ply=0&take=5").unwrap();
        Box::pin(act_in_game(&site, &visitor, player.clone(), id, &fields)).await.unwrap();
        while site.get_match(&visitor, id).await.unwrap().audit.is_none() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let game = PlayerGame::load(&site, &visitor, player, id).await.unwrap();
        assert!(game.is_over() && game.shown.audit.is_some());
        assert_eq!(game_response(&site, &visitor, game).await.unwrap().status(), StatusCode::OK);
        for path in [
            "/".to_owned(),
            format!("/matches/{id}"),
            format!("/matches/{id}.svg"),
            format!("/matches/{id}.png?ply=0"),
            format!("/embed/matches/{id}"),
            format!("/matches/{id}/what-if?ply=0&take=1"),
        ] {
            let body = tonic::body::Body::empty();
            let request = http::Request::builder().uri(&path).body(body).unwrap();
            let pages = Pages::new(site.clone());
            let shown = pages.respond(ClientAddress::UNKNOWN, VisitorChannel::Loopback, request).await;
            assert_eq!(shown.status(), StatusCode::OK, "{path}");
        }
    }

    #[tokio::test]
    async fn takes_never_wait_for_readers() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        let (site, visitor, player, id) = begin_game(&arena).await;
        let guest = visitor_guest_name(&visitor).unwrap();
        // The only slot for reads is taken and never freed.
        let ((begin, is_reading), (finish, finished)) = (oneshot::channel(), mpsc::channel::<()>());
        let (reads, reader) = (site.reads.clone(), guest_visitor());
        let reading = tokio::spawn(async move {
            let slow_read = move || (begin.send(()).is_ok(), finished.recv().is_ok());
            reads.run_slow_work(&reader.request(()), slow_read).await
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
            acted = act_in_game(&site, &visitor, player, id, &fields) => {
                acted.unwrap();
                assert_eq!(arena.open_seat(&guest, id).unwrap().plies, 1);
            }
            () = tokio::time::sleep(Duration::from_mins(1)) => panic!("the take waits for a reader"),
        }
        drop(finish);
        reading.await.unwrap().unwrap();
    }
}
