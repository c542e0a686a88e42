//! The tallies from which the standings are computed.

use super::{MatchOutcome, Scoring, Standing, VersionTally};
use lastnim_core::game::{BotName, Seat, SeatCount};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Totals over the matches of one bot. They are integers, so that the order of the matches does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct StandingTally {
    matches: u32,
    wins: u32,
    /// The total satisfaction, in units of 1 / (n - 1) for n seats.
    satisfaction_units: i64,
    /// The total satisfaction that optimal play would have given if all seats had declared their dealt rows, in the
    /// same units; `None` before the first match with dealt rows.
    honest_units: Option<i64>,
    regret: i64,
    luck: i64,
    plies: i64,
    optimal_plies: i64,
    forfeits: u32,
    no_shows: u32,
    /// The points for the bot's byes, in the units of the scoring. The format sets them.
    #[serde(skip)]
    bye_units: i64,
    versions: VersionTally,
}

impl StandingTally {
    /// Sets the points for the bot's byes, in the units of the scoring.
    pub(super) fn set_bye_scores(&mut self, units: i64) {
        self.bye_units = units;
    }

    /// Counts a match that the bot played in `seat`. A lost seat counts as last, even if the steward won for it.
    pub(super) fn add_match(&mut self, outcome: &MatchOutcome, seat: Seat) {
        let (result, credit) = (&outcome.seats[seat], outcome.credit(seat));
        self.matches += 1;
        if credit.attended {
            self.versions.add_match(result.versions.as_slice(), credit.won);
        }
        self.wins += u32::from(credit.won);
        self.satisfaction_units += i64::from(credit.satisfaction_units);
        if let Some(rank) = result.rank_honest {
            let units = i64::from(credit.max_satisfaction_units.saturating_sub(rank));
            *self.honest_units.get_or_insert(0) += units;
        }
        self.forfeits += u32::from(!credit.kept);
        self.no_shows += u32::from(!credit.attended);
        self.regret += i64::from(result.regret);
        self.luck += i64::from(result.luck);
        self.plies += i64::from(result.plies);
        self.optimal_plies += i64::from(result.optimal_plies);
    }

    /// Returns the points, including those for byes: a number of wins, or satisfaction in units of 1 / (n - 1).
    pub(super) fn score_units(&self, scoring: Scoring) -> i64 {
        self.won_units(scoring) + self.bye_units
    }

    /// Returns the points without those for byes.
    fn won_units(&self, scoring: Scoring) -> i64 {
        match scoring {
            Scoring::Win => i64::from(self.wins),
            Scoring::Satisfaction => self.satisfaction_units,
        }
    }

    /// Compares the points per match without rounding. A bot without matches has 0. Byes do not count.
    pub(super) fn cmp_units_per_match(&self, other: &Self, scoring: Scoring) -> Ordering {
        let scale = |won: i64, matches: u32| i128::from(won) * i128::from(matches.max(1));
        scale(self.won_units(scoring), other.matches).cmp(&scale(other.won_units(scoring), self.matches))
    }

    /// Compares the regret per match without rounding. A bot without matches has 0. A bot that played matches but made
    /// no take comes last, since it had no chance to err.
    pub(super) fn cmp_regret(&self, other: &Self) -> Ordering {
        let scale = |regret: i64, matches: u32| i128::from(regret) * i128::from(matches.max(1));
        let by_regret = scale(self.regret, other.matches).cmp(&scale(other.regret, self.matches));
        self.made_no_takes().cmp(&other.made_no_takes()).then(by_regret)
    }

    /// Returns whether the bot played matches but made no take.
    pub(super) fn made_no_takes(&self) -> bool {
        self.matches > 0 && self.plies == 0
    }

    /// Creates the bot's line in the standings.
    pub(super) fn to_standing(
        &self,
        place: u32,
        bot: BotName,
        scoring: Scoring,
        seats: SeatCount,
    ) -> Standing {
        let worst = i64::from(seats.get() as u32 - 1);
        let matches = i64::from(self.matches);
        Standing {
            place,
            place_range: None,
            tie_break: None,
            bot,
            points: scoring.points_of_units(self.score_units(scoring), seats),
            matches: self.matches,
            wins: self.wins,
            satisfaction: mean_of(self.satisfaction_units, worst * matches),
            relative_satisfaction: self
                .honest_units
                .and_then(|honest| mean_of(self.satisfaction_units - honest, worst * matches)),
            accuracy: mean_of(self.optimal_plies, self.plies),
            // A bot that made no take had no chance to err.
            regret_per_match: mean_of(self.regret, matches).filter(|_| self.plies > 0),
            luck_per_match: mean_of(self.luck, matches),
            forfeits: self.forfeits,
            no_shows: self.no_shows,
            rating: None,
            elo: None,
            skill: None,
            versions: self.versions.played_versions(),
            is_disqualified: false,
            is_withdrawn: false,
        }
    }
}

fn mean_of(sum: i64, of: i64) -> Option<f64> {
    (of > 0).then(|| divide_integers(sum, of))
}

#[expect(clippy::cast_precision_loss, reason = "a tournament's counts are far below 2^53")]
fn divide_integers(sum: i64, by: i64) -> f64 {
    sum as f64 / by as f64
}
