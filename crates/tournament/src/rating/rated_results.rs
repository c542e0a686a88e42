//! What ratings follow from, and what they are, by what they are measured by.

use super::{
    RatedMatches, Rating, RatingMeasure, Ratings, Resampling, SatisfactionRatings, SatisfactionScores,
    StrengthLead,
};
use crate::{
    MatchResult, StandingRating,
    checkpoint::{CheckpointError, ensure_holds},
};
use lastnim_core::{
    game::BotName,
    oracle::{Budget, HaltReason},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the ratings of a tournament follow from: who won, or how satisfied bots were.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum RatedResults {
    /// Who won.
    Wins(RatedMatches),
    /// How satisfied bots were.
    Satisfaction(SatisfactionScores),
}

/// How strong the bots of a tournament are, by the same measure.
#[derive(Debug, Clone, PartialEq)]
pub enum StrengthRatings {
    /// By who won.
    Wins(Ratings),
    /// By how satisfied they were.
    Satisfaction(SatisfactionRatings),
}

impl RatedResults {
    /// Starts without any match.
    pub fn new(measure: RatingMeasure) -> Self {
        match measure {
            RatingMeasure::Wins => Self::Wins(RatedMatches::new()),
            RatingMeasure::Satisfaction => Self::Satisfaction(SatisfactionScores::new()),
        }
    }

    /// Adds one match; each must be added once.
    pub fn add_result(&mut self, result: &MatchResult) {
        match self {
            Self::Wins(matches) => matches.add_result(result),
            Self::Satisfaction(scores) => scores.add_result(result),
        }
    }

    /// Forgets the matches of groups before one, as if they had never been added.
    pub fn forget_before(&mut self, group: u64) {
        match self {
            Self::Wins(matches) => matches.forget_before(group),
            Self::Satisfaction(scores) => scores.forget_before(group),
        }
    }

    /// Returns whether no match counts.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Wins(matches) => matches.is_empty(),
            Self::Satisfaction(scores) => scores.is_empty(),
        }
    }

    /// Works out the ratings. A step of the budget is one look at a seat of a table, about 10 ns.
    ///
    /// # Errors
    /// If the budget does not allow it.
    pub fn compute_ratings(
        &self,
        resampling: &Resampling,
        budget: &mut Budget,
    ) -> Result<StrengthRatings, HaltReason> {
        Ok(match self {
            Self::Wins(matches) => StrengthRatings::Wins(matches.compute_ratings(resampling, budget)?),
            Self::Satisfaction(scores) => {
                StrengthRatings::Satisfaction(scores.compute_ratings(resampling, budget)?)
            }
        })
    }

    /// Checks what was read of a checkpoint.
    pub(crate) fn ensure_consistent(&self, measure: RatingMeasure) -> Result<(), CheckpointError> {
        match (self, measure) {
            (Self::Wins(matches), RatingMeasure::Wins) => matches.ensure_consistent(),
            (Self::Satisfaction(scores), RatingMeasure::Satisfaction) => scores.ensure_consistent(),
            _ => ensure_holds(false, "ratings are by another measure"),
        }
    }
}

impl StrengthRatings {
    /// Returns the rating of a bot, as the standings show it; none if it is not known.
    pub fn get(&self, bot: &BotName) -> Option<StandingRating> {
        Some(match self {
            Self::Wins(ratings) => {
                let rated = ratings.get(bot)?;
                StandingRating {
                    measure: RatingMeasure::Wins,
                    points: rated.rating.points(),
                    interval: rated.interval.map(Rating::points),
                    island: rated.island,
                }
            }
            Self::Satisfaction(ratings) => {
                let rated = ratings.get(bot)?;
                StandingRating {
                    measure: RatingMeasure::Satisfaction,
                    points: rated.lead,
                    interval: rated.interval,
                    island: rated.island,
                }
            }
        })
    }

    /// Returns how far one bot is ahead of another; none if one is not known, or if no chain of matches joins them.
    pub fn lead_between(&self, one: &BotName, other: &BotName) -> Option<StrengthLead> {
        match self {
            Self::Wins(ratings) => ratings.lead_between(one, other),
            Self::Satisfaction(ratings) => ratings.lead_between(one, other),
        }
    }

    /// Returns how far each of these bots that are rated lies from the mean of those of its island, and the variance of that.
    pub(crate) fn strengths(&self, bots: &[&BotName]) -> Vec<(f64, f64)> {
        let known = bots.iter().filter_map(|bot| match self {
            Self::Wins(ratings) => ratings.strength_and_variance(bot),
            Self::Satisfaction(ratings) => ratings.strength_and_variance(bot),
        });
        let known: Vec<(u32, f64, f64)> = known.collect();
        let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for &(island, strength, _) in &known {
            let (sum, count) = sums.entry(island).or_default();
            (*sum, *count) = (*sum + strength, *count + 1.0);
        }
        let mean = |island| sums.get(&island).map_or(0.0, |(sum, count)| sum / count);
        known.into_iter().map(|(island, strength, variance)| (strength - mean(island), variance)).collect()
    }

    /// Returns the most that the standard deviation of the strengths of a field may be taken to be: by wins 3, some 520 points; by
    /// satisfaction 1/2, as where half of the bots get all and the other half nothing.
    pub(crate) fn greatest_spread(&self) -> f64 {
        match self {
            Self::Wins(_) => 3.0,
            Self::Satisfaction(_) => 0.5,
        }
    }
}
