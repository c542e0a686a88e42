//! Random draws for a turn.

use lastnim_client::MatchView;
use lastnim_tournament::SeededDraw;

/// Creates the random number generator for one turn, from the seed, the match, the seat and the ply. Its numbers do not
/// depend on the order in which matches are played, so tournaments are reproducible.
pub(super) fn draw_of_turn(seed: u64, game: &MatchView) -> SeededDraw {
    let (number, seat) = (game.origin.as_ref().map_or(0, |of| of.number), game.seat.index() as u64);
    let ply = u64::from(game.ply());
    SeededDraw::from_numbers(
        [seed, number, seat, ply].into_iter().chain(game.piles.as_slice().iter().copied()),
    )
}
