//! What a bot does if its model gives no answer.

use super::question::{Answer, Question};
use lastnim_bots::Random;
use lastnim_client::Bot as _;
use lastnim_config::text_settings;
use lastnim_core::game::Row;
use lastnim_tournament::SeededDraw;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// What a bot does if its model gives no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailurePolicy {
    /// Gives up its seat in the match.
    #[default]
    Forfeit,
    /// Takes one counter, or declares the standard row.
    FirstLegal,
    /// Takes a random number of counters, or declares a random row. The draw depends on the bot's seed.
    Random,
}

/// An unknown policy.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?}: expected forfeit, first-legal or random")]
pub struct FailurePolicyError(String);

impl FailurePolicy {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::Forfeit, Self::FirstLegal, Self::Random];

    /// Returns its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forfeit => "forfeit",
            Self::FirstLegal => "first-legal",
            Self::Random => "random",
        }
    }

    /// Returns the answer that the bot gives instead of the model; `None` to give up the seat. In a round of talk, the
    /// bot is silent, whatever the policy.
    pub fn choose_answer(self, question: &Question<'_>, seed: u64) -> Option<Answer> {
        match (self, question) {
            (_, Question::Talk(_)) => Some(Answer::Talk(Vec::new())),
            (Self::Forfeit, _) => None,
            (Self::FirstLegal, Question::Row(info)) => Some(Answer::Row(Row::standard(info.seats()))),
            (Self::FirstLegal, Question::Take(_)) => Some(Answer::Take(1)),
            (Self::Random, Question::Row(info)) => {
                let number = info.origin.as_ref().map_or(0, |of| of.number);
                let numbers = [seed, number, info.seat.index() as u64].into_iter();
                let mut offsets: Vec<_> = (0..info.seats().get() as u64).collect();
                SeededDraw::from_numbers(numbers.chain(info.piles.as_slice().iter().copied()))
                    .shuffle(&mut offsets);
                Row::parse(&offsets, info.seats()).ok().map(Answer::Row)
            }
            (Self::Random, Question::Take(view)) => Some(Answer::Take(Random::new(seed).play(view))),
        }
    }
}

impl fmt::Display for FailurePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for FailurePolicy {
    type Err = FailurePolicyError;

    fn from_str(word: &str) -> Result<Self, FailurePolicyError> {
        Self::ALL
            .into_iter()
            .find(|policy| policy.name() == word)
            .ok_or_else(|| FailurePolicyError(word.into()))
    }
}

text_settings!(FailurePolicy);

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_client::MatchView;
    use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles, SeatCount};

    #[test]
    fn answers_by_policy_are_legal_and_deterministic() {
        let matrix = AllianceMatrix::standard(SeatCount::new(5).unwrap());
        let game = Game::new(Piles::parse(&[3, 1_000]).unwrap(), matrix, 0, Ending::default()).unwrap();
        let view = MatchView::practice(&game, &[7]).unwrap();
        let (row, take) = (Question::Row(view.info()), Question::Take(&view));
        for policy in FailurePolicy::ALL {
            assert_eq!(policy.to_string().parse(), Ok(policy));
            for seed in 0..20 {
                let chosen = policy.choose_answer(&take, seed);
                assert_eq!(chosen, policy.choose_answer(&take, seed));
                match chosen {
                    None => assert_eq!(policy, FailurePolicy::Forfeit),
                    Some(answer) => assert!(matches!(answer, Answer::Take(1..=993))),
                }
                let chosen = policy.choose_answer(&row, seed);
                assert_eq!(chosen.is_none(), policy == FailurePolicy::Forfeit);
            }
        }
        let rows: std::collections::BTreeSet<_> = (0..20)
            .filter_map(|seed| FailurePolicy::Random.choose_answer(&row, seed))
            .map(|answer| format!("{answer:?}"))
            .collect();
        assert!(rows.len() > 5, "{rows:?}");
        assert_eq!(
            "forfiet".parse::<FailurePolicy>().unwrap_err().to_string(),
            "\"forfiet\": expected forfeit, first-legal or random"
        );
    }
}
