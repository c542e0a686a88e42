//! The answers that a model has given in its open matches.

use super::answer::ModelAnswer;
use lastnim_config::text_settings;
use lastnim_core::game::MatchId;
use std::{
    collections::BTreeMap,
    fmt,
    str::FromStr,
    sync::{Mutex, PoisonError},
};
use thiserror::Error;

/// The maximum number of matches that are remembered; the oldest is forgotten first.
pub const MAX_MATCHES: usize = 4_096;
/// The maximum number of takes of a match that are remembered in addition to the row, or one more if no row was asked
/// for; the latest are kept.
const MAX_TAKES: usize = 20;

/// Which of the model's own answers a prompt repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Memory {
    /// Nothing: no question depends on an earlier one.
    None,
    /// The model's answers, reasons and wishes in the same match.
    #[default]
    Match,
}

/// A word that is not a value of this setting.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?}: expected none or match")]
pub struct MemoryError(String);

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::Match => "match",
        })
    }
}

impl FromStr for Memory {
    type Err = MemoryError;

    fn from_str(word: &str) -> Result<Self, MemoryError> {
        match word {
            "none" => Ok(Self::None),
            "match" => Ok(Self::Match),
            _ => Err(MemoryError(word.to_owned())),
        }
    }
}

text_settings!(Memory);

/// A model's answer to an earlier question of the match.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierAnswer {
    /// The ply of the take; `None` for the row.
    pub ply: Option<u32>,
    /// The answer.
    pub given: ModelAnswer,
}

/// A model's answers in its open matches.
#[derive(Debug, Default)]
pub struct MatchMemories(Mutex<BTreeMap<MatchId, BTreeMap<Option<u32>, ModelAnswer>>>);

impl MatchMemories {
    /// Remembers an answer; a second answer to the same question replaces the first.
    pub fn remember_answer(&self, id: MatchId, ply: Option<u32>, given: &ModelAnswer) {
        let mut matches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let answers = matches.entry(id).or_default();
        answers.insert(ply, given.clone());
        if answers.len() > MAX_TAKES + 1 {
            let oldest_take = answers.keys().copied().find(Option::is_some);
            oldest_take.and_then(|ply| answers.remove(&ply));
        }
        if matches.len() > MAX_MATCHES {
            matches.pop_first();
        }
    }

    /// Returns the answers in a match before the question at `ply`, in order.
    pub fn answers_before(&self, id: MatchId, ply: Option<u32>) -> Vec<EarlierAnswer> {
        let matches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let answers = matches.get(&id).into_iter().flat_map(|answers| answers.range(..ply));
        answers.map(|(&ply, given)| EarlierAnswer { ply, given: given.clone() }).collect()
    }

    /// Forgets a match.
    pub fn forget_match(&self, id: MatchId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Claims};

    #[test]
    fn answers_are_remembered_by_match_and_ply() {
        let memories = MatchMemories::default();
        let id = |number: u64| MatchId::new(number, &[0; 10]);
        let take_answer = |take| ModelAnswer { answer: Answer::Take(take), claims: Claims::default() };
        memories.remember_answer(id(1), None, &take_answer(9));
        for ply in 0..50 {
            memories.remember_answer(id(1), Some(ply), &take_answer(ply.into()));
        }
        memories.remember_answer(id(1), Some(49), &take_answer(7));
        let known = memories.answers_before(id(1), Some(50));
        let plies: Vec<_> = known.iter().map(|answer| answer.ply).collect();
        assert_eq!(plies, [None].into_iter().chain((30..50).map(Some)).collect::<Vec<_>>());
        assert_eq!(known.last().unwrap().given, take_answer(7));
        // A repeated question does not include the model's earlier answer to it.
        assert_eq!(memories.answers_before(id(1), Some(49)).len(), 20);
        assert_eq!(memories.answers_before(id(1), None), []);
        assert_eq!(memories.answers_before(id(2), Some(1)), []);
        for number in 2..=MAX_MATCHES as u64 + 1 {
            memories.remember_answer(id(number), None, &take_answer(1));
        }
        assert_eq!(memories.answers_before(id(1), Some(50)), [], "the oldest match is forgotten");
        memories.forget_match(id(5));
        assert_eq!(memories.answers_before(id(5), Some(1)), []);
    }
}
