//! A bot that sees a few plies ahead.

use super::Plies;
use lastnim_client::{Bot, MatchView};
use lastnim_core::game::{Game, Position, Seat};
use std::{cmp::Reverse, collections::BTreeMap};

/// Makes the take that is best for its row as far as it sees, with each seat taking what is best for its own row; declares the
/// standard row.
///
/// It sees so many plies ahead, its own take first, and knows the rows of all seats. **Beyond that it knows nothing**: a game that is
/// not over by then counts, for every seat, as a winner in the middle of its row. So a seat prefers a winner in the better half of its
/// row, or exactly in the middle, to what it does not see, and that to a winner in the worse half. Of takes that lead to the same the
/// smallest is made: where it sees the end it plays as [`Oracle`](super::Oracle) does, and where it sees none as
/// [`Timid`](super::Timid).
///
/// A pile of more counters than plies are left is worth the same however many there are, because its end is beyond the horizon: a take looks
/// at no more than 648 positions with at most 9 takes each, whatever the piles hold.
#[derive(Debug, Clone, Copy)]
pub struct Minimax {
    plies: Plies,
}

impl Minimax {
    /// Makes a bot that sees so many plies ahead.
    pub fn new(plies: Plies) -> Self {
        Self { plies }
    }
}

impl Bot for Minimax {
    fn play(&mut self, game: &MatchView) -> u64 {
        Lookahead::of_game(game.game()).best_take(game.position(), self.plies)
    }
}

/// The seat that wins, or nothing where that is beyond the horizon.
type Foresight = Option<Seat>;

/// A position that is reached while looking ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ForeseenPosition {
    /// Plies that are still seen.
    plies: u8,
    /// Piles before the pile in play.
    untouched: usize,
    /// The counters of the pile in play; 0 once the game is over.
    counters: u64,
    to_move: Seat,
}

/// What is seen of a game within a horizon.
#[derive(Debug)]
struct Lookahead<'a> {
    game: &'a Game,
    seen: BTreeMap<ForeseenPosition, Foresight>,
}

impl<'a> Lookahead<'a> {
    fn of_game(game: &'a Game) -> Self {
        Self { game, seen: BTreeMap::new() }
    }

    /// Returns the smallest of the best takes.
    fn best_take(&mut self, position: &Position, plies: Plies) -> u64 {
        let counters = position.counters();
        let from = ForeseenPosition {
            plies: plies.get(),
            untouched: position.pile_index(),
            counters,
            to_move: position.to_move(),
        };
        let (left, _) = self.best_choice(from);
        // Whoever leaves as many counters as plies are left may as well leave all but one.
        if left == u64::from(from.plies) { 1 } else { counters - left }
    }

    /// Returns who wins, as far as can be seen.
    fn foresee(&mut self, mut position: ForeseenPosition) -> Foresight {
        if position.counters == 0 {
            return Some(self.game.ending.winner(position.to_move, self.game.matrix.seats()));
        }
        if position.plies == 0 {
            return None;
        }
        // With more counters the takes lead to nothing else.
        position.counters = position.counters.min(u64::from(position.plies) + 1);
        if let Some(&known) = self.seen.get(&position) {
            return known;
        }
        let (_, outcome) = self.best_choice(position);
        self.seen.insert(position, outcome);
        outcome
    }

    /// Returns the counters that the seat to move leaves of the pile in play, as many as lead to what is best for it, and what
    /// that is. To leave as many as there are plies to see stands for leaving any number above.
    fn best_choice(&mut self, from: ForeseenPosition) -> (u64, Foresight) {
        let max_left = (from.counters - 1).min(u64::from(from.plies));
        let choices = (0..=max_left).map(|left| (left, self.foresee(self.position_after(from, left))));
        let choices: Vec<_> = choices.collect();
        let best = choices
            .into_iter()
            .min_by_key(|&(left, outcome)| (self.rank_of_foresight(from.to_move, outcome), Reverse(left)));
        best.expect("where counters are left, one can be taken")
    }

    fn position_after(&self, from: ForeseenPosition, left: u64) -> ForeseenPosition {
        let (untouched, counters) = match (left, from.untouched.checked_sub(1)) {
            (0, Some(next)) => (next, self.game.piles.as_slice()[next]),
            _ => (from.untouched, left),
        };
        let to_move = self.game.matrix.seats().next(from.to_move);
        ForeseenPosition { plies: from.plies - 1, untouched, counters, to_move }
    }

    /// Returns how little a seat likes an outcome, in quarters of a rank: what it does not see lies just behind the middle.
    fn rank_of_foresight(&self, seat: Seat, outcome: Foresight) -> usize {
        match outcome {
            Some(winner) => 4 * self.game.matrix.rank(seat, winner),
            None => 2 * (self.game.matrix.seats().get() - 1) + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Oracle, Timid,
        practice_games::{games, small_games},
    };
    use proptest::prelude::*;

    fn minimax(plies: u8) -> Minimax {
        Minimax::new(plies.to_string().parse().unwrap())
    }

    /// Returns how much the seat to move likes what is best for it, and the takes that lead there, by trying every take.
    fn search_every_take(game: &Game, position: &Position, plies: u8) -> (Foresight, Vec<u64>) {
        if position.is_over() {
            return (Some(game.ending.winner(position.to_move(), game.matrix.seats())), Vec::new());
        }
        if plies == 0 {
            return (None, Vec::new());
        }
        let seat = position.to_move();
        // Twice the rank; what is not seen lies just behind the middle.
        let dislike = |outcome: Foresight| match outcome {
            Some(winner) => 2.0 * f64::from(game.matrix.rank(seat, winner) as u32),
            None => f64::from(game.matrix.seats().get() as u32 - 1) + 0.5,
        };
        let mut best: (Foresight, Vec<u64>) = (None, Vec::new());
        for take in 1..=position.counters() {
            let mut after = position.clone();
            after.take(take).unwrap();
            let (outcome, _) = search_every_take(game, &after, plies - 1);
            if best.1.is_empty() || dislike(outcome) < dislike(best.0) {
                best = (outcome, Vec::new());
            }
            if outcome == best.0 {
                best.1.push(take);
            }
        }
        best
    }

    proptest! {
        #[test]
        fn it_sees_what_trying_every_take_shows(game in small_games(), plies in 1_u8..=5) {
            let view = MatchView::practice(&game, &[]).unwrap();
            let (_, best) = search_every_take(&game, view.position(), plies);
            prop_assert_eq!(minimax(plies).play(&view), best[0]);
        }

        #[test]
        fn with_the_end_in_sight_it_plays_as_the_oracle(game in small_games()) {
            let counters: u64 = game.piles.as_slice().iter().sum();
            prop_assume!(counters <= 8);
            let view = MatchView::practice(&game, &[]).unwrap();
            prop_assert_eq!(minimax(8).play(&view), Oracle.play(&view));
            prop_assert_eq!(minimax(counters as u8).play(&view), Oracle.play(&view));
        }

        #[test]
        fn it_looks_at_few_positions_whatever_the_piles_hold(game in games()) {
            let view = MatchView::practice(&game, &[]).unwrap();
            let mut lookahead = Lookahead::of_game(&game);
            let take = lookahead.best_take(view.position(), Plies::MAX);
            prop_assert!((1..=view.position().counters()).contains(&take));
            prop_assert!(lookahead.seen.len() <= 648, "{}", lookahead.seen.len());
        }
    }

    #[test]
    fn it_does_not_see_beyond_its_horizon() {
        // Whoever takes the last counter hands the win to the next seat; the end is three plies away or more.
        let rows = vec![vec![0, 1], vec![0, 1]];
        let game = Game::parse(&[1, 1, 1], &rows, 0, lastnim_core::game::Ending::ToMoveWins).unwrap();
        let view = MatchView::practice(&game, &[]).unwrap();
        assert_eq!(minimax(2).play(&view), Timid.play(&view));
        let mut lookahead = Lookahead::of_game(&game);
        let from = |plies| ForeseenPosition { plies, untouched: 2, counters: 1, to_move: view.seat };
        assert_eq!(lookahead.foresee(from(2)), None);
        assert_eq!(lookahead.foresee(from(3)), game.matrix.seats().seat(1).ok());
    }
}
