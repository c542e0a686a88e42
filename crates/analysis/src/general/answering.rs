//! Answers queries about games with any rules.

use super::{
    Anyone, ExceededBound, GeneralAnswer, GrundyDecomposition, GrundyOption, GrundyPart, GrundySolver,
    MemoryBounds, MoveOutcome, Mover, NoGrundyReason, OutcomeClass, PositionSolver, Rules, SearchStopped,
    SolvingMethod, TwoPlayerAnswer,
};
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Ending, Seat},
    oracle::Budget,
};
use std::collections::{BTreeMap, HashSet};

/// A query about a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct PositionQuestion<'a> {
    pub(super) matrix: &'a AllianceMatrix,
    /// The seat to move.
    pub(super) first: Seat,
    pub(super) ending: Ending,
    pub(super) bounds: MemoryBounds,
}

/// Answers a query about an impartial game, in which all seats have the same options.
pub(super) fn answer_impartial<R: Rules<MoverKind = Anyone>>(
    rules: &R,
    position: &R::Position,
    question: &PositionQuestion<'_>,
    budget: &mut Budget<'_>,
) -> Result<GeneralAnswer, SearchStopped> {
    if R::IS_SUM && question.is_two_player_normal_play() {
        return answer_by_parts(rules, position, question, budget);
    }
    let mut answer = answer_by_search(rules, position, question, budget)?;
    if let Some(two) = &mut answer.two_players {
        let mut values = GrundySolver::new(rules, question.bounds);
        two.grundy = decompose_grundy(&mut values, position, budget).map_err(NoGrundyReason::Stopped);
        answer.states += values.state_count();
    }
    Ok(answer)
}

/// Answers a query about a partizan game, in which the options depend on the seat.
pub(super) fn answer_partizan<R: Rules>(
    rules: &R,
    position: &R::Position,
    question: &PositionQuestion<'_>,
    budget: &mut Budget<'_>,
) -> Result<GeneralAnswer, SearchStopped> {
    answer_by_search(rules, position, question, budget)
}

impl PositionQuestion<'_> {
    /// Returns whether there are two seats, each wants to win, and the last mover wins.
    fn is_two_player_normal_play(&self) -> bool {
        let seats = self.matrix.seats();
        seats.get() == 2
            && self.ending == Ending::LastMoverWins
            && *self.matrix == AllianceMatrix::standard(seats)
    }

    fn next_seat(&self) -> Seat {
        self.matrix.seats().next(self.first)
    }

    pub(super) fn make_answer(
        &self,
        winner_by_first: BySeat<Seat>,
        options: Vec<MoveOutcome>,
        method: SolvingMethod,
        states: u64,
    ) -> GeneralAnswer {
        let winner = winner_by_first[self.first];
        let two_players = OutcomeClass::of_winners(&winner_by_first)
            .map(|outcome| TwoPlayerAnswer { outcome, grundy: Err(NoGrundyReason::Partizan) });
        GeneralAnswer {
            winner,
            value: self.matrix.seats().distance_between(self.first, winner),
            winner_by_first,
            options,
            method,
            states,
            two_players,
        }
    }

    /// Lists every move of a position, with the winner that a solver finds after the move.
    pub(super) fn list_searched_options<R: Rules>(
        &self,
        rules: &R,
        position: &R::Position,
        solver: &mut PositionSolver<'_, R>,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<MoveOutcome>, SearchStopped> {
        self.list_options(rules, position, |after| {
            spend_option_step(budget, solver.state_count())?;
            let winners = solver.winners(after, budget)?;
            Ok((winners[self.next_seat()], solver.state_count()))
        })
    }

    /// Lists every move of a position, with the winner after the move. `winner_after` returns this winner and the
    /// number of states known so far.
    fn list_options<R: Rules>(
        &self,
        rules: &R,
        position: &R::Position,
        mut winner_after: impl FnMut(&R::Position) -> Result<(Seat, u64), SearchStopped>,
    ) -> Result<Vec<MoveOutcome>, SearchStopped> {
        let mut seen = HashSet::new();
        let mut options: Vec<MoveOutcome> = Vec::new();
        let (mut bytes, mut best) = (0, usize::MAX);
        for (play, after) in rules.moves(position.clone(), R::MoverKind::of_seat(self.first)) {
            if !seen.insert(play.clone()) {
                continue;
            }
            let (winner, states) = winner_after(&after)?;
            let (play, position) = (play.to_string(), after.to_string());
            bytes += play.len() + position.len() + size_of::<MoveOutcome>() + size_of::<R::Move>();
            if bytes as u64 > self.bounds.bytes {
                return Err(SearchStopped { bound: ExceededBound::Bytes(self.bounds.bytes), states });
            }
            best = best.min(self.matrix.rank(self.first, winner));
            options.push(MoveOutcome { play, position, winner, regret: 0 });
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
    question: &PositionQuestion<'_>,
    budget: &mut Budget<'_>,
) -> Result<GeneralAnswer, SearchStopped> {
    let mut solver = PositionSolver::new(rules, question.matrix, question.ending, question.bounds);
    let winners = solver.winners(position, budget)?;
    let options = question.list_searched_options(rules, position, &mut solver, budget)?;
    Ok(question.make_answer(winners, options, SolvingMethod::BackwardInduction, solver.state_count()))
}

/// Spends a step of the budget on a listed option. Even an option whose outcome is already known costs a step, because
/// there may be millions of options.
fn spend_option_step(budget: &mut Budget<'_>, states: u64) -> Result<(), SearchStopped> {
    budget.spend(1).map_err(|halt| SearchStopped { bound: ExceededBound::Work(halt), states })
}

/// Answers a query by the Sprague-Grundy theorem, for two seats that each want to win, with the last mover winning.
fn answer_by_parts<R: Rules<MoverKind = Anyone>>(
    rules: &R,
    position: &R::Position,
    question: &PositionQuestion<'_>,
    budget: &mut Budget<'_>,
) -> Result<GeneralAnswer, SearchStopped> {
    let mut values = GrundySolver::new(rules, question.bounds);
    let grundy = decompose_grundy(&mut values, position, budget)?;
    let seats = question.matrix.seats();
    let winner = |value: u64, to_move: Seat| if value == 0 { seats.next(to_move) } else { to_move };
    let options = question.list_options(rules, position, |after| {
        spend_option_step(budget, values.state_count())?;
        let value = values.value(after, budget)?;
        Ok((winner(value.into(), question.next_seat()), values.state_count()))
    })?;
    let winners = BySeat::from_fn(seats, |to_move| winner(grundy.value, to_move));
    let mut answer =
        question.make_answer(winners, options, SolvingMethod::SpragueGrundy, values.state_count());
    if let Some(two) = &mut answer.two_players {
        two.grundy = Ok(grundy);
    }
    Ok(answer)
}

fn decompose_grundy<R: Rules<MoverKind = Anyone>>(
    values: &mut GrundySolver<'_, R>,
    position: &R::Position,
    budget: &mut Budget<'_>,
) -> Result<GrundyDecomposition, SearchStopped> {
    values.extend_sequence(position, budget)?;
    let parts = values.part_values(position, budget)?;
    let value = parts.iter().fold(0, |value, &(_, part)| value ^ u64::from(part));
    let part = |(part, value): (R::Position, u32)| GrundyPart {
        part: part.to_string(),
        value: value.into(),
        options: Vec::new(),
    };
    Ok(GrundyDecomposition { value, parts: parts.into_iter().map(part).collect() })
}

/// Returns the Grundy values of a position and its parts, and for each part one option for each smaller value.
pub(super) fn explain_grundy<R: Rules<MoverKind = Anyone>>(
    rules: &R,
    position: &R::Position,
    bounds: MemoryBounds,
    budget: &mut Budget<'_>,
) -> Result<GrundyDecomposition, SearchStopped> {
    let mut values = GrundySolver::new(rules, bounds);
    let mut grundy = decompose_grundy(&mut values, position, budget)?;
    for (explained, part) in grundy.parts.iter_mut().zip(rules.independent_parts(position)) {
        let mut options = BTreeMap::new();
        let shown = explained.value.min(GrundyPart::MAX_SHOWN_OPTIONS as u64);
        for (_, option) in rules.moves(part, Anyone) {
            spend_option_step(budget, values.state_count())?;
            let value = u64::from(values.value(&option, budget)?);
            if value < shown {
                options.entry(value).or_insert_with(|| option.to_string());
            }
        }
        let options = options.into_iter().map(|(value, position)| GrundyOption { value, position });
        explained.options = options.collect();
    }
    Ok(grundy)
}
