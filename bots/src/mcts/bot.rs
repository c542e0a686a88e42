//! A bot that uses Monte Carlo tree search.

use super::{Playouts, search_tree::SearchTree};
use crate::turn_draw::draw_of_turn;
use lastnim_client::{Bot, MatchView};

/// Plays a number of random games from the position, guided by a tree search (UCT) in which each seat follows its row,
/// and makes the take tried most often; declares the standard row.
///
/// In a pile of up to 32 counters it tries all takes, and in a larger one the 16 smallest and the 16 largest. A playout
/// stops after 1,024 plies beyond the tree, and then every seat is half satisfied. The search stops after 2,000,000
/// plies in total, so the cost of a take is bounded, however large the piles are. Random draws are derived from the
/// seed, the match and the ply; comparisons use floating-point logarithms, whose last bit may differ between platforms.
#[derive(Debug, Clone)]
pub struct Mcts {
    playouts: Playouts,
    seed: u64,
}

impl Mcts {
    /// Creates a bot with a number of playouts per take and a seed.
    pub fn new(playouts: Playouts, seed: u64) -> Self {
        Self { playouts, seed }
    }
}

impl Bot for Mcts {
    fn play(&mut self, game: &MatchView) -> u64 {
        let draw = draw_of_turn(self.seed, game);
        SearchTree::new(game.game(), game.position(), draw).search_take(self.playouts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::practice_games::random_game;
    use lastnim_core::oracle::Solution;

    /// Returns the number of positions, out of 400 random ones, in which the bot errs.
    fn count_errors(playouts: &str) -> u32 {
        let errs = |number| {
            let game = random_game(number, 3, 3, 5);
            let view = MatchView::practice(&game, &[]).unwrap();
            let optimal = Solution::new(&game).optimal_takes(view.position());
            !optimal.contains(Mcts::new(playouts.parse().unwrap(), number).play(&view))
        };
        (0..400).filter(|&number| errs(number)).count() as u32
    }

    #[test]
    fn more_playouts_make_fewer_errors() {
        let errors = ["1", "50", "2000"].map(count_errors);
        assert!(errors[1] * 4 < errors[0] * 3, "{errors:?}");
        assert!(errors[2] * 2 < errors[1], "{errors:?}");
    }
}
