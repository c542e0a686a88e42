//! How often two bots answer the same state of a game with the same take.

use super::{
    AuditedMatch,
    audited_match::BotPly,
    estimate::{share_of, to_float},
    similar_choices::smallest_key,
};
use lastnim_core::game::Ending;
use lastnim_tournament::SeededDraw;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of answers that are kept. Beyond it, the states with the largest keys are dropped, so that a random
/// sample of states remains, the same for any order of the matches.
const MAX_ANSWERS: usize = 200_000;

/// How often a bot answered like another, or like itself, in states that both met.
///
/// A state is all that a bot may know before a take: the piles, the rows, who moves, and the rule that decides who
/// wins. States in which only one take is legal are left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EqualAnswers {
    /// The number of states that both bots answered. If a bot is compared with itself, the number of states that it
    /// answered at least twice.
    pub states: u64,
    /// The mean probability that two answers to a state are the same take, from 0 to 1; each state counts the same.
    pub equal: f64,
    /// The same mean probability if both had erred as often as they did, but independently, and had chosen at random
    /// among the optimal takes and among the errors.
    pub by_chance: f64,
}

/// A take in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Answer {
    take: u64,
    is_optimal: bool,
}

/// The answers of each bot to one state.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct StateAnswers {
    optimal_takes: u64,
    /// The number of legal takes that are errors.
    errors: u64,
    answers: BTreeMap<usize, Answers>,
}

/// The answers of one bot to one state, with how often it gave them.
type Answers = BTreeMap<Answer, u32>;

/// The answers of an audited bot and of those that it met, by state.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct AnswerTally {
    states: BTreeMap<u64, StateAnswers>,
    answers: usize,
    /// States with this key or a larger one are left out.
    first_dropped_key: Option<u64>,
}

/// Hashes everything that the mover may know.
fn state_key(game: &AuditedMatch<'_>, ply: &BotPly<'_>) -> u64 {
    let (seats, mover) = (ply.position.seats(), ply.position.to_move());
    let ending = match game.game.ending {
        Ending::ToMoveWins => 0,
        Ending::LastMoverWins => 1,
    };
    let piles = ply.position.untouched_piles();
    let head = [seats.get() as u64, ending, piles.len() as u64, ply.position.counters()];
    let rows = (0..seats.get()).flat_map(|offset| {
        let row = &game.game.matrix.rows()[seats.seat_at_offset(mover, offset)];
        row.offsets().iter().map(|&offset| u64::from(offset))
    });
    SeededDraw::from_numbers(head.into_iter().chain(piles.iter().copied()).chain(rows)).next_bits()
}

impl StateAnswers {
    /// Returns the sum, over all bots, of the number of different answers that each bot gave.
    fn len(&self) -> usize {
        self.answers.values().map(BTreeMap::len).sum()
    }
}

impl AnswerTally {
    /// Adds a take that a bot made itself.
    pub(super) fn add_ply(&mut self, bot: usize, game: &AuditedMatch<'_>, ply: &BotPly<'_>) {
        let legal = ply.audit.counters;
        if legal < 2 {
            return;
        }
        let key = state_key(game, ply);
        if self.first_dropped_key.is_some_and(|from| key >= from) {
            return;
        }
        let optimal_takes: u64 = ply.audit.optimal_takes.iter().map(|takes| takes.hi - takes.lo + 1).sum();
        let state = self.states.entry(key).or_insert_with(|| StateAnswers {
            optimal_takes,
            errors: legal - optimal_takes,
            answers: BTreeMap::new(),
        });
        let answers = state.answers.entry(bot).or_default();
        let before = answers.len();
        let answer = Answer { take: ply.audit.take, is_optimal: ply.audit.is_optimal() };
        *answers.entry(answer).or_default() += 1;
        self.answers += answers.len() - before;
        self.drop_excess_states();
    }

    /// Adds other answers of the same bots; returns `None` if a sum is too large.
    pub(super) fn merge(&mut self, other: Self) -> Option<()> {
        for (key, of_other) in other.states {
            let state = self.states.entry(key).or_insert_with(|| StateAnswers {
                optimal_takes: of_other.optimal_takes,
                errors: of_other.errors,
                answers: BTreeMap::new(),
            });
            for (bot, answers) in of_other.answers {
                let kept = state.answers.entry(bot).or_default();
                for (answer, times) in answers {
                    let sum = kept.entry(answer).or_default();
                    *sum = sum.checked_add(times)?;
                }
            }
        }
        self.first_dropped_key = smallest_key(self.first_dropped_key, other.first_dropped_key);
        if let Some(from) = self.first_dropped_key {
            self.states.split_off(&from);
        }
        self.answers = self.states.values().map(StateAnswers::len).sum();
        self.drop_excess_states();
        Some(())
    }

    /// Gives the bots new numbers: `new[number]` for each `number`.
    pub(super) fn renumber_bots(&mut self, new: &[usize]) {
        for state in self.states.values_mut() {
            let answers = std::mem::take(&mut state.answers);
            state.answers = answers.into_iter().map(|(bot, answers)| (new[bot], answers)).collect();
        }
    }

    /// Returns whether the answers can come from this many bots.
    pub(super) fn is_possible(&self, bots: usize) -> bool {
        let mut all = self.states.values().flat_map(|state| &state.answers);
        all.all(|(&bot, answers)| {
            bot < bots && !answers.is_empty() && answers.values().all(|&times| times > 0)
        })
    }

    fn drop_excess_states(&mut self) {
        while self.answers > MAX_ANSWERS
            && let Some((key, dropped)) = self.states.pop_last()
        {
            self.answers -= dropped.len();
            self.first_dropped_key = Some(key);
        }
    }

    /// Compares two bots, or a bot with itself; `None` if they have no answers to compare.
    pub(super) fn compare(&self, one: usize, other: usize) -> Option<EqualAnswers> {
        let both = self.states.values().filter_map(|state| {
            let (of_one, of_other) = (state.answers.get(&one)?, state.answers.get(&other)?);
            Some((state, of_one, of_other, equal_share(of_one, of_other, one == other)?))
        });
        let both: Vec<_> = both.collect();
        let states = both.len() as u64;
        let count = (states > 0).then(|| count_to_float(states))?;
        let one_errs = both.iter().map(|(_, of_one, ..)| error_share(of_one)).sum::<f64>() / count;
        let other_errs = both.iter().map(|(_, _, of_other, _)| error_share(of_other)).sum::<f64>() / count;
        let by_chance = both.iter().map(|(state, ..)| {
            let equal_errors =
                if state.errors > 0 { one_errs * other_errs / count_to_float(state.errors) } else { 0.0 };
            (1.0 - one_errs) * (1.0 - other_errs) / count_to_float(state.optimal_takes) + equal_errors
        });
        let by_chance = by_chance.sum::<f64>() / count;
        let equal = both.iter().map(|&(.., equal)| equal).sum::<f64>() / count;
        Some(EqualAnswers { states, equal, by_chance })
    }
}

/// Returns the share of equal takes among all pairs of answers; `None` without pairs. No answer is paired with itself.
fn equal_share(of_one: &Answers, of_other: &Answers, is_same_bot: bool) -> Option<f64> {
    let total = |answers: &Answers| answers.values().map(|&times| u64::from(times)).sum::<u64>();
    let (all, mut equal) = (total(of_one) * (total(of_other) - u64::from(is_same_bot)), 0);
    for (answer, &times) in of_one {
        let its_times = of_other.get(answer).copied().unwrap_or_default() - u32::from(is_same_bot);
        equal += u64::from(times) * u64::from(its_times);
    }
    share_of(equal, all)
}

fn error_share(answers: &Answers) -> f64 {
    let (errors, all) = answers.iter().fold((0, 0), |(errors, all), (answer, &times)| {
        (errors + if answer.is_optimal { 0 } else { times }, all + times)
    });
    f64::from(errors) / f64::from(all)
}

fn count_to_float(count: u64) -> f64 {
    to_float(i64::try_from(count).unwrap_or(i64::MAX))
}
