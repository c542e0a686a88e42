//! What the draws of a bot follow from.

use lastnim_client::MatchView;
use lastnim_tournament::SeededDraw;

/// Starts the draw of one turn: it follows from the seed, the match, the seat and the ply, never from the order in which matches
/// happen to be played. The same tournament played again is the same.
pub(super) fn draw_of_turn(seed: u64, game: &MatchView) -> SeededDraw {
    let (number, seat) = (game.origin.as_ref().map_or(0, |of| of.number), game.seat.index() as u64);
    let ply = u64::from(game.ply());
    SeededDraw::from_numbers(
        [seed, number, seat, ply].into_iter().chain(game.piles.as_slice().iter().copied()),
    )
}
