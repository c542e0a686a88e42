//! The value of a match to a bot, by which two bots are compared.

use super::{MatchOutcome, Scoring, SprtMeasure};
use lastnim_core::game::Seat;

impl SprtMeasure {
    /// Returns the value of a match to the bot at `seat`. Regret is negated, so that more is always better, and limited
    /// to n - 1 ranks. Without the limit it could be larger, because a bot can lose the same rank again after another
    /// bot has given it back, but a test needs bounded values.
    ///
    /// A forfeited seat gets the worst value: no points, or a regret of n - 1. Otherwise a bot could avoid regret by
    /// staying away.
    pub fn match_value(self, scoring: Scoring, outcome: &MatchOutcome, seat: Seat) -> f64 {
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
