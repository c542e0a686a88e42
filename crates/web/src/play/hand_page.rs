//! The page on which a hand is played.

use super::clock_words::clock_words;
use super::hand::Hand;
use super::player::Player;
use super::typed_hand::TypedHand;
use super::typed_row::wish_field;
use super::verdict::{Verdict, judge_hand};
use crate::address::{BotPlayAddress, OracleView, PageAddress};
use crate::board::{LastTake, draw_board};
use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::replay::ReplayedTake;
use crate::response::{PageResponse, private_response};
use crate::seat_mark::SeatMark;
use crate::visitor::Visitor;
use askama::Template;
use lastnim_core::game::{Ending, Position};
use lastnim_report::words::{count_words, enum_phrase};
use tonic::Status;
use tonic::codegen::http::StatusCode;

/// Counters that are buttons; of a higher pile the number is typed.
const MAX_BUTTONS: u64 = 40;
/// Takes that are listed, the newest.
const MAX_TAKES: usize = 40;

/// The page on which a hand is played.
#[derive(Debug, Template)]
#[template(path = "play/hand.html")]
struct HandContent {
    form_token: FormToken,
    address: String,
    /// Where everybody may look at the match.
    watched_at: String,
    revision: u64,
    is_over: bool,
    /// Whether the page is to follow what happens.
    is_followed: bool,
    /// Where the other matches are that are played by hand; empty for a guest.
    list_address: String,
    /// How it stands.
    state: String,
    /// What is to be known besides, a sentence each.
    notes: Vec<String>,
    /// The time that is left to whom the match waits for.
    clock: Option<RunningClock>,
    /// Why what was done last did not count.
    mistake: String,
    board: String,
    /// The form that is to be filled in now.
    turn: Turn,
    seats: Vec<SeatLine>,
    takes: Vec<String>,
    can_resign: bool,
    verdict: Option<Verdict>,
    /// The fields of a hand like this one; empty where it is not for the player to begin one.
    again: Vec<(String, String)>,
}

/// A clock that runs.
#[derive(Debug)]
struct RunningClock {
    left_ms: u128,
    words: String,
    is_own: bool,
}

/// What the player is to do.
#[derive(Debug)]
enum Turn {
    /// To say whom it would rather see win.
    Declare { wishes: Vec<Wish> },
    /// To take counters at a ply.
    Take { ply: u32, counters: u64, buttons: Vec<u64> },
    /// To wait.
    Wait,
    /// To take the seats again, which another session has.
    TakeSeats,
    /// Nothing any more.
    Over,
}

/// A place in the row of the player, and the seats that can be chosen for it.
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

/// A seat in the list.
#[derive(Debug)]
struct SeatLine {
    seat: usize,
    mark: String,
    name: String,
    state: String,
    is_to_move: bool,
    wanted: Vec<(usize, String)>,
}

/// Shows a hand.
pub(super) fn hand_response(visitor: &Visitor, hand: &Hand) -> Result<PageResponse, Status> {
    mistaken_hand_response(visitor, hand, StatusCode::OK, String::new(), None)
}

/// Shows a hand, with what is wrong with what was typed; `typed` is the form.
pub(super) fn mistaken_hand_response(
    visitor: &Visitor,
    hand: &Hand,
    status: StatusCode,
    mistake: String,
    typed: Option<&FormFields>,
) -> Result<PageResponse, Status> {
    let form_token = visitor.form_token()?;
    let content = HandContent::of_hand(hand, form_token, mistake, typed)?;
    let title = if hand.is_over() { "Your hand is over" } else { "Your hand" };
    Ok(private_response(visitor, status, Page::of_template(title, &content)))
}

impl HandContent {
    fn of_hand(
        hand: &Hand,
        form_token: FormToken,
        mistake: String,
        typed: Option<&FormFields>,
    ) -> Result<Self, Status> {
        let plies = hand.replay.plies();
        let broken = || Status::data_loss("the record has a take that the rules do not allow");
        let position = hand.replay.position_after(plies).ok_or_else(broken)?;
        let last = plies.checked_sub(1).and_then(|before| {
            let take = hand.replay.take_at(before)?;
            Some(LastTake { pile: take.pile, counters: take.took.take })
        });
        let (is_over, is_lost) = (hand.is_over(), hand.lost_seat().is_some());
        let audit = hand.shown.audit.as_ref();
        let oracle = if audit.is_some() { OracleView::Shown } else { OracleView::Hidden };
        let clock = hand.open_seat.and_then(|open| {
            let (left, is_own) = (open.left?, open.is_awaited && !is_lost);
            Some(RunningClock { left_ms: left.as_millis(), words: clock_words(left), is_own })
        });
        Ok(Self {
            form_token,
            address: hand.player.hand_address(hand.id).to_string(),
            watched_at: PageAddress::Match { id: hand.id, ply: None, oracle }.to_string(),
            revision: hand.status.revision,
            is_over,
            is_followed: !is_over && hand.has_session,
            list_address: match hand.player {
                Player::Guest(_) => String::new(),
                Player::Bot(_) => BotPlayAddress::Seats { since: None }.to_string(),
            },
            state: state_words(hand, &position),
            notes: note_words(hand),
            clock: clock.filter(|_| !is_over),
            mistake: if mistake.is_empty() { refusal_words(hand) } else { mistake },
            board: draw_board(&position, last, &hand.replay.setup.piles).svg,
            turn: turn_of_hand(hand, &position, typed),
            seats: seat_lines(hand, &position),
            takes: take_lines(hand),
            can_resign: !is_over && !is_lost && hand.has_session,
            verdict: audit.map(|audit| judge_hand(hand.id, audit, hand.seat, &hand.names)),
            again: match hand.player {
                Player::Guest(_) => TypedHand::of_setup(&hand.replay.setup, hand.seat).to_fields(),
                Player::Bot(_) => Vec::new(),
            },
        })
    }
}

/// Says how a hand stands.
fn state_words(hand: &Hand, position: &Position) -> String {
    if let Some(end) = &hand.replay.end {
        return match end.winner.map(|winner| winner as usize) {
            Some(winner) if winner == hand.seat && hand.lost_seat().is_some() => {
                "Your seat won, which the steward played.".to_owned()
            }
            Some(winner) if winner == hand.seat => "You won.".to_owned(),
            Some(winner) => format!("{} won.", hand.names.subject(winner)),
            None => "The hand was ended without a winner.".to_owned(),
        };
    }
    match (hand.is_declaring(), hand.is_awaited()) {
        (true, true) => "Say whom you would like to see win.".to_owned(),
        (true, false) => "The others say whom they would like to see win.".to_owned(),
        (false, true) => format!("Your move: take from the pile of {}.", position.counters()),
        (false, false) => match position.to_move().index() {
            seat if seat != hand.seat => format!("{} is to move.", hand.names.subject(seat)),
            _ if hand.lost_seat().is_some() => "The steward is to move for you.".to_owned(),
            // It has moved on since the record was read.
            _ => "The hand goes on.".to_owned(),
        },
    }
}

/// Says what is to be known besides.
fn note_words(hand: &Hand) -> Vec<String> {
    let setup = &hand.replay.setup;
    let mut notes = Vec::new();
    if let Some(reason) = hand.lost_seat() {
        let reason = enum_phrase(reason.as_str_name(), "FORFEIT_REASON_");
        notes.push(format!("You lost your seat ({reason}): the steward, who plays optimally, moves for it."));
    }
    let wins = match setup.ending.try_into().unwrap_or_default() {
        lastnim_proto::pb::Ending::LastMoverWins => Ending::LastMoverWins,
        _ => Ending::ToMoveWins,
    };
    notes.push(match wins {
        Ending::ToMoveWins => "When no counter is left, the seat that would be to move wins.".to_owned(),
        Ending::LastMoverWins => "Whoever takes the last counter wins.".to_owned(),
    });
    if hand.strikes > 0 && !hand.is_over() {
        let strikes = count_words(hand.strikes, "strike", "strikes");
        notes.push(format!("You have {strikes}; with {} your seat is lost.", setup.strikes));
    }
    notes
}

/// Says why what a player did last did not count; nothing if it did.
fn refusal_words(hand: &Hand) -> String {
    if !hand.has_session && !hand.is_over() {
        return format!("Another session has the seats of {}. Take them again to go on.", hand.player.name());
    }
    let Some(refusal) = hand.status.refusal.as_ref().filter(|_| !hand.is_over()) else {
        return String::new();
    };
    format!("That did not count: {}.", refusal.message)
}

fn turn_of_hand(hand: &Hand, position: &Position, typed: Option<&FormFields>) -> Turn {
    if hand.is_over() {
        return Turn::Over;
    }
    if !hand.has_session {
        return Turn::TakeSeats;
    }
    if !hand.is_awaited() {
        return Turn::Wait;
    }
    if hand.is_declaring() {
        return Turn::Declare { wishes: wishes(hand, typed) };
    }
    let counters = position.counters();
    let buttons = if counters <= MAX_BUTTONS { (1..=counters).rev().collect() } else { Vec::new() };
    Turn::Take { ply: hand.replay.plies(), counters, buttons }
}

fn wishes(hand: &Hand, typed: Option<&FormFields>) -> Vec<Wish> {
    let seats = hand.replay.setup.bots.len();
    let wish = |wish: usize| {
        let field = wish_field(wish);
        let usual = ((hand.seat + wish) % seats).to_string();
        let chosen = typed.map_or(usual.as_str(), |typed| typed.value(&field));
        let choice = |seat: usize| {
            let is_chosen = seat.to_string() == chosen;
            WishChoice { seat, words: format!("seat {seat}: {}", hand.names.object(seat)), is_chosen }
        };
        let label = match wish {
            0 => "Most of all".to_owned(),
            last if last + 1 == seats => "Least of all".to_owned(),
            place => format!("Place {}", place + 1),
        };
        Wish { choices: (0..seats).map(choice).collect(), field, label }
    };
    (0..seats).map(wish).collect()
}

fn seat_lines(hand: &Hand, position: &Position) -> Vec<SeatLine> {
    let to_move = (!hand.is_over() && !hand.is_declaring()).then(|| position.to_move().index());
    let winner = hand.replay.end.as_ref().and_then(|end| end.winner);
    let line = |seat: usize| {
        let lost = hand.replay.forfeits.iter().find(|(_, lost)| lost.seat as usize == seat);
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
        let wanted = hand.replay.wanted_winners(seat).unwrap_or_default();
        SeatLine {
            seat,
            mark: SeatMark::beside_number(seat),
            name: hand.names.object(seat).to_owned(),
            state: states.join("; "),
            is_to_move: to_move == Some(seat),
            wanted: wanted.into_iter().map(|other| (other, SeatMark::beside_number(other))).collect(),
        }
    };
    (0..hand.replay.setup.bots.len()).map(line).collect()
}

/// Lists the newest takes, the last one first.
fn take_lines(hand: &Hand) -> Vec<String> {
    let line = |take: &ReplayedTake| {
        let (took, counters) = (&take.took, take.counters);
        let seat = took.seat as usize;
        if took.steward {
            format!("the steward took {} of {counters} for {}", took.take, hand.names.object(seat))
        } else {
            format!("{} took {} of {counters}", hand.names.subject(seat), took.take)
        }
    };
    hand.replay.newest_takes().take(MAX_TAKES).map(line).collect()
}
