//! A bot that copies the previous take.

use lastnim_client::{Bot, MatchView, TakeFeed};

/// Takes as many counters as the seat before it just took, or the whole pile if that is smaller; declares the standard
/// row.
///
/// If it did not see that take, because it moves first or was disconnected, it takes one counter.
#[derive(Debug, Clone, Copy)]
pub struct Mirror;

impl Bot for Mirror {
    fn take_feed(&self) -> TakeFeed {
        TakeFeed::All
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        let last = game.seen_takes().last().filter(|last| last.ply + 1 == game.ply());
        last.map_or(1, |last| last.take.min(game.position().counters()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::{Ending, Game, MAX_COUNTERS};

    #[test]
    fn mirror_copies_the_take_before_it() {
        let rows = [vec![0, 1, 2], vec![0, 1, 2], vec![0, 1, 2]];
        let game = Game::parse(&[2, MAX_COUNTERS], &rows, 0, Ending::ToMoveWins).unwrap();
        let take = |takes: &[u64]| Mirror.play(&MatchView::practice(&game, takes).unwrap());
        assert_eq!(take(&[]), 1, "no take was made yet");
        assert_eq!(take(&[5]), 5);
        assert_eq!(take(&[5, 1]), 1, "it copies the take of the seat before it");
        assert_eq!(take(&[MAX_COUNTERS - 3]), 3, "the pile has only 3 counters");
        assert_eq!(take(&[MAX_COUNTERS]), 2, "it takes the whole next pile");
    }

    #[test]
    fn mirror_takes_one_counter_after_an_unseen_take() {
        let game = Game::parse(&[9], &[vec![0, 1], vec![0, 1]], 0, Ending::ToMoveWins).unwrap();
        let view = MatchView::practice(&game, &[2, 3]).unwrap();
        assert_eq!(Mirror.play(&view), 3);
        assert_eq!(Mirror.play(&view.with_takes_missed(1..2)), 1);
    }
}
