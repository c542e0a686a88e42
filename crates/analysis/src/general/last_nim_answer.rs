//! Answers questions about Last Nim, for piles of any size.

use super::{
    GeneralAnswer, GeneralRobustness, GrundyDecomposition, GrundyPart, MoveOutcome, MoveRobustness,
    SearchStopped, SolvingMethod, answering::PositionQuestion,
};
use crate::Robustness;
use lastnim_core::{
    game::{Game, Piles, Position, Seat},
    oracle::{Budget, Solution},
};

/// Answers a question with the fast solver. In the answer, adjacent takes that lead to the same winner form one option.
pub(super) fn answer_last_nim(
    piles: &Piles,
    question: &PositionQuestion<'_>,
    budget: &mut Budget<'_>,
) -> Result<GeneralAnswer, SearchStopped> {
    let n = question.matrix.seats().get();
    let steps = (piles.len() + n) * n * n;
    budget
        .spend(steps as u64)
        .map_err(|halt| SearchStopped { bound: super::ExceededBound::Work(halt), states: 0 })?;
    let game = Game::new(piles.clone(), question.matrix.clone(), question.first.index(), question.ending)
        .expect("the matrix has the first seat");
    let solution = Solution::new(&game);
    let position = game.first_position();
    let options = take_run_outcomes(&solution, &position, question);
    let mut answer = question.make_answer(
        solution.winners(&position),
        options,
        SolvingMethod::CapTheorem,
        piles.len() as u64,
    );
    if let Some(two) = &mut answer.two_players {
        two.grundy = Ok(last_nim_grundy(piles));
    }
    Ok(answer)
}

/// Assesses how robust the winner of a position is. It also regroups the options of `answer` into runs of takes with
/// the same winner and the same guaranteed rank.
pub(super) fn assess_last_nim(
    piles: &Piles,
    question: &PositionQuestion<'_>,
    answer: &mut GeneralAnswer,
    max_coalition: usize,
    budget: &mut Budget<'_>,
) -> GeneralRobustness {
    let game = Game::new(piles.clone(), question.matrix.clone(), question.first.index(), question.ending)
        .expect("the matrix has the first seat");
    let Robustness { position, seats, takes, .. } = Robustness::assess(&game, max_coalition, budget);
    let predicted_rank = seats[question.first].predicted_rank;
    answer.options = takes
        .iter()
        .map(|option| {
            let left = [option.takes.hi, option.takes.lo].map(|take| position.counters() - take);
            run_outcome(&position, left, option.winner, option.rank - predicted_rank)
        })
        .collect();
    let moves = takes
        .iter()
        .map(|option| MoveRobustness { guaranteed_rank: option.guaranteed_rank, safety: option.safety });
    GeneralRobustness { seats, moves: moves.collect() }
}

/// Returns the takes of a position in ascending order, grouped into runs of takes that lead to the same winner.
fn take_run_outcomes(
    solution: &Solution,
    position: &Position,
    question: &PositionQuestion<'_>,
) -> Vec<MoveOutcome> {
    let counters = position.counters();
    let (n, mover) = (question.matrix.seats().get(), position.to_move());
    let best = question.matrix.rank(mover, solution.winner(position));
    let winner_after = |left: u64| {
        let mut next_position = position.clone();
        next_position.take(counters - left).expect("the take is in range");
        solution.winner(&next_position)
    };
    // Leaving more than n counters is worth the same as leaving n. Leaving 0 is a separate run, since play then moves
    // on to another pile.
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for left in 0..counters.min(n as u64 + 1) {
        let last = if left == n as u64 { counters - 1 } else { left };
        match runs.last_mut() {
            Some((fewest, most)) if *fewest > 0 && winner_after(*fewest) == winner_after(left) => {
                *most = last;
            }
            _ => runs.push((left, last)),
        }
    }
    let option = |(fewest, most): (u64, u64)| {
        let winner = winner_after(fewest);
        run_outcome(position, [fewest, most], winner, (question.matrix.rank(mover, winner) - best) as u32)
    };
    runs.into_iter().rev().map(option).collect()
}

/// Returns the outcome of the takes that leave `fewest` to `most` counters.
fn run_outcome(position: &Position, [fewest, most]: [u64; 2], winner: Seat, regret: u32) -> MoveOutcome {
    let counters = position.counters();
    MoveOutcome {
        play: format!(
            "take {} from pile {}",
            range_text(counters - most, counters - fewest),
            position.pile_index()
        ),
        position: piles_text(position.untouched_piles(), &range_text(fewest, most)),
        winner,
        regret,
    }
}

/// Writes the untouched piles, followed by the number of counters left in the pile in play.
fn piles_text(untouched: &[u64], left: &str) -> String {
    let mut piles: Vec<_> = untouched.iter().map(u64::to_string).collect();
    piles.push(left.to_owned());
    piles.join(",")
}

fn range_text(lo: u64, hi: u64) -> String {
    if lo == hi { lo.to_string() } else { format!("{lo} to {hi}") }
}

/// Returns the Grundy value for two seats. Appending a pile of x counters to piles of value g gives the value x - 1 if
/// x is at most g, and x otherwise.
///
/// With b counters left in the last pile, the options have the value g (no counters left) and the values for 1 to b - 1
/// counters. So the values for 1, 2, 3, .. counters are 0, 1, 2, .. with g left out.
fn last_nim_grundy(piles: &Piles) -> GrundyDecomposition {
    let value = piles.as_slice().iter().fold(0, |before, &counters| counters - u64::from(counters <= before));
    let whole = GrundyPart { part: piles.to_string(), value, options: Vec::new() };
    GrundyDecomposition { value, parts: Some(whole).filter(|_| !piles.is_empty()).into_iter().collect() }
}
