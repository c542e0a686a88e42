//! Ratings by wins or by satisfaction, and the data from which they are computed.

use super::{
    RatedMatches, Rating, RatingMeasure, Ratings, ReplicateCount, Resampling, SatisfactionRatings,
    SatisfactionScores, StrengthLead,
};
use crate::{
    MatchResult, StandingRating,
    checkpoint::{CheckpointError, ensure_valid},
    place_range::ClearOrder,
};
use lastnim_core::{
    game::BotName,
    oracle::{Budget, HaltReason},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The data from which the ratings of a tournament are computed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum RatedResults {
    /// The data for ratings by wins.
    Wins(RatedMatches),
    /// The data for ratings by satisfaction.
    Satisfaction(SatisfactionScores),
}

/// The ratings of a tournament's bots.
#[derive(Debug, Clone, PartialEq)]
pub enum StrengthRatings {
    /// Ratings by wins.
    Wins(Ratings),
    /// Ratings by satisfaction.
    Satisfaction(SatisfactionRatings),
}

impl RatedResults {
    /// Creates data without matches.
    pub fn new(measure: RatingMeasure) -> Self {
        match measure {
            RatingMeasure::Wins => Self::Wins(RatedMatches::new()),
            RatingMeasure::Satisfaction => Self::Satisfaction(SatisfactionScores::new()),
        }
    }

    /// Adds the result of one match. Each match must be added exactly once.
    pub fn add_result(&mut self, result: &MatchResult) {
        match self {
            Self::Wins(matches) => matches.add_result(result),
            Self::Satisfaction(scores) => scores.add_result(result),
        }
    }

    /// Removes the matches of all groups with lower numbers than this one.
    pub fn forget_groups_before(&mut self, group: u64) {
        match self {
            Self::Wins(matches) => matches.forget_groups_before(group),
            Self::Satisfaction(scores) => scores.forget_groups_before(group),
        }
    }

    /// Returns whether no match counts.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Wins(matches) => matches.is_empty(),
            Self::Satisfaction(scores) => scores.is_empty(),
        }
    }

    /// Computes the ratings. One step of the budget pays for processing one seat of a table, which takes about 10 ns.
    ///
    /// # Errors
    /// If the budget runs out.
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

    /// Checks that values decoded from a checkpoint are consistent.
    pub(crate) fn ensure_consistent(&self, measure: RatingMeasure) -> Result<(), CheckpointError> {
        match (self, measure) {
            (Self::Wins(matches), RatingMeasure::Wins) => matches.ensure_consistent(),
            (Self::Satisfaction(scores), RatingMeasure::Satisfaction) => scores.ensure_consistent(),
            _ => ensure_valid(false, "the ratings use a different measure"),
        }
    }
}

impl StrengthRatings {
    /// Returns the rating of a bot for the standings; `None` if it is not rated.
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

    /// Returns the lead of one bot over another; `None` if either is not rated or no chain of matches connects them.
    pub fn lead_between(&self, one: &BotName, other: &BotName) -> Option<StrengthLead> {
        match self {
            Self::Wins(ratings) => ratings.lead_between(one, other),
            Self::Satisfaction(ratings) => ratings.lead_between(one, other),
        }
    }

    /// Compares all pairs of rated bots: see [`ClearOrder::new`].
    pub(crate) fn clear_order(
        &self,
        replicates: ReplicateCount,
        budget: &mut Budget,
    ) -> Result<Option<ClearOrder>, HaltReason> {
        let bots = match self {
            Self::Wins(ratings) => ratings.bots().iter().map(|rated| rated.bot.clone()).collect(),
            Self::Satisfaction(ratings) => ratings.bots().iter().map(|rated| rated.bot.clone()).collect(),
        };
        ClearOrder::new(bots, |one, other| self.lead_between(one, other), replicates.get().into(), budget)
    }

    /// Returns, for each of these bots that is rated, its strength relative to the mean strength of these bots on the
    /// same island, and the variance of its strength.
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

    /// Returns the maximum that the standard deviation of the strengths in a field is assumed to have. For wins it is
    /// 3, which is about 520 points. For satisfaction it is 1/2, as if half of the bots were always fully satisfied and
    /// the other half never.
    pub(crate) fn max_spread(&self) -> f64 {
        match self {
            Self::Wins(_) => 3.0,
            Self::Satisfaction(_) => 0.5,
        }
    }
}
