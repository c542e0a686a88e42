//! A bot that looks a few plies ahead.

use super::Plies;
use lastnim_client::{Bot, MatchView};
use lastnim_core::game::{Game, Position, Seat};
use std::{cmp::Reverse, collections::BTreeMap};

/// Makes the best take for its row within its horizon, assuming that every other seat does the same. It declares the
/// standard row.
///
/// It looks a fixed number of plies ahead, including its own take, and knows the rows of all seats. **Beyond the
/// horizon it knows nothing**: for every seat, an unknown winner ranks just behind the middle of the seat's row. So a
/// seat prefers a winner in the better half of its row, or exactly in the middle, to an unknown winner, and an unknown
/// winner to one in the worse half. If several takes are equally good, the bot makes the smallest one. So it plays like
/// [`Oracle`](super::Oracle) if it sees the end of the game on every line of play, and like [`Timid`](super::Timid) if
/// it sees the end on none.
///
/// If a pile has more counters than there are plies left, its size does not matter, because its end is beyond the
/// horizon. So the bot examines at most 648 positions with at most 9 takes each, however large the piles are.
#[derive(Debug, Clone, Copy)]
pub struct Minimax {
    plies: Plies,
}

impl Minimax {
    /// Creates a bot with a horizon.
    pub fn new(plies: Plies) -> Self {
        Self { plies }
    }
}

impl Bot for Minimax {
    fn play(&mut self, game: &MatchView) -> u64 {
        Lookahead::of_game(game.game()).best_take(game.position(), self.plies)
    }
}

/// The foreseen winner; `None` if the end of the game is beyond the horizon.
type Foresight = Option<Seat>;

/// A position in the look-ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ForeseenPosition {
    /// Plies left within the horizon.
    plies: u8,
    /// Number of piles before the pile in play.
    untouched: usize,
    /// The counters of the pile in play; 0 once the game is over.
    counters: u64,
    to_move: Seat,
}

/// A search within the horizon, which remembers the outcomes that it has found.
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
        // If the number of counters left equals the number of plies left, it represents any larger number too, so the
        // smallest such take is 1.
        if left == u64::from(from.plies) { 1 } else { counters - left }
    }

    /// Returns the winner; `None` if the end of the game is beyond the horizon.
    fn foresee(&mut self, mut position: ForeseenPosition) -> Foresight {
        if position.counters == 0 {
            return Some(self.game.ending.winner(position.to_move, self.game.matrix.seats()));
        }
        if position.plies == 0 {
            return None;
        }
        // More counters than this would not change the outcome.
        position.counters = position.counters.min(u64::from(position.plies) + 1);
        if let Some(&known) = self.seen.get(&position) {
            return known;
        }
        let (_, outcome) = self.best_choice(position);
        self.seen.insert(position, outcome);
        outcome
    }

    /// Returns the largest number of counters that a best take leaves in the pile in play, and the outcome of that
    /// take. If that number equals the number of plies left, it represents any larger number too.
    fn best_choice(&mut self, from: ForeseenPosition) -> (u64, Foresight) {
        let max_left = (from.counters - 1).min(u64::from(from.plies));
        let choices = (0..=max_left).map(|left| (left, self.foresee(self.position_after(from, left))));
        let choices: Vec<_> = choices.collect();
        let best = choices
            .into_iter()
            .min_by_key(|&(left, outcome)| (self.rank_of_foresight(from.to_move, outcome), Reverse(left)));
        best.expect("an unfinished position has a take")
    }

    fn position_after(&self, from: ForeseenPosition, left: u64) -> ForeseenPosition {
        let (untouched, counters) = match (left, from.untouched.checked_sub(1)) {
            (0, Some(next)) => (next, self.game.piles.as_slice()[next]),
            _ => (from.untouched, left),
        };
        let to_move = self.game.matrix.seats().next(from.to_move);
        ForeseenPosition { plies: from.plies - 1, untouched, counters, to_move }
    }

    /// Returns the rank of an outcome for a seat, in quarters of a rank. An unknown winner ranks just behind the
    /// middle.
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

    /// Returns the best outcome for the seat to move and the takes that lead to it, by trying every take.
    fn search_every_take(game: &Game, position: &Position, plies: u8) -> (Foresight, Vec<u64>) {
        if position.is_over() {
            return (Some(game.ending.winner(position.to_move(), game.matrix.seats())), Vec::new());
        }
        if plies == 0 {
            return (None, Vec::new());
        }
        let seat = position.to_move();
        // This is twice the rank. An unknown winner ranks just behind the middle.
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
        fn minimax_agrees_with_trying_every_take(game in small_games(), plies in 1_u8..=5) {
            let view = MatchView::practice(&game, &[]).unwrap();
            let (_, best) = search_every_take(&game, view.position(), plies);
            prop_assert_eq!(minimax(plies).play(&view), best[0]);
        }

        #[test]
        fn minimax_plays_like_the_oracle_when_it_sees_the_end(game in small_games()) {
            let counters: u64 = game.piles.as_slice().iter().sum();
            prop_assume!(counters <= 8);
            let view = MatchView::practice(&game, &[]).unwrap();
            prop_assert_eq!(minimax(8).play(&view), Oracle.play(&view));
            prop_assert_eq!(minimax(counters as u8).play(&view), Oracle.play(&view));
        }

        #[test]
        fn minimax_examines_few_positions_for_any_piles(game in games()) {
            let view = MatchView::practice(&game, &[]).unwrap();
            let mut lookahead = Lookahead::of_game(&game);
            let take = lookahead.best_take(view.position(), Plies::MAX);
            prop_assert!((1..=view.position().counters()).contains(&take));
            prop_assert!(lookahead.seen.len() <= 648, "{}", lookahead.seen.len());
        }
    }

    #[test]
    fn minimax_does_not_see_beyond_its_horizon() {
        // The seat after the one that takes the last counter wins. The game lasts at least three more plies.
        let rows = vec![vec![0, 1], vec![0, 1]];
        let game = Game::parse(&[1, 1, 1], &rows, 0, lastnim_core::game::Ending::ToMoveWins).unwrap();
        let view = MatchView::practice(&game, &[]).unwrap();
        assert_eq!(minimax(2).play(&view), Timid.play(&view));
        let mut lookahead = Lookahead::of_game(&game);
        let position_after =
            |plies| ForeseenPosition { plies, untouched: 2, counters: 1, to_move: view.seat };
        assert_eq!(lookahead.foresee(position_after(2)), None);
        assert_eq!(lookahead.foresee(position_after(3)), game.matrix.seats().seat(1).ok());
    }
}
