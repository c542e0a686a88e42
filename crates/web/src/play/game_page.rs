//! The page of a game.

use super::clock_words::clock_words;
use super::game::PlayedGame;
use super::player::Player;
use super::typed_game::TypedGame;
use super::typed_row::wish_field;
use super::verdict::{Verdict, judge_game};
use crate::address::{BotPlayAddress, PageAddress};
use crate::board::{LastTake, draw_board};
use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::replay::ReplayedTake;
use crate::response::{PageResponse, private_response};
use crate::seat_sign::seat_sign;
use crate::visitor::Visitor;
use askama::Template;
use lastnim_core::game::{Ending, Position};
use lastnim_proto::pb;
use lastnim_report::words::{count_words, enum_phrase};
use tonic::Status;
use tonic::codegen::http::StatusCode;

/// The maximum number of counters that are shown as buttons; for higher piles, the player types the number.
const MAX_BUTTONS: u64 = 40;
/// The number of newest takes that are listed.
const MAX_TAKES: usize = 40;

/// The page of a game.
#[derive(Debug, Template)]
#[template(path = "play/game.html")]
struct GameContent {
    form_token: FormToken,
    address: String,
    /// Where anyone can watch the match.
    watched_at: String,
    revision: u64,
    is_over: bool,
    /// Whether the page updates itself.
    is_followed: bool,
    /// The list of the bot's other matches; empty for a guest.
    list_address: String,
    /// The state in one sentence.
    state: String,
    /// Further notes, one sentence each.
    notes: Vec<String>,
    /// The clock of the seat to move.
    clock: Option<RunningClock>,
    /// The error in the last action; may be empty.
    mistake: String,
    board: String,
    /// The form for the player's turn.
    turn: Turn,
    seats: Vec<SeatLine>,
    takes: Vec<String>,
    can_resign: bool,
    verdict: Option<Verdict>,
    /// The fields that start the same game again; empty if the player cannot.
    again: Vec<(String, String)>,
}

#[derive(Debug)]
struct RunningClock {
    left_ms: u128,
    words: String,
    is_own: bool,
}

/// What the player can do.
#[derive(Debug)]
enum Turn {
    /// Declare a row.
    Declare {
        wishes: Vec<Wish>,
    },
    /// Take counters at a ply.
    Take {
        ply: u32,
        counters: u64,
        buttons: Vec<u64>,
    },
    Wait,
    /// Take the seats back from another session.
    TakeSeats,
    /// Nothing; the game is over.
    Over,
}

/// A place in the player's row, and the seats to choose from.
#[derive(Debug)]
struct Wish {
    field: String,
    label: String,
    choices: Vec<WishChoice>,
}

#[derive(Debug)]
struct WishChoice {
    seat: usize,
    words: String,
    is_chosen: bool,
}

#[derive(Debug)]
struct SeatLine {
    seat: usize,
    mark: String,
    name: String,
    state: String,
    is_to_move: bool,
    wanted: Vec<(usize, String)>,
}

pub(super) fn game_response(visitor: &Visitor, game: &PlayedGame) -> Result<PageResponse, Status> {
    mistaken_game_response(visitor, game, StatusCode::OK, String::new(), None)
}

/// Shows a game with an error; `typed` is the form.
pub(super) fn mistaken_game_response(
    visitor: &Visitor,
    game: &PlayedGame,
    status: StatusCode,
    mistake: String,
    typed: Option<&FormFields>,
) -> Result<PageResponse, Status> {
    let form_token = visitor.form_token()?;
    let content = GameContent::of_game(game, form_token, mistake, typed)?;
    let title = if game.is_over() { "Your game is over" } else { "Your game" };
    Ok(private_response(visitor, status, Page::of_template(title, &content)))
}

impl GameContent {
    fn of_game(
        game: &PlayedGame,
        form_token: FormToken,
        mistake: String,
        typed: Option<&FormFields>,
    ) -> Result<Self, Status> {
        let plies = game.replay.plies();
        let broken = || Status::data_loss("the record has an illegal take");
        let position = game.replay.position_after(plies).ok_or_else(broken)?;
        let last = plies.checked_sub(1).and_then(|before| {
            let take = game.replay.take_at(before)?;
            Some(LastTake { pile: take.pile, counters: take.took.take })
        });
        let (is_over, is_lost) = (game.is_over(), game.lost_seat().is_some());
        let audit = game.shown.audit.as_ref();
        let clock = game.open_seat.and_then(|open| {
            let (left, is_own) = (open.left?, open.is_awaited && !is_lost);
            Some(RunningClock { left_ms: left.as_millis(), words: clock_words(left), is_own })
        });
        Ok(Self {
            form_token,
            address: game.player.game_address(game.id).to_string(),
            watched_at: PageAddress::Match { id: game.id, ply: None }.to_string(),
            revision: game.status.revision,
            is_over,
            is_followed: !is_over && game.has_session,
            list_address: match game.player {
                Player::Guest(_) => String::new(),
                Player::Bot(_) => BotPlayAddress::Seats { since: None }.to_string(),
            },
            state: state_words(game, &position),
            notes: note_words(game),
            clock: clock.filter(|_| !is_over),
            mistake: if mistake.is_empty() { refusal_words(game) } else { mistake },
            board: draw_board(&position, last, &game.replay.setup.piles).svg,
            turn: turn_of_game(game, &position, typed),
            seats: seat_lines(game, &position),
            takes: take_lines(game),
            can_resign: !is_over && !is_lost && game.has_session,
            verdict: audit.map(|audit| judge_game(game.id, audit, game.seat, &game.names)),
            again: match game.player {
                Player::Guest(_) => TypedGame::of_setup(&game.replay.setup, game.seat).to_fields(),
                Player::Bot(_) => Vec::new(),
            },
        })
    }
}

/// Describes the state of a game.
fn state_words(game: &PlayedGame, position: &Position) -> String {
    if let Some(end) = &game.replay.end {
        return match end.winner.map(|winner| winner as usize) {
            Some(winner) if winner == game.seat && game.lost_seat().is_some() => {
                "Your seat won, played by the steward.".to_owned()
            }
            Some(winner) if winner == game.seat => "You won.".to_owned(),
            Some(winner) => format!("{} won.", game.names.subject(winner)),
            // Outside of tournaments, a match is cancelled only if it is a guest's and its place was needed.
            None if game.is_guests() && end.reason() == pb::EndReason::Cancelled => {
                "The server ended this game to make room for another guest, because it was waiting for you."
                    .to_owned()
            }
            None => "The game ended without a winner.".to_owned(),
        };
    }
    match (game.is_declaring(), game.is_awaited()) {
        (true, true) => {
            "Declare your preference order (row): whom you would most like to see win, first.".to_owned()
        }
        (true, false) => "The others are declaring their preference orders.".to_owned(),
        (false, true) => format!("Your move: take from the pile of {}.", position.counters()),
        (false, false) => match position.to_move().index() {
            seat if seat != game.seat => format!("{} is to move.", game.names.subject(seat)),
            _ if game.lost_seat().is_some() => "The steward is to move for you.".to_owned(),
            // The session is already past the end of the record.
            _ => "The game continues.".to_owned(),
        },
    }
}

/// Returns further notes.
fn note_words(game: &PlayedGame) -> Vec<String> {
    let setup = &game.replay.setup;
    let mut notes = Vec::new();
    if let Some(reason) = game.lost_seat() {
        let reason = enum_phrase(reason.as_str_name(), "FORFEIT_REASON_");
        notes.push(format!(
            "You lost your seat ({reason}): the steward, which plays optimally, moves for it."
        ));
    }
    let wins = match setup.ending.try_into().unwrap_or_default() {
        pb::Ending::LastMoverWins => Ending::LastMoverWins,
        _ => Ending::ToMoveWins,
    };
    notes.push(match wins {
        Ending::ToMoveWins => "When no counter is left, the seat to move wins.".to_owned(),
        Ending::LastMoverWins => "Whoever takes the last counter wins.".to_owned(),
    });
    if game.strikes > 0 && !game.is_over() {
        let strikes = count_words(game.strikes, "strike", "strikes");
        notes.push(format!("You have {strikes}; {} cost you the seat.", setup.strikes));
    }
    notes
}

/// Returns why the last action failed; may be empty.
fn refusal_words(game: &PlayedGame) -> String {
    if !game.has_session && !game.is_over() {
        return format!("Another session has {}'s seats. Take them back to continue.", game.player.name());
    }
    let Some(refusal) = game.status.refusal.as_ref().filter(|_| !game.is_over()) else {
        return String::new();
    };
    format!("Your move was not accepted: {}.", refusal.message)
}

fn turn_of_game(game: &PlayedGame, position: &Position, typed: Option<&FormFields>) -> Turn {
    if game.is_over() {
        return Turn::Over;
    }
    if !game.has_session {
        return Turn::TakeSeats;
    }
    if !game.is_awaited() {
        return Turn::Wait;
    }
    if game.is_declaring() {
        return Turn::Declare { wishes: wishes(game, typed) };
    }
    let counters = position.counters();
    let buttons = if counters <= MAX_BUTTONS { (1..=counters).rev().collect() } else { Vec::new() };
    Turn::Take { ply: game.replay.plies(), counters, buttons }
}

fn wishes(game: &PlayedGame, typed: Option<&FormFields>) -> Vec<Wish> {
    let seats = game.replay.setup.bots.len();
    let wish = |wish: usize| {
        let field = wish_field(wish);
        let usual = ((game.seat + wish) % seats).to_string();
        let chosen = typed.map_or(usual.as_str(), |typed| typed.value(&field));
        let choice = |seat: usize| {
            let is_chosen = seat.to_string() == chosen;
            WishChoice { seat, words: format!("seat {seat}: {}", game.names.object(seat)), is_chosen }
        };
        let label = match wish {
            0 => "First choice".to_owned(),
            last if last + 1 == seats => "Last choice".to_owned(),
            place => format!("Place {}", place + 1),
        };
        Wish { choices: (0..seats).map(choice).collect(), field, label }
    };
    (0..seats).map(wish).collect()
}

fn seat_lines(game: &PlayedGame, position: &Position) -> Vec<SeatLine> {
    let to_move = (!game.is_over() && !game.is_declaring()).then(|| position.to_move().index());
    let winner = game.replay.end.as_ref().and_then(|end| end.winner);
    let line = |seat: usize| {
        let lost = game.replay.forfeits.iter().find(|(_, lost)| lost.seat as usize == seat);
        let mut states = Vec::new();
        if winner == Some(seat as u32) {
            states.push("won".to_owned());
        } else if to_move == Some(seat) {
            states.push("to move".to_owned());
        }
        if let Some((_, lost)) = lost {
            let reason = enum_phrase(lost.reason().as_str_name(), "FORFEIT_REASON_");
            states.push(format!("forfeited: {reason}; the steward plays"));
        }
        let wanted = game.replay.wanted_winners(seat).unwrap_or_default();
        SeatLine {
            seat,
            mark: seat_sign(seat),
            name: game.names.object(seat).to_owned(),
            state: states.join("; "),
            is_to_move: to_move == Some(seat),
            wanted: wanted.into_iter().map(|other| (other, seat_sign(other))).collect(),
        }
    };
    (0..game.replay.setup.bots.len()).map(line).collect()
}

/// Lists the newest takes, the last one first.
fn take_lines(game: &PlayedGame) -> Vec<String> {
    let line = |take: &ReplayedTake| {
        let (took, counters) = (&take.took, take.counters);
        let seat = took.seat as usize;
        if took.steward {
            format!("the steward took {} of {counters} for {}", took.take, game.names.object(seat))
        } else {
            format!("{} took {} of {counters}", game.names.subject(seat), took.take)
        }
    };
    game.replay.newest_takes().take(MAX_TAKES).map(line).collect()
}
