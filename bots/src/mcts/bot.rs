//! A bot that searches by playing at random.

use super::{Playouts, search_tree::SearchTree};
use crate::turn_draw::draw_of_turn;
use lastnim_client::{Bot, MatchView};

/// Tries a number of games from the position on, by a tree search (UCT) in which each seat prefers what its own row ranks higher, and
/// makes the take that was tried most often; declares the standard row.
///
/// Of a pile of 32 counters or fewer it tries all takes; of a higher one the 16 smallest and the 16 largest. A game that is tried is given up
/// after 1,024 plies and counts as half satisfied for every seat, and all games of a search end with 2,000,000 plies together:
/// whatever the piles hold, a take costs no more than that. What is drawn follows from the seed, the match and the ply; bounds are
/// compared in floating point, whose logarithms may differ in the last bit from one platform to another.
#[derive(Debug, Clone)]
pub struct Mcts {
    playouts: Playouts,
    seed: u64,
}

impl Mcts {
    /// Makes a bot that tries so many games before each take, and whose draws follow from `seed`.
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
    use crate::practice_games::drawn_game;
    use lastnim_core::oracle::Solution;

    /// Returns how many of 400 drawn positions a bot answers with an error.
    fn count_errors(playouts: &str) -> u32 {
        let errs = |number| {
            let game = drawn_game(number, 3, 3, 5);
            let view = MatchView::practice(&game, &[]).unwrap();
            let optimal = Solution::new(&game).optimal_takes(view.position());
            !optimal.contains(Mcts::new(playouts.parse().unwrap(), number).play(&view))
        };
        (0..400).filter(|&number| errs(number)).count() as u32
    }

    #[test]
    fn more_playouts_err_less() {
        let errors = ["1", "50", "2000"].map(count_errors);
        assert!(errors[1] * 4 < errors[0] * 3, "{errors:?}");
        assert!(errors[2] * 2 < errors[1], "{errors:?}");
    }
}
