//! The labels of nodes and the heading of a picture.

use lastnim_analysis::tree::Node;
use lastnim_core::game::{Game, Position};

/// The maximum number of characters of a state that a label shows. Longer states are shortened in the middle.
const MAX_STATE_CHARACTERS: usize = 48;

/// Returns the state of a position as text, shortened in the middle if it is long.
pub(super) fn position_label(position: &Position) -> String {
    let whole = position.to_string();
    if whole.len() <= MAX_STATE_CHARACTERS {
        return whole;
    }
    // States are ASCII, so bytes can be cut anywhere.
    let half = MAX_STATE_CHARACTERS / 2;
    format!("{} .. {}", &whole[..half], &whole[whole.len() - half..])
}

/// Returns the label that names a node's winner and, if the picture is cut at the node, the number of nodes below it.
pub(super) fn winner_label(node: &Node) -> String {
    match node.cut {
        Some(below) => format!("seat {} wins, nodes below: {below}", node.winner),
        None => format!("seat {} wins", node.winner),
    }
}

/// Returns the title of a picture.
pub(super) fn picture_title(game: &Game) -> String {
    format!("Last Nim from {}", position_label(&game.first_position()))
}

/// Returns a line of text that describes the alliance matrix and the ending of a game.
pub(super) fn rules_label(game: &Game) -> String {
    let seats = game.matrix.seats();
    if game.matrix == lastnim_core::game::AllianceMatrix::standard(seats) {
        format!("{seats} seats, standard alliance matrix, {}", game.ending)
    } else {
        format!("alliance matrix {}, {}", game.matrix, game.ending)
    }
}
