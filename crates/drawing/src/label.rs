//! What stands at a node.

use lastnim_analysis::tree::Node;
use lastnim_core::game::{Game, Position};

/// A state with more characters is shown by its first and its last ones.
const MAX_CHARACTERS: usize = 48;

/// Returns the state of a position, shortened in the middle if there are many piles.
pub(super) fn position_label(position: &Position) -> String {
    let whole = position.to_string();
    if whole.len() <= MAX_CHARACTERS {
        return whole;
    }
    // A state is written in ASCII.
    let half = MAX_CHARACTERS / 2;
    format!("{} .. {}", &whole[..half], &whole[whole.len() - half..])
}

/// Returns who wins, and how many nodes a cut has left out.
pub(super) fn winner_label(node: &Node) -> String {
    match node.cut {
        Some(below) => format!("seat {} wins, {below} below", node.winner),
        None => format!("seat {} wins", node.winner),
    }
}

/// Returns what a picture of a game is headed by.
pub(super) fn picture_title(game: &Game) -> String {
    format!("Last Nim from {}", position_label(&game.first_position()))
}

/// Returns the rules of the game.
pub(super) fn rules_label(game: &Game) -> String {
    let seats = game.matrix.seats();
    if game.matrix == lastnim_core::game::AllianceMatrix::standard(seats) {
        format!("{seats} seats, standard alliance matrix, {}", game.ending)
    } else {
        format!("alliance matrix {}, {}", game.matrix, game.ending)
    }
}
