//! What a match is worth to a bot when two bots are compared.

use super::{MatchOutcome, Scoring, SprtMeasure};
use lastnim_core::game::Seat;

impl SprtMeasure {
    /// Returns the value of a seat's game. A forfeited seat gets the worst value: no points, or all ranks as regret.
    /// Otherwise a bot could avoid errors by staying away. Regret is negated, and capped at all ranks: ranks given back
    /// by others can be lost again, and a test needs a bound.
    pub fn value_of_game(self, scoring: Scoring, outcome: &MatchOutcome, seat: Seat) -> f64 {
        let (credit, result) = (outcome.credit(seat), &outcome.seats[seat]);
        let worst = credit.max_satisfaction_units;
        match self {
            Self::Points => match scoring {
                Scoring::Win => f64::from(u32::from(credit.won)),
                Scoring::Satisfaction => credit.satisfaction(),
            },
            Self::Regret if !credit.kept => -f64::from(worst),
            Self::Regret => -f64::from(result.regret.min(worst)),
        }
    }
}
