//! A bot that lies about its dealt row when it expects to gain by it.

use super::{claim::claim_once, oracle::smallest_optimal_take};
use lastnim_client::{Bot, MatchInfo, MatchView, Message, TalkRound};
use lastnim_core::game::{AllianceMatrix, BySeat, Row, Seat, SeatCount};
use lastnim_core::oracle::solve_winners;
use lastnim_core::referee::DealRule;
use lastnim_tournament::SeededDraw;

/// The maximum number of rows that it considers declaring, in addition to its dealt row.
const MAX_ROWS: usize = 120;
/// The maximum number of draws of the other seats' rows.
const MAX_DRAWS: usize = 64;
/// The approximate number of steps of the oracle that a declaration may take; a game of N piles and n seats takes N n².
const MAX_STEPS: usize = 4_000_000;

/// Declares the row with which it expects the best rank in its dealt row, and plays optimally for the declared row.
///
/// It does not know the other seats' rows. It draws them several times by the rule of the deal, assumes that the others
/// declare what they were dealt and that everybody then plays optimally, and averages its rank. It considers all rows
/// if there are at most 120, and otherwise 120 drawn ones; in games with many piles or seats, it considers fewer rows.
/// It lies only if that is better than the truth. In a match without dealt rows, it declares the standard row. In talk,
/// it claims the row that it will declare.
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
        match &game.deal {
            Some(deal) if game.dealt_row.is_some() => best_lie(game, &deal.rule, &honest, self.seed),
            _ => honest,
        }
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        smallest_optimal_take(game.game(), game.position())
    }
}

/// Returns the row with the best expected rank; the honest row if none is better.
fn best_lie(game: &MatchInfo, rule: &DealRule, honest: &Row, seed: u64) -> Row {
    let (seats, own) = (game.seats(), game.seat);
    let number = game.origin.as_ref().map_or(0, |origin| origin.number);
    let numbers = [seed, number, own.index() as u64].into_iter();
    let mut draw = SeededDraw::from_numbers(numbers.chain(game.piles.as_slice().iter().copied()));
    let solves = MAX_STEPS / (game.piles.as_slice().len() * seats.get() * seats.get());
    let rows = rows_to_consider(seats, (solves / MAX_DRAWS).clamp(4, MAX_ROWS), &mut draw);
    let draws = (solves / (rows.len() + 1)).clamp(4, MAX_DRAWS);
    let others: Vec<_> = (0..draws)
        .map(|_| BySeat::from_fn(seats, |_| rule.draw_row(seats, |n| draw.number_below(n))))
        .collect();
    let total_rank = |declared: &Row| -> usize {
        others.iter().map(|others| honest.rank(own, winner_with(game, others, declared))).sum()
    };
    let mut best = (total_rank(honest), honest.clone());
    for row in rows {
        let rank = total_rank(&row);
        if rank < best.0 {
            best = (rank, row);
        }
    }
    best.1
}

/// Returns all rows if there are at most `max`, and otherwise `max` drawn rows.
fn rows_to_consider(seats: SeatCount, max: usize, draw: &mut SeededDraw) -> Vec<Row> {
    let count = (1..=seats.get()).try_fold(1, usize::checked_mul);
    if count.is_none_or(|count| count > max) {
        return (0..max).map(|_| DealRule::All.draw_row(seats, |n| draw.number_below(n))).collect();
    }
    let mut rows: Vec<Vec<u64>> = vec![Vec::new()];
    for _ in 0..seats.get() {
        let longer = rows.iter().flat_map(|row| {
            let left = (0..seats.get() as u64).filter(|offset| !row.contains(offset));
            left.map(|offset| [row.as_slice(), &[offset]].concat())
        });
        rows = longer.collect();
    }
    rows.iter().map(|row| Row::parse(row, seats).expect("a permutation")).collect()
}

/// Returns the winner under optimal play if the bot declares this row, and the other seats those.
fn winner_with(game: &MatchInfo, others: &BySeat<Row>, declared: &Row) -> Seat {
    let mut rows = others.clone();
    rows[game.seat] = declared.clone();
    let matrix = AllianceMatrix::from_rows(rows).expect("all rows have the same length");
    solve_winners(&game.piles, &matrix, game.ending)[game.first]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Oracle, practice_games::games};
    use lastnim_core::{
        game::{Game, MatchId},
        referee::{Deal, DealHash, MatchSetup},
    };
    use proptest::prelude::*;

    /// Returns the view of the first seat to move, to which its row in the game was dealt by this rule.
    fn dealt_view(game: &Game, rule: DealRule) -> MatchView {
        let seats = game.matrix.seats();
        let bots: Vec<_> = (0..seats.get()).map(|seat| format!("bot-{seat}").parse().unwrap()).collect();
        let mut setup = MatchSetup::new(bots.try_into().unwrap(), game.piles.clone());
        (setup.first, setup.ending) = (game.first_seat(), game.ending);
        let commitments = BySeat::filled(seats, &DealHash::from_bytes([0; 32]));
        setup.deal = Some(Box::new(Deal { rule, commitments }));
        let view = MatchView::replay(MatchId::least(), setup, &game.matrix, &[]).unwrap();
        view.with_dealt_row(game.matrix.rows()[game.first_seat()].clone())
    }

    proptest! {
        #[test]
        fn the_lie_is_the_best_reply_if_the_other_rows_are_known(game in games(), seed: u64) {
            let seats = game.matrix.seats();
            prop_assume!(seats.get() <= 4);
            let known = Row::standard(seats);
            let view = dealt_view(&game, DealRule::List(vec![known.clone()]));
            let honest = view.honest_row();
            prop_assert_eq!(Oracle.declare(view.info()), honest.clone());
            let others = BySeat::filled(seats, &known);
            let rank = |row: &Row| honest.rank(view.seat, winner_with(view.info(), &others, row));
            let declared = Liar::new(seed).declare(view.info());
            let mut draw = SeededDraw::new(0, 0);
            let best = rows_to_consider(seats, MAX_ROWS, &mut draw).iter().map(rank).min().unwrap();
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

    #[test]
    fn the_rows_to_consider_are_distinct_and_limited() {
        let seats = SeatCount::new(4).unwrap();
        let mut rows = rows_to_consider(seats, MAX_ROWS, &mut SeededDraw::new(0, 0));
        rows.sort_by_key(ToString::to_string);
        rows.dedup();
        assert_eq!(rows.len(), 24);
        let many = SeatCount::new(32).unwrap();
        assert_eq!(rows_to_consider(many, 7, &mut SeededDraw::new(0, 0)).len(), 7);
    }
}
