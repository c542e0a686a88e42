//! A bot that answers in kind.

use lastnim_client::{Bot, MatchView, TakeFeed};

/// Takes as many counters as the seat before it has just taken, or the whole pile where that holds fewer; declares the standard row.
///
/// Where it has not seen the take before its turn, because it makes the first take of the match or had no session, it takes one
/// counter.
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
    fn it_takes_what_was_taken_before_it() {
        let rows = [vec![0, 1, 2], vec![0, 1, 2], vec![0, 1, 2]];
        let game = Game::parse(&[2, MAX_COUNTERS], &rows, 0, Ending::ToMoveWins).unwrap();
        let take = |takes: &[u64]| Mirror.play(&MatchView::practice(&game, takes).unwrap());
        assert_eq!(take(&[]), 1, "nothing was taken yet");
        assert_eq!(take(&[5]), 5);
        assert_eq!(take(&[5, 1]), 1, "the take of the seat before it, whoever that is");
        assert_eq!(take(&[MAX_COUNTERS - 3]), 3, "the pile holds no more");
        assert_eq!(take(&[MAX_COUNTERS]), 2, "the whole of the next pile");
    }

    #[test]
    fn it_takes_one_counter_after_a_take_that_it_did_not_see() {
        let game = Game::parse(&[9], &[vec![0, 1], vec![0, 1]], 0, Ending::ToMoveWins).unwrap();
        let view = MatchView::practice(&game, &[2, 3]).unwrap();
        assert_eq!(Mirror.play(&view), 3);
        assert_eq!(Mirror.play(&view.with_takes_missed(1..2)), 1);
    }
}
