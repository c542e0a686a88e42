//! Answers to questions about a game of any rules.

use super::{
    Answer, AnsweredOption, Anyone, Bound, Bounds, Grundy, GrundyValues, Method, Mover, NoGrundy, Outcome,
    Rules, Solver, Stopped, TwoPlayers,
};
use crate::{
    game::{AllianceMatrix, BySeat, Ending, Seat},
    oracle::Budget,
};
use std::collections::HashSet;

/// What is asked about a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) matrix: &'a AllianceMatrix,
    /// The seat to move.
    pub(super) first: Seat,
    pub(super) ending: Ending,
    pub(super) bounds: Bounds,
}

/// Answers for a game in which all seats have the same options.
pub(super) fn answer_impartial<R: Rules<Mover = Anyone>>(
    rules: &R,
    position: &R::Position,
    question: &Question<'_>,
    budget: &mut Budget<'_>,
) -> Result<Answer, Stopped> {
    if R::IS_SUM && question.is_normal_play_of_two() {
        return answer_by_parts(rules, position, question, budget);
    }
    let mut answer = answer_by_search(rules, position, question, budget)?;
    if let Some(two) = &mut answer.two_players {
        let mut values = GrundyValues::new(rules, question.bounds);
        two.grundy = grundy_value(&mut values, position, budget).map_err(NoGrundy::Stopped);
        answer.states += values.states();
    }
    Ok(answer)
}

/// Answers for a game in which the options depend on the seat.
pub(super) fn answer_partizan<R: Rules>(
    rules: &R,
    position: &R::Position,
    question: &Question<'_>,
    budget: &mut Budget<'_>,
) -> Result<Answer, Stopped> {
    answer_by_search(rules, position, question, budget)
}

impl Question<'_> {
    /// Returns whether it is about two seats that each want to win, where the last mover does.
    fn is_normal_play_of_two(&self) -> bool {
        let seats = self.matrix.seats();
        seats.get() == 2
            && self.ending == Ending::LastMoverWins
            && *self.matrix == AllianceMatrix::standard(seats)
    }

    fn after(&self) -> Seat {
        self.matrix.seats().next(self.first)
    }

    /// Puts an answer together.
    pub(super) fn answer(
        &self,
        winner_by_first: BySeat<Seat>,
        options: Vec<AnsweredOption>,
        method: Method,
        states: u64,
    ) -> Answer {
        let winner = winner_by_first[self.first];
        let two_players = Outcome::of(&winner_by_first)
            .map(|outcome| TwoPlayers { outcome, grundy: Err(NoGrundy::Partizan) });
        Answer {
            winner,
            value: self.matrix.seats().distance(self.first, winner),
            winner_by_first,
            options,
            method,
            states,
            two_players,
        }
    }

    /// Lists every move of a position, by what `winner_after` says, which also says how many states are known.
    fn options<R: Rules>(
        &self,
        rules: &R,
        position: &R::Position,
        mut winner_after: impl FnMut(&R::Position) -> Result<(Seat, u64), Stopped>,
    ) -> Result<Vec<AnsweredOption>, Stopped> {
        let mut seen = HashSet::new();
        let mut options: Vec<AnsweredOption> = Vec::new();
        let (mut bytes, mut best) = (0, usize::MAX);
        for (play, after) in rules.options(position.clone(), R::Mover::of(self.first)) {
            if !seen.insert(play.clone()) {
                continue;
            }
            let (winner, states) = winner_after(&after)?;
            let (play, position) = (play.to_string(), after.to_string());
            bytes += play.len() + position.len() + size_of::<AnsweredOption>() + size_of::<R::Move>();
            if bytes as u64 > self.bounds.bytes {
                return Err(Stopped { bound: Bound::Bytes(self.bounds.bytes), states });
            }
            best = best.min(self.matrix.rank(self.first, winner));
            options.push(AnsweredOption { play, position, winner, regret: 0 });
        }
        for option in &mut options {
            option.regret = (self.matrix.rank(self.first, option.winner) - best) as u32;
        }
        Ok(options)
    }
}

fn answer_by_search<R: Rules>(
    rules: &R,
    position: &R::Position,
    question: &Question<'_>,
    budget: &mut Budget<'_>,
) -> Result<Answer, Stopped> {
    let mut solver = Solver::new(rules, question.matrix, question.ending, question.bounds);
    let winners = solver.winners(position, budget)?;
    let options = question.options(rules, position, |after| {
        look_at_option(budget, solver.states())?;
        let winners = solver.winners(after, budget)?;
        Ok((winners[question.after()], solver.states()))
    })?;
    Ok(question.answer(winners, options, Method::BackwardInduction, solver.states()))
}

/// Spends the step of an option that is listed: what it leads to may be known, and there may be millions of them.
fn look_at_option(budget: &mut Budget<'_>, states: u64) -> Result<(), Stopped> {
    budget.spend(1).map_err(|halt| Stopped { bound: Bound::Work(halt), states })
}

/// Answers for two seats that each want to win, where the last mover does, by Sprague's and Grundy's theorem.
fn answer_by_parts<R: Rules<Mover = Anyone>>(
    rules: &R,
    position: &R::Position,
    question: &Question<'_>,
    budget: &mut Budget<'_>,
) -> Result<Answer, Stopped> {
    let mut values = GrundyValues::new(rules, question.bounds);
    let grundy = grundy_value(&mut values, position, budget)?;
    let seats = question.matrix.seats();
    let winner = |value: u64, to_move: Seat| if value == 0 { seats.next(to_move) } else { to_move };
    let options = question.options(rules, position, |after| {
        look_at_option(budget, values.states())?;
        let value = values.value(after, budget)?;
        Ok((winner(value.into(), question.after()), values.states()))
    })?;
    let winners = BySeat::from_fn(seats, |to_move| winner(grundy.value, to_move));
    let mut answer = question.answer(winners, options, Method::SpragueGrundy, values.states());
    if let Some(two) = &mut answer.two_players {
        two.grundy = Ok(grundy);
    }
    Ok(answer)
}

fn grundy_value<R: Rules<Mover = Anyone>>(
    values: &mut GrundyValues<'_, R>,
    position: &R::Position,
    budget: &mut Budget<'_>,
) -> Result<Grundy, Stopped> {
    let parts = values.parts(position, budget)?;
    let value = parts.iter().fold(0, |value, &(_, part)| value ^ u64::from(part));
    let parts = parts.into_iter().map(|(part, value)| (part.to_string(), value.into())).collect();
    Ok(Grundy { value, parts })
}
