//! The page of a game.

use super::game::PlayerGame;
use super::player::Player;
use super::typed_row::{ROW_FIELD, wish_field};
use super::verdict::{JudgedGame, Verdict};
use crate::address::{BotPlayAddress, PageAddress};
use crate::forms::{FormFields, FormToken};
use crate::match_page::{Conversation, MatchAtPly, Sentence, open_round};
use crate::page::Page;
use crate::replay::ReplayedTake;
use crate::response::{PageResponse, private_response};
use crate::site::Site;
use crate::visitor::Visitor;
use askama::Template;
use lastnim_core::game::{Ending, Position};
use lastnim_proto::pb;
use lastnim_report::winner_words::ending_rule;
use lastnim_report::words::{count_with_noun, join_items};
use tonic::Status;
use tonic::codegen::http::StatusCode;

/// In a pile with more counters than this, not all are drawn, and the player types how many to take.
const MAX_DRAWN_COUNTERS: u64 = 20;
/// The maximum number of piles, and of counters in each, that leaves room for large counters.
const ROOMY_PILES: usize = 6;
const ROOMY_COUNTERS: u64 = 10;
/// The maximum number of seats for which all rows are listed.
const MAX_LISTED_SEATS: usize = 3;
/// The maximum number of takes listed: the newest ones.
const MAX_LISTED_TAKES: usize = 6;

/// The page of a game.
#[derive(Debug, Template)]
#[template(path = "play/game.html")]
struct GameContent {
    form_token: FormToken,
    address: String,
    /// The address where anyone can watch the match.
    watched_at: String,
    revision: u64,
    /// The number of takes.
    plies: u32,
    /// Whether the page updates itself.
    is_followed: bool,
    /// Whether the player is a guest, who can play again.
    is_guest_game: bool,
    /// The list of the bot's other matches; empty for a guest.
    list_address: String,
    /// Further notes, one sentence each.
    notes: Vec<String>,
    /// The error in the last action; may be empty.
    mistake: String,
    seat_count: usize,
    /// The class of a board with room for large counters; otherwise empty.
    room: &'static str,
    seats_html: String,
    board_html: String,
    /// The form for the player's turn.
    turn: Turn,
    /// What the seats said to each other; empty if they do not talk.
    talk_html: String,
    /// The player's last take and the later ones, as HTML.
    told: Vec<String>,
    can_resign: bool,
    verdict: Option<Verdict>,
}

/// What the player can do.
#[derive(Debug)]
enum Turn {
    /// Declare a row: choose one of `rows`, or a seat for each place.
    Declare {
        intro: String,
        rows: Vec<RowChoice>,
        wishes: Vec<Wish>,
    },
    /// Take counters at a ply.
    Take {
        ply: u32,
        counters: u64,
    },
    Wait,
    /// Take the seats back from another session.
    TakeSeats,
    /// Nothing; the game is over.
    Over,
}

impl Turn {
    fn is_over(&self) -> bool {
        matches!(self, Self::Over)
    }
}

/// A row to choose.
#[derive(Debug)]
struct RowChoice {
    value: String,
    html: String,
    is_chosen: bool,
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
    name: String,
    is_chosen: bool,
}

pub(super) async fn game_response(
    site: &Site,
    visitor: &Visitor,
    game: PlayerGame,
) -> Result<PageResponse, Status> {
    game_form_response(site, visitor, game, StatusCode::OK, String::new(), None).await
}

/// Shows a game with an error; `typed` is the form.
pub(super) async fn game_form_response(
    site: &Site,
    visitor: &Visitor,
    game: PlayerGame,
    status: StatusCode,
    mistake: String,
    typed: Option<&FormFields>,
) -> Result<PageResponse, Status> {
    let (player, typed) = (visitor.clone(), typed.cloned());
    // The verdict on a game that is over takes long.
    let draw = move || draw_response(&player, &game, status, mistake, typed.as_ref());
    site.run_slow_work(visitor, draw).await?
}

fn draw_response(
    visitor: &Visitor,
    game: &PlayerGame,
    status: StatusCode,
    mistake: String,
    typed: Option<&FormFields>,
) -> Result<PageResponse, Status> {
    let form_token = visitor.form_token()?;
    let broken_record = || Status::data_loss("the record of this match has an illegal take");
    let position = game.replay.position_after(game.replay.ply_count()).ok_or_else(broken_record)?;
    let content = GameContent::of_game(game, &position, form_token, mistake, typed)?;
    let headline = game_headline(game, &position);
    let summary = format!("A game of Last Nim: {}", game.replay.setup.bots.join(", "));
    let page = Page::of_template(headline.plain(&game.names), summary, &content);
    Ok(private_response(visitor, status, page.with_heading(headline.html(&game.names))))
}

impl GameContent {
    fn of_game(
        game: &PlayerGame,
        position: &Position,
        form_token: FormToken,
        mistake: String,
        typed: Option<&FormFields>,
    ) -> Result<Self, Status> {
        let (id, replay, plies) = (game.id, &game.replay, game.replay.ply_count());
        let turn = player_turn(game, position, typed);
        let is_taking = matches!(turn, Turn::Take { .. });
        let (is_over, is_lost) = (game.is_over(), game.forfeit_reason().is_some());
        let table = MatchAtPly { id, shown: &game.shown, replay, words: None, ply: plies };
        let (seats_html, board_html) = table.played_html(&game.names, is_taking)?;
        let (names, piles) = (&game.names, &replay.setup.piles);
        let is_roomy = piles.len() <= ROOMY_PILES && piles.iter().all(|&pile| pile <= ROOMY_COUNTERS);
        let judged = |audit| JudgedGame { id, replay, audit, seat: game.seat, names }.verdict();
        Ok(Self {
            form_token,
            address: game.player.game_address(id).to_string(),
            watched_at: PageAddress::Match { id, ply: None }.to_string(),
            revision: game.status.revision,
            plies,
            is_followed: !is_over && game.has_session,
            is_guest_game: game.is_guest_game(),
            list_address: match game.player {
                Player::Guest(_) => String::new(),
                Player::Bot(_) => BotPlayAddress::Seats { since: None }.to_string(),
            },
            notes: game_notes(game),
            mistake: if mistake.is_empty() { refusal_notice(game) } else { mistake },
            seat_count: names.count(),
            room: if is_roomy { " roomy" } else { "" },
            seats_html,
            board_html,
            turn,
            talk_html: Conversation { replay, seats: names }.html(),
            told: if is_over { Vec::new() } else { recent_takes(game) },
            can_resign: !is_over && !is_lost && game.has_session,
            verdict: game.shown.audit.as_ref().map(judged),
        })
    }
}

/// Says how a game stands.
fn game_headline(game: &PlayerGame, position: &Position) -> Sentence {
    if let Some(end) = &game.replay.end {
        return match end.winner.map(|winner| winner as usize) {
            Some(winner) if winner == game.seat && game.forfeit_reason().is_some() => {
                Sentence::of("Your seat won, played by the steward")
            }
            Some(winner) if winner == game.seat => Sentence::of("You won"),
            Some(winner) => Sentence::of("You lost to ").seat(winner),
            // Outside of tournaments, a match is cancelled only if it is a guest's, to make room for another guest.
            None if game.is_guest_game() && end.reason() == pb::EndReason::Cancelled => Sentence::of(
                "The server ended this game, which was waiting for you, to make room for another guest",
            ),
            None => Sentence::of("The game ended without a winner"),
        };
    }
    match (game.is_declaring(), game.is_awaited()) {
        (true, true) => Sentence::of("Whom would you like to see win?"),
        (true, false) => Sentence::of("The others are saying whom they want to see win"),
        (false, true) if position.counters() == 1 => {
            Sentence::of("Your turn: take the last counter of the pile")
        }
        (false, true) => Sentence::of(format!("Your turn: take 1 to {}", position.counters())),
        (false, false) => match position.to_move().index() {
            seat if seat != game.seat => Sentence::default().seat(seat).text(" is to move"),
            _ if game.forfeit_reason().is_some() => Sentence::of("The steward moves for you"),
            // The session already has events that the record does not show yet.
            _ => Sentence::of("The game continues"),
        },
    }
}

fn ending_text(setup: &pb::MatchSetup) -> &'static str {
    ending_rule(match setup.ending() {
        pb::Ending::LastMoverWins => Ending::LastMoverWins,
        _ => Ending::ToMoveWins,
    })
}

/// Returns further notes.
fn game_notes(game: &PlayerGame) -> Vec<String> {
    let setup = &game.replay.setup;
    let mut notes = Vec::new();
    if let Some(reason) = game.forfeit_reason() {
        let why = lost_seat_reason_text(reason);
        notes.push(format!("You lost your seat: {why}. The steward, which plays optimally, moves for it."));
    }
    if let Some(round) = open_round(&game.replay) {
        notes.push(format!(
            "The seats are talking in round {round}. You cannot talk on this page, and it does not show private messages to you. You can wait for what the others say to everyone, or choose at once."
        ));
    }
    if !game.is_over() && !game.is_declaring() {
        notes.push(ending_text(setup).to_owned());
    }
    if game.strikes > 0 && !game.is_over() {
        let strikes = count_with_noun(game.strikes, "strike", "strikes");
        notes.push(format!("You have {strikes}; you lose the seat when you have {}.", setup.strikes));
    }
    notes
}

/// Says why the player lost the seat.
fn lost_seat_reason_text(reason: pb::ForfeitReason) -> &'static str {
    match reason {
        pb::ForfeitReason::Unspecified => "it was forfeited",
        pb::ForfeitReason::TimedOut => "your time ran out",
        pb::ForfeitReason::Disconnected => "your time ran out while you were not connected",
        pb::ForfeitReason::NoShow => "you never connected",
        pb::ForfeitReason::Strikes => "you had too many strikes",
        pb::ForfeitReason::Resigned => "you resigned",
        pb::ForfeitReason::Disqualified => "the organiser disqualified you",
    }
}

/// Returns why the last action failed; may be empty.
fn refusal_notice(game: &PlayerGame) -> String {
    if !game.has_session && !game.is_over() {
        return format!("Another session has {}'s seats. Take them back to continue.", game.player.name());
    }
    let Some(refusal) = game.status.refusal.as_ref().filter(|_| !game.is_over()) else {
        return String::new();
    };
    format!("Your move was not accepted: {}.", refusal.message)
}

fn player_turn(game: &PlayerGame, position: &Position, typed: Option<&FormFields>) -> Turn {
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
        let seats = game.names.count();
        let others = (0..seats).filter(|&seat| seat != game.seat);
        let mut intro = Sentence::of("The seats are ").seat(game.seat);
        for (index, seat) in others.enumerate() {
            let before = if index + 2 == seats { " and " } else { ", " };
            intro = intro.text(before).seat(seat);
        }
        let intro = intro.text(format!(
            ". Choose the order in which you want the seats to win, your first choice first. All seats do this at the same time, and see what the others want before the first take. {}",
            ending_text(&game.replay.setup)
        ));
        let intro = intro.html(&game.names);
        return if seats <= MAX_LISTED_SEATS {
            Turn::Declare { intro, rows: row_choices(game, typed), wishes: Vec::new() }
        } else {
            Turn::Declare { intro, rows: Vec::new(), wishes: row_wishes(game, typed) }
        };
    }
    Turn::Take { ply: game.replay.ply_count(), counters: position.counters() }
}

/// Lists all rows for a game with few seats, the standard row first.
fn row_choices(game: &PlayerGame, typed: Option<&FormFields>) -> Vec<RowChoice> {
    let seats = game.names.count();
    let mut rows = vec![Vec::new()];
    for _ in 0..seats {
        let longer = |row: &Vec<usize>| {
            let (row, own) = (row.clone(), game.seat);
            let rest = (0..seats).map(move |offset| (own + offset) % seats).filter({
                let row = row.clone();
                move |seat| !row.contains(seat)
            });
            rest.map(move |seat| [row.as_slice(), &[seat]].concat()).collect::<Vec<_>>()
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    let chosen = typed.and_then(|typed| typed.find(ROW_FIELD));
    let choice = |(index, row): (usize, Vec<usize>)| {
        let value = join_items(&row, " ");
        let mut sentence = Sentence::default();
        for (place, &seat) in row.iter().enumerate() {
            sentence = if place > 0 { sentence.text(" › ").seat(seat) } else { sentence.seat(seat) };
        }
        let is_chosen = chosen.map_or(index == 0, |chosen| chosen == value);
        RowChoice { html: sentence.html(&game.names), value, is_chosen }
    };
    rows.into_iter().enumerate().map(choice).collect()
}

fn row_wishes(game: &PlayerGame, typed: Option<&FormFields>) -> Vec<Wish> {
    let seats = game.replay.setup.bots.len();
    let wish = |wish: usize| {
        let field = wish_field(wish);
        let usual = ((game.seat + wish) % seats).to_string();
        let chosen = typed.map_or(usual.as_str(), |typed| typed.value(&field));
        let choice = |seat: usize| {
            let is_chosen = seat.to_string() == chosen;
            WishChoice { seat, name: game.names.name(seat).to_owned(), is_chosen }
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

/// Describes the takes from the player's last one on, the oldest first, as HTML.
fn recent_takes(game: &PlayerGame) -> Vec<String> {
    let tell = |take: &ReplayedTake| {
        let (took, counters) = (&take.took, take.counters);
        let seat = took.seat as usize;
        let said = if took.steward {
            Sentence::of("The steward, for ").seat(seat).text(", took ")
        } else {
            Sentence::default().seat(seat).text(" took ")
        };
        let said = said.strong(format!("{} of {counters}", took.take));
        said.text(if took.take == counters { ": the pile is gone." } else { "." }).html(&game.names)
    };
    let mut told = Vec::new();
    for take in game.replay.newest_takes().take(MAX_LISTED_TAKES) {
        told.insert(0, tell(take));
        if take.took.seat as usize == game.seat {
            break;
        }
    }
    told
}
