//! A bot that lies about its dealt row when it expects to gain by it.

use super::{
    claim::claim_once,
    oracle::smallest_optimal_take,
    outlook::{Belief, Outlook, draw_of_match, rows_to_consider, steps_of_solution},
};
use lastnim_client::{Bot, MatchInfo, MatchView, Message, TalkRound};
use lastnim_core::game::{PartialRow, Row};

/// Declares the row with which it expects the best rank in its dealt row, and plays optimally for the declared row.
///
/// It does not know the other seats' rows. It assumes that the others declare what they were dealt, whatever they claim,
/// and that everybody then plays optimally. It averages its rank over all combinations of rows that the deal can give if
/// there are at most 144, otherwise over drawn ones. It considers all rows if there are at most 120, otherwise
/// 120 drawn ones, and fewer in games with many piles or seats. It lies only if that is better than the truth. In a
/// match without dealt rows, it declares the standard row. In talk, it claims the row that it will declare.
#[derive(Debug, Clone, Copy)]
pub struct Liar {
    seed: u64,
}

impl Liar {
    /// Creates a bot that draws rows from this seed.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }
}

impl Bot for Liar {
    fn talk(&mut self, round: &TalkRound) -> Option<Vec<Message>> {
        claim_once(round, |game| self.declare(game))
    }

    fn declare(&mut self, game: &MatchInfo) -> Row {
        let honest = game.honest_row();
        let Some(deal) = game.deal.as_ref().filter(|_| game.dealt_row.is_some()) else { return honest };
        let mut draw = draw_of_match(game, self.seed);
        let lies = rows_to_consider(game, &PartialRow::unknown(game.seats()), &mut draw);
        let steps = (lies.len() + 1) * steps_of_solution(game);
        let outlook = Outlook::new(game, &deal.rule, Belief::Never, steps, &mut draw);
        outlook.best_row([honest].into_iter().chain(lies))
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        smallest_optimal_take(game.game(), game.position())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Oracle,
        practice_games::{dealt_view, games, games_with_seats},
    };
    use lastnim_core::{
        game::{AllianceMatrix, BySeat, testing::permutations},
        oracle::solve_winners,
        referee::DealRule,
    };
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_lie_is_the_best_reply_if_the_other_rows_are_known(game in games_with_seats(2..=4), seed: u64) {
            let seats = game.matrix.seats();
            let known = Row::standard(seats);
            let view = dealt_view(&game, DealRule::List(vec![known.clone()]));
            let honest = view.honest_row();
            prop_assert_eq!(Oracle.declare(view.info()), honest.clone());
            let others = AllianceMatrix::from_rows(BySeat::filled(seats, &known)).unwrap();
            let rank = |row: &Row| {
                let declared = others.clone().with_row(view.seat, row.clone());
                honest.rank(view.seat, solve_winners(&game.piles, &declared, game.ending)[view.seat])
            };
            let declared = Liar::new(seed).declare(view.info());
            let best = permutations(seats).iter().map(rank).min().unwrap();
            prop_assert_eq!(rank(&declared), best);
            prop_assert!(best < rank(&honest) || declared == honest, "it lies only if that helps");
        }

        #[test]
        fn dealt_bots_claim_what_they_declare(game in games(), seed: u64) {
            let view = dealt_view(&game, DealRule::All);
            let (first, second) = (TalkRound::practice(view.info(), 0), TalkRound::practice(view.info(), 1));
            let mut liar = Liar::new(seed);
            let claimed = |row: Row| Some(vec![Message::claim(row)]);
            prop_assert_eq!(liar.talk(&first), claimed(liar.declare(view.info())));
            prop_assert_eq!(Oracle.talk(&first), claimed(view.honest_row()));
            let plain = MatchView::practice(&game, &[]).unwrap();
            for round in [second, TalkRound::practice(plain.info(), 0)] {
                prop_assert_eq!((liar.talk(&round), Oracle.talk(&round)), (None, None));
            }
        }

        #[test]
        fn liar_declares_a_row_for_any_deal(game in games(), seed: u64) {
            let view = dealt_view(&game, DealRule::All);
            prop_assert_eq!(Liar::new(seed).declare(view.info()).seats(), game.matrix.seats());
            let plain = MatchView::practice(&game, &[]).unwrap();
            prop_assert_eq!(Liar::new(seed).declare(plain.info()), Row::standard(game.matrix.seats()));
        }
    }
}
