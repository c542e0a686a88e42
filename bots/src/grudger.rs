//! A bot that takes revenge.

use super::oracle::smallest_optimal_take_of;
use lastnim_client::{Bot, MatchView, SeenTake, TakeFeed};
use lastnim_core::{
    game::{BySeat, Seat, SeatCount},
    oracle::{Solution, TakeOutcome},
};
use std::cmp::Reverse;

/// Maximum number of ranks that a take may cost the bot itself when it takes revenge.
const MAX_PRICE: usize = 1;

/// Takes revenge on the seats that cost it ranks in this match, if the revenge costs it at most one rank; declares
/// the standard row.
///
/// - **Debt**: the ranks, according to the oracle and the bot's row, that the seat's takes have cost the bot, minus the
///   ranks that they have gained it, minus the ranks that the bot's own takes have cost the seat since the match began.
///   The bot counts the takes in [`MatchView::seen_takes`]: the newest 1,024, without any made while it was
///   disconnected.
/// - **Order**: the seat with the largest debt pays first; on ties, the seat that moves next.
/// - **Revenge**: a take after which the predicted winner has a worse rank for that seat than under optimal play, and a
///   rank at most one worse for the bot. It makes the take that costs the seat most; among takes with the same winner,
///   the smallest. If there is no such take, it tries the next seat.
/// - If it cannot take revenge on any seat, it makes the smallest optimal take.
///
/// The bot is deterministic and needs no seed.
#[derive(Debug, Clone, Copy)]
pub struct Grudger;

impl Bot for Grudger {
    fn take_feed(&self) -> TakeFeed {
        TakeFeed::All
    }

    fn play(&mut self, game: &MatchView) -> u64 {
        let solution = Solution::new(game.game());
        let outcomes: Vec<_> = solution.take_outcomes(game.position()).collect();
        let mut debtors = find_debtors(game, &solution).into_iter();
        debtors
            .find_map(|seat| find_payback(game, &outcomes, solution.winner(game.position()), seat))
            .unwrap_or_else(|| smallest_optimal_take_of(&solution, game.position()))
    }
}

/// Returns the seats in debt to the bot, in the order in which it tries to take revenge.
fn find_debtors(game: &MatchView, solution: &Solution) -> Vec<Seat> {
    let owed = owed_ranks(game, solution);
    let mut debtors: Vec<_> = game.seats().iter().filter(|&seat| owed[seat] > 0).collect();
    debtors.sort_by_key(|&seat| (Reverse(owed[seat]), game.seats().distance_between(game.seat, seat)));
    debtors
}

/// Returns the debt of each seat; the debt of the bot's own seat is 0.
fn owed_ranks(game: &MatchView, solution: &Solution) -> BySeat<i32> {
    let mut owed = BySeat::filled(game.seats(), &0);
    for seen in game.seen_takes() {
        let Some([before, after]) = winners_before_and_after(seen, solution) else { continue };
        let cost = |seat| rank_of(game, seat, after) - rank_of(game, seat, before);
        let mover = seen.before.to_move();
        if mover == game.seat {
            for seat in other_seats(game.seats(), game.seat) {
                owed[seat] -= cost(seat).max(0);
            }
        } else {
            owed[mover] += cost(game.seat);
        }
    }
    owed
}

/// Returns the winners under optimal play before and after a take, if they differ.
fn winners_before_and_after(seen: &SeenTake, solution: &Solution) -> Option<[Seat; 2]> {
    let mut after = seen.before.clone();
    after.take(seen.take).ok()?;
    let winners = [solution.winner(&seen.before), solution.winner(&after)];
    (winners[0] != winners[1]).then_some(winners)
}

fn other_seats(seats: SeatCount, own: Seat) -> impl Iterator<Item = Seat> {
    seats.iter().filter(move |&seat| seat != own)
}

fn rank_of(game: &MatchView, seat: Seat, winner: Seat) -> i32 {
    (game.matrix().rank(seat, winner) as u32).cast_signed()
}

/// Returns the take that costs the debtor most, among those that the bot can afford; `None` if no such take costs the
/// debtor anything.
fn find_payback(game: &MatchView, outcomes: &[TakeOutcome], predicted: Seat, debtor: Seat) -> Option<u64> {
    let own_rank = |winner| game.matrix().rank(game.seat, winner);
    let debtors = |winner| game.matrix().rank(debtor, winner);
    outcomes
        .iter()
        .filter(|outcome| own_rank(outcome.winner) <= own_rank(predicted) + MAX_PRICE)
        .filter(|outcome| debtors(outcome.winner) > debtors(predicted))
        .max_by_key(|outcome| (debtors(outcome.winner), Reverse(outcome.takes.lo)))
        .map(|outcome| outcome.takes.lo)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Oracle, practice_games::random_game};
    use lastnim_core::{
        game::Game,
        oracle::{Audit, PlayedTake},
    };
    use lastnim_tournament::SeededDraw;

    /// The takes of a match so far, with their audit.
    struct PartialMatch {
        takes: Vec<u64>,
        audit: Audit,
    }

    impl PartialMatch {
        fn of_takes(game: &Game, takes: &[u64]) -> Self {
            let played: Vec<_> = takes.iter().copied().map(PlayedTake::by_bot).collect();
            Self { takes: takes.to_vec(), audit: Audit::of_adjudicated(game, &played).unwrap() }
        }

        /// Returns a seat's debt to another according to the audit.
        fn owed(&self, game: &Game, debtor: Seat, own: Seat) -> i32 {
            let plies_of = |seat: Seat| self.audit.plies.iter().filter(move |ply| ply.seat == seat);
            let cost: i32 = plies_of(debtor).map(|ply| ply.cost(game, own)).sum();
            cost - plies_of(own).map(|ply| ply.cost(game, debtor).max(0)).sum::<i32>()
        }
    }

    /// Draws an unfinished match of random takes.
    fn random_match(number: u64) -> (Game, PartialMatch) {
        let game = random_game(number, 3 + (number % 3) as usize, 4, 6);
        let mut draw = SeededDraw::new(5, number);
        let mut takes = Vec::new();
        let mut position = game.first_position();
        for _ in 0..draw.number_below(8) {
            let take = 1 + draw.number_below(position.counters());
            let mut after = position.clone();
            after.take(take).unwrap();
            if after.is_over() {
                break;
            }
            takes.push(take);
            position = after;
        }
        let played = PartialMatch::of_takes(&game, &takes);
        (game, played)
    }

    #[test]
    fn revenge_hits_a_seat_with_a_debt_and_costs_the_bot_at_most_one_rank() {
        let (mut paid, mut without_debt) = (0, 0);
        for number in 0..3_000 {
            let (game, before) = random_match(number);
            let view = MatchView::practice(&game, &before.takes).unwrap();
            let take = Grudger.play(&view);
            let after = PartialMatch::of_takes(&game, &[&before.takes[..], &[take]].concat());
            let ply = after.audit.plies.last().unwrap();
            let owing = |seat: &Seat| before.owed(&game, *seat, view.seat) > 0;
            let others: Vec<_> = other_seats(view.seats(), view.seat).collect();
            if !others.iter().any(owing) {
                without_debt += 1;
                assert_eq!(take, Oracle.play(&view), "match {number}");
            }
            assert!(ply.regret <= 1, "match {number}");
            if ply.predicted_after == ply.predicted_before {
                assert_eq!(take, Oracle.play(&view), "match {number}");
            } else {
                paid += 1;
                let pays = |seat: &Seat| owing(seat) && ply.cost(&game, *seat) > 0;
                assert!(others.iter().any(pays), "match {number}: {ply}");
            }
        }
        assert!(paid > 30 && without_debt > 300, "{paid} {without_debt}");
    }

    #[test]
    fn takes_that_the_bot_missed_create_no_debt() {
        for number in 0..300 {
            let (game, before) = random_match(number);
            let view = MatchView::practice(&game, &before.takes).unwrap();
            let view = view.with_takes_missed(0..u32::MAX);
            assert_eq!(Grudger.play(&view), Oracle.play(&view), "match {number}");
        }
    }

    #[test]
    fn no_revenge_is_taken_on_a_seat_that_has_paid_its_debt() {
        let mut paid = 0;
        for number in 0..3_000 {
            let (game, before) = random_match(number);
            let mut takes = before.takes;
            let own = MatchView::practice(&game, &takes).unwrap().seat;
            // From this point on the others play optimally, so debts can only shrink.
            while let Ok(view) = MatchView::practice(&game, &takes) {
                let owed = |takes: &[u64]| {
                    let played = PartialMatch::of_takes(&game, takes);
                    let owed =
                        other_seats(view.seats(), own).map(|seat| played.owed(&game, seat, own).max(0));
                    owed.sum::<i32>()
                };
                let before = owed(&takes);
                let take = if view.seat == own { Grudger.play(&view) } else { Oracle.play(&view) };
                let is_optimal = take == Oracle.play(&view);
                takes.push(take);
                paid += u32::from(!is_optimal);
                assert!(is_optimal || owed(&takes) < before, "match {number}");
            }
        }
        assert!(paid > 30, "{paid}");
    }
}
