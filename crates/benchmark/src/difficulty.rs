//! The difficulty of positions, measured by imperfect bots.

use super::position_id::renumber_from_mover;
use lastnim_bots::{HouseBot, Plies};
use lastnim_client::MatchView;
use lastnim_core::{game::Game, oracle::Explanation};
use lastnim_proto::pb;

/// The number of runs of the bot that uses random playouts. Their seeds count up from 0.
const PLAYOUT_RUNS: u8 = 16;
/// The house bot that uses random playouts.
const PLAYOUT_BOT: &str = "mcts-32";

/// Measures how difficult a position is for the seat to move. Renumbering the seats does not change the difficulty.
///
/// # Panics
/// If no counter is left.
pub fn measure_difficulty(game: &Game, explanation: &Explanation) -> pb::PositionDifficulty {
    // The takes of random bots depend on their seat number, so the seats are renumbered first.
    let view = MatchView::practice(&renumber_from_mover(game), &[]).expect("the game is not over");
    let regret_of_take = |take: u64| {
        let option = explanation.options.iter().find(|option| option.takes.contains(take));
        option.expect("the options contain every take").regret
    };
    let errs = |bot: HouseBot, seed: u64| regret_of_take(bot.build_bot(seed).play(&view)) > 0;
    let sees_enough = |plies: &u8| !errs(parse_bot(&format!("minimax-{plies}")), 0);
    let deepest = (1..=Plies::MAX.get()).rev().take_while(sees_enough).last();
    let playouts = parse_bot(PLAYOUT_BOT);
    let errors: u8 = (0..PLAYOUT_RUNS).map(|seed| u8::from(errs(playouts, seed.into()))).sum();
    pb::PositionDifficulty {
        optimal_share: optimal_share(explanation),
        random_regret: mean_over_takes(explanation, f64::from),
        plies_to_see: deepest.map(u32::from),
        playout_error_rate: f64::from(errors) / f64::from(PLAYOUT_RUNS),
    }
}

fn parse_bot(name: &str) -> HouseBot {
    name.parse().expect("a house bot's name is valid")
}

/// Returns the share of the legal takes that are optimal.
pub fn optimal_share(explanation: &Explanation) -> f64 {
    mean_over_takes(explanation, |regret| f64::from(u8::from(regret == 0)))
}

/// Averages a function of the regret over all takes.
fn mean_over_takes(explanation: &Explanation, count: impl Fn(u32) -> f64) -> f64 {
    let (mut sum, mut takes) = (0.0, 0.0);
    for option in &explanation.options {
        #[expect(clippy::cast_precision_loss, reason = "a share does not need exact counts")]
        let size = (option.takes.hi - option.takes.lo) as f64 + 1.0;
        sum += size * count(option.regret);
        takes += size;
    }
    sum / takes
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::Ending;

    fn difficulty(piles: &[u64], rows: &[Vec<u64>]) -> pb::PositionDifficulty {
        let game = Game::parse(piles, rows, 0, Ending::ToMoveWins).unwrap();
        measure_difficulty(&game, &Explanation::of_game(&game, 0))
    }

    #[test]
    fn positions_without_a_choice_are_easy() {
        let rows = [vec![0, 1], vec![0, 1]];
        let expected = pb::PositionDifficulty {
            optimal_share: 1.0,
            random_regret: 0.0,
            plies_to_see: Some(1),
            playout_error_rate: 0.0,
        };
        assert_eq!(difficulty(&[1], &rows), expected);
    }

    #[test]
    fn a_pile_with_a_single_optimal_take_is_difficult() {
        // A seat that faces a single counter must take it, and then the other seat wins.
        let found = difficulty(&[5], &[vec![0, 1], vec![0, 1]]);
        assert_eq!((found.optimal_share, found.random_regret), (0.2, 0.8));
        assert_eq!(found.plies_to_see, Some(2));
    }

    #[test]
    fn the_largest_pile_can_be_measured() {
        let found = difficulty(&[i64::MAX as u64, i64::MAX as u64], &[vec![0, 1], vec![0, 1]]);
        assert!(found.optimal_share > 0.0 && found.optimal_share < 1e-18, "{found:?}");
        assert!((found.random_regret - 1.0).abs() < 1e-9);
    }
}
