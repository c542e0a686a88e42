//! The picture of a match: the sentence, the winner line and the board.

#![expect(clippy::cast_precision_loss, reason = "the numbers are positions in a picture")]

use super::board::{MatchBoard, Piece, Pile, TakeView};
use super::sentence::Seats;
use super::winner_line::winner_stretches;
use crate::picture::{Picture, PictureColour, fitted_size};
use crate::replay::Replay;
use crate::seat_sign::{coloured_seat_sign, seat_colour};
use askama::Template;
use lastnim_proto::pb;
use lastnim_report::render::write_template;
use lastnim_report::words::join_first_items;

/// The horizontal middle of the board, in pixels, as are the other measures of the picture.
const BOARD_MIDDLE_X: f64 = 920.0;
/// The y coordinate of the ground line below the piles.
const BOARD_GROUND_Y: f64 = 556.0;
/// The maximum width of the piles together.
const BOARD_WIDTH: f64 = 500.0;
/// The maximum height of a pile.
const BOARD_HEIGHT: f64 = 490.0;
/// The largest counter.
const MAX_COUNTER_SIZE: f64 = 46.0;
/// The width of a pile with its gap, in counters.
const PILE_STEP: f64 = 1.6;
/// The height of the line that says what is left out of a pile, or how many were taken, in counters.
const NOTE_HEIGHT: f64 = 0.8;
/// The left end of the lanes.
const LANES_X: f64 = 210.0;
/// The width of a lane.
const LANES_WIDTH: f64 = 370.0;
/// The upper end of the first lane.
const LANES_TOP: f64 = 406.0;
/// The maximum height of all lanes together.
const LANES_HEIGHT: f64 = 128.0;
/// The maximum number of lanes; with more, none is drawn.
const MAX_LANES: usize = 8;
/// The maximum number of stretches of positions with the same winner; with more, no lanes are drawn.
const MAX_STRETCHES: usize = 60;

#[derive(Template)]
#[template(path = "picture/board.svg")]
struct BoardPicture {
    piles: Vec<PlacedPile>,
    /// The size of a counter.
    counter: f64,
}

/// A pile with the coordinates of its pieces.
struct PlacedPile {
    x: f64,
    is_in_play: bool,
    pieces: Vec<PlacedPiece>,
}

struct PlacedPiece {
    y: f64,
    height: f64,
    shape: Shape,
}

/// What is drawn for a piece of a pile.
enum Shape {
    Take { colour: &'static str, is_newest: bool, is_error: bool, signs: String, number: Option<Note> },
    Counter,
    Note(Note),
}

/// A text in a pile.
struct Note {
    y: f64,
    size: f64,
    text: String,
}

#[derive(Template)]
#[template(path = "picture/lanes.svg")]
struct LanesPicture {
    lanes: Vec<LanePicture>,
    runs: Vec<Run>,
    height: f64,
}

struct LanePicture {
    y: f64,
    sign: String,
    name: String,
    name_size: f64,
}

/// A stretch of positions with the same winner.
struct Run {
    x: f64,
    y: f64,
    width: f64,
    colour: &'static str,
}

/// Draws a match after some takes. `sentence` is its heading, which begins with the name of the winner if it has one.
pub(super) fn board_picture(
    board: &MatchBoard<'_>,
    sentence: &str,
    winner: Option<usize>,
    title: String,
) -> Picture {
    #[cfg(test)]
    crate::testing::check_slow_work_allowed();
    let won = winner.map(|winner| format!("{} won", board.seats.name(winner)));
    let split = won.and_then(|won| Some((sentence.strip_prefix(won.as_str())?.to_owned(), won)));
    let (headline, seat, sentence) = match split {
        Some((rest, won)) => (won, winner, rest.trim_start_matches([',', '.', ' ']).to_owned()),
        None => (join_first_items(&board.replay.setup.bots), None, sentence.to_owned()),
    };
    let lanes = board.audit.map(|audit| lanes_svg(audit, board.replay, board.seats)).unwrap_or_default();
    Picture { headline, seat, sentence, below: lanes, drawing: board_svg(board), title }
}

fn board_svg(board: &MatchBoard<'_>) -> String {
    let piles = board.piles();
    let heights = piles.iter().map(|pile| pile.pieces.iter().map(piece_height).sum::<f64>());
    let highest = heights.fold(1.0, f64::max);
    let count = piles.len() as f64;
    let counter = MAX_COUNTER_SIZE.min(BOARD_HEIGHT / highest).min(BOARD_WIDTH / (count * PILE_STEP));
    let step = counter * PILE_STEP;
    let x = (0..).map(|index| BOARD_MIDDLE_X + (f64::from(index) - (count - 1.0) / 2.0) * step);
    let piles = x.zip(&piles).map(|(x, pile)| placed_pile(pile, x, counter)).collect();
    write_template(&BoardPicture { piles, counter })
}

/// Returns the height of a piece in counters.
fn piece_height(piece: &Piece) -> f64 {
    match piece {
        Piece::Take(take) => take.repeats as f64 + if take.number.is_some() { NOTE_HEIGHT } else { 0.0 },
        Piece::Gap(_) => NOTE_HEIGHT,
        Piece::Counter | Piece::Choice(_) | Piece::Button(..) => 1.0,
    }
}

fn placed_pile(pile: &Pile, x: f64, counter: f64) -> PlacedPile {
    let mut y = BOARD_GROUND_Y - pile.pieces.iter().map(piece_height).sum::<f64>() * counter;
    let note = |text: String, y: f64| {
        let size = fitted_size(&text, counter * 0.5, counter * (PILE_STEP - 0.1));
        Note { y, size, text }
    };
    let mut placed = Vec::new();
    for piece in &pile.pieces {
        let height = piece_height(piece) * counter;
        let shape = match piece {
            Piece::Take(take) => Shape::Take {
                colour: seat_colour(take.seat),
                is_newest: take.is_newest,
                is_error: take.is_error,
                signs: signs_svg(take, x, y, counter),
                number: take.number.map(|number| note(format!("×{number}"), y + height - counter * 0.3)),
            },
            Piece::Gap(words) => Shape::Note(note(words.clone(), y + height * 0.65)),
            Piece::Counter | Piece::Choice(_) | Piece::Button(..) => Shape::Counter,
        };
        placed.push(PlacedPiece { y, height, shape });
        y += height;
    }
    PlacedPile { x, is_in_play: pile.is_in_play, pieces: placed }
}

fn signs_svg(take: &TakeView, x: f64, y: f64, counter: f64) -> String {
    let (size, left) = (counter * 0.54, x - counter * 0.27);
    let top = |index: u64| y + (index as f64 + 0.23) * counter;
    (0..take.repeats).map(|index| coloured_seat_sign(take.seat, left, top(index), size)).collect()
}

/// Draws who would win under optimal play, take by take; empty if the winner changes too often.
fn lanes_svg(audit: &pb::Audit, replay: &Replay, seats: &Seats) -> String {
    let stretches = winner_stretches(audit);
    let mut lanes: Vec<usize> = if seats.count() <= MAX_LANES {
        (0..seats.count()).collect()
    } else {
        stretches.iter().map(|stretch| stretch.1).collect()
    };
    lanes.sort_unstable();
    lanes.dedup();
    if stretches.len() > MAX_STRETCHES || lanes.len() > MAX_LANES {
        return String::new();
    }
    let step = (LANES_HEIGHT / lanes.len() as f64).min(32.0);
    let y_of = |seat: usize| {
        let lane = lanes.iter().position(|&lane| lane == seat).unwrap_or_default();
        LANES_TOP + lane as f64 * step
    };
    let column = LANES_WIDTH / f64::from(replay.ply_count() + 1);
    let ends = stretches.iter().skip(1).map(|stretch| stretch.0).chain([replay.ply_count() + 1]);
    let runs = stretches.iter().zip(ends).map(|(&(from, winner), to)| Run {
        x: LANES_X + f64::from(from) * column,
        y: y_of(winner),
        width: f64::from(to.saturating_sub(from)) * column,
        colour: seat_colour(winner),
    });
    let lane = |&seat: &usize| {
        let (y, name) = (y_of(seat), seats.name(seat).to_owned());
        let sign = coloured_seat_sign(seat, 60.0, y + step * 0.12, step * 0.62);
        LanePicture { y, sign, name_size: fitted_size(&name, step * 0.62, 112.0), name }
    };
    write_template(&LanesPicture {
        lanes: lanes.iter().map(lane).collect(),
        runs: runs.collect(),
        height: step - 3.0,
    })
}
