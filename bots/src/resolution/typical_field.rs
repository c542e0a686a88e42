//! The bots of a typical field, and the matches between them.

use crate::epsilon::draw_erroneous_take;
use lastnim_core::{
    game::{BySeat, Game},
    oracle::Solution,
};
use lastnim_tournament::{MatchOutcome, SeatResult, SeededDraw};

/// The rates, in percent, at which the bots of a typical field err in turns in which they can. The first bot never
/// errs, so it is the best. The others have the other rates in turn. Like [`Epsilon`](crate::Epsilon), a bot draws its
/// errors uniformly, otherwise makes the smallest optimal take, and declares the standard row.
pub const ERROR_PERCENTS: [u8; 6] = [0, 10, 20, 30, 40, 50];

/// A match stops after this many plies. Its winner is then the winner under optimal play from there on.
const MAX_PLIES: u32 = 10_000;

/// Returns the kinds of the bots in a typical field, as indices of [`ERROR_PERCENTS`]. Only the first is 0.
pub(super) fn typical_kinds(bots: usize) -> Vec<u8> {
    let erring = (1..ERROR_PERCENTS.len() as u8).cycle();
    std::iter::once(0).chain(erring).take(bots).collect()
}

/// Plays a match between bots of these kinds.
pub(super) fn play_match(game: &Game, kinds: &BySeat<u8>, draw: &mut SeededDraw) -> MatchOutcome {
    let (solution, mut position) = (Solution::new(game), game.first_position());
    let mut seats = kinds.map(|_| SeatResult::default());
    let mut winner = solution.winner(&position);
    let mut plies = 0;
    while !position.is_over() && plies < MAX_PLIES {
        let seat = position.to_move();
        let optimal = solution.optimal_takes(&position);
        let percent = ERROR_PERCENTS[usize::from(kinds[seat])];
        let erroneous_take = (draw.number_below(100) < percent.into())
            .then(|| draw_erroneous_take(&optimal, position.counters(), draw))
            .flatten();
        let take = erroneous_take.or(optimal.smallest()).expect("an unfinished position has an optimal take");
        position.take(take).expect("the take is at most the counters of the pile");
        plies += 1;
        seats[seat].plies += 1;
        if erroneous_take.is_some() {
            let before = game.matrix.rank(seat, winner);
            winner = solution.winner(&position);
            seats[seat].regret += (game.matrix.rank(seat, winner) - before) as u32;
        }
    }
    for seat in kinds.seats().iter() {
        seats[seat].rank_actual = game.matrix.rank(seat, winner) as u32;
    }
    MatchOutcome { winner, seats }
}
