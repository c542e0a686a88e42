//! Ratings that are updated after every match.

use super::{
    ConfidenceInterval, RatedMatch, Rating, RatingMeasure, satisfaction_ratings::rank_variance,
    update::StrengthUpdate,
};
use crate::{
    MatchResult,
    checkpoint::{CheckpointError, ensure_valid},
};
use lastnim_core::game::BotName;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The prior variance of a strength by wins: the inverse of 1/4, the information of the virtual draw.
const WINS_PRIOR_VARIANCE: f64 = 4.0;
/// The prior variance of a strength by satisfaction: two out of three bots are expected to be within 0.2 of the mean.
const SATISFACTION_PRIOR_VARIANCE: f64 = 0.04;
/// The quantile of the standard normal distribution for a two-sided 95% interval.
const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;

/// Ratings that are updated after every match, with the same model as [`Ratings`](super::Ratings): a bot's chance to
/// win is its share of the strengths at the table.
///
/// The state is a multivariate normal distribution over all strengths. Each match updates it by Bayes' rule, and the
/// result is approximated by a normal distribution around the most probable strengths (Laplace's approximation).
/// Matches are not stored. The covariances matter if bots meet only similar bots: with nothing but a variance for each
/// bot, ratings would soon be certain but wrong. For N bots, the covariances take 4 N^2 bytes, and updating them after
/// a match takes about n N^2 operations: up to about a millisecond with 1,000 bots. For a bot that has left, no
/// covariances are stored.
///
/// The ratings are close to the maximum likelihood strengths from the start and converge to them. They are meant for
/// pairing bots during a tournament. The ratings to publish are [`Ratings`](super::Ratings), which do not depend on the
/// order of matches. Sources: Glickman, "Parameter Estimation in Large Dynamic Paired Comparison Experiments" (1999),
/// for one variance per bot; Herbrich, Minka and Graepel, "A Bayesian Skill Rating System" (2007), for the filter.
///
/// If satisfaction is the measure, a match shows how far each bot was above the mean of its table (see
/// [`SatisfactionRatings`](super::SatisfactionRatings)), and the update is exact. All matches of a duplicate group
/// together give the same information about the strengths as comparing its bots seat by seat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OnlineRatings {
    measure: RatingMeasure,
    /// The numbers of the present bots, from 0.
    numbers: BTreeMap<BotName, usize>,
    /// By bot: the number of matches that count for it.
    matches: Vec<u32>,
    /// By bot: its most probable strength.
    strengths: Vec<f64>,
    /// By bot: its covariances with the bots before it, followed by its variance.
    covariances: Vec<Vec<f64>>,
    /// By bot: the sum of its covariances with all bots.
    sums: Vec<f64>,
    /// The bots that have left.
    absent: BTreeMap<BotName, AbsentBot>,
}

/// The stored rating of a bot that has left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct AbsentBot {
    matches: u32,
    strength: f64,
    variance: f64,
}

/// The estimated strength of one bot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrengthBelief {
    /// The most probable strength: for wins, the logarithm of the bot's share; for satisfaction, its distance from the
    /// mean.
    pub strength: f64,
    /// The standard deviation of the strength relative to the mean of all bots; pairing by uncertainty uses it.
    pub deviation: f64,
    /// Number of matches that count for the bot.
    pub matches: u32,
}

impl StrengthBelief {
    /// Returns the strength as a rating. It is meaningful only if the measure is wins.
    pub fn rating(&self) -> Rating {
        Rating::of_strength(self.strength)
    }

    /// Returns the 95% interval of the strength. It assumes that matches are independent.
    pub fn interval(&self) -> ConfidenceInterval<f64> {
        let half = NORMAL_QUANTILE * self.deviation;
        ConfidenceInterval { low: self.strength - half, high: self.strength + half }
    }
}

impl OnlineRatings {
    /// Creates ratings without bots.
    pub fn new(measure: RatingMeasure) -> Self {
        Self {
            measure,
            numbers: BTreeMap::new(),
            matches: Vec::new(),
            strengths: Vec::new(),
            covariances: Vec::new(),
            sums: Vec::new(),
            absent: BTreeMap::new(),
        }
    }

    fn prior_variance(&self) -> f64 {
        match self.measure {
            RatingMeasure::Wins => WINS_PRIOR_VARIANCE,
            RatingMeasure::Satisfaction => SATISFACTION_PRIOR_VARIANCE,
        }
    }

    /// Adds a bot with strength 0; a known bot keeps its rating.
    pub fn add_bot(&mut self, bot: &BotName) {
        self.find_or_add_bot(bot);
    }

    /// Removes a bot and its covariances. If the bot returns, or another match counts for it, it gets its old rating
    /// and variance back. The estimates of the other bots do not change.
    pub fn remove_bot(&mut self, bot: &BotName) {
        let Some(gone) = self.numbers.remove(bot) else { return };
        for other in 0..self.sums.len() {
            self.sums[other] -= self.covariance(other, gone);
        }
        let variance = self.covariance(gone, gone);
        self.covariances.remove(gone);
        for covariances in &mut self.covariances[gone..] {
            covariances.remove(gone);
        }
        self.sums.remove(gone);
        let (matches, strength) = (self.matches.remove(gone), self.strengths.remove(gone));
        for number in self.numbers.values_mut() {
            *number -= usize::from(*number > gone);
        }
        self.absent.insert(bot.clone(), AbsentBot { matches, strength, variance });
    }

    /// Checks that values decoded from a checkpoint are consistent.
    pub(crate) fn ensure_consistent(&self, measure: RatingMeasure) -> Result<(), CheckpointError> {
        ensure_valid(self.measure == measure, "the ratings use a different measure")?;
        let bots = self.numbers.len();
        let numbers: BTreeSet<usize> = self.numbers.values().copied().collect();
        let are_numbered = numbers.len() == bots && numbers.last().is_none_or(|&last| last < bots);
        ensure_valid(are_numbered, "the numbers of the rated bots are not unique or have gaps")?;
        let lengths = [self.matches.len(), self.strengths.len(), self.covariances.len(), self.sums.len()];
        let is_whole =
            lengths == [bots; 4] && (1..).zip(&self.covariances).all(|(number, row)| row.len() == number);
        ensure_valid(is_whole, "the ratings or covariances do not fit the number of bots")
    }

    /// Updates the ratings by the result of one match. Each match must be used only once. The order of the matches has
    /// a small effect.
    pub fn update_with(&mut self, result: &MatchResult) {
        let (bots, scores): (Vec<&BotName>, Vec<f64>) = match self.measure {
            RatingMeasure::Wins => {
                let Some(rated) = RatedMatch::of_result(result) else { return };
                let bots = rated.table().iter().copied();
                bots.map(|bot| (bot, f64::from(u8::from(bot == rated.winner())))).unzip()
            }
            RatingMeasure::Satisfaction => satisfaction_by_name(result).into_iter().unzip(),
        };
        if bots.len() < 2 {
            return;
        }
        let table: Vec<usize> = bots.into_iter().map(|bot| self.find_or_add_bot(bot)).collect();
        let known: Vec<Vec<f64>> = table
            .iter()
            .map(|&one| table.iter().map(|&other| self.covariance(one, other)).collect())
            .collect();
        let strengths: Vec<f64> = table.iter().map(|&bot| self.strengths[bot]).collect();
        let StrengthUpdate { gradient, precision } = match self.measure {
            RatingMeasure::Wins => StrengthUpdate::of_match(&strengths, &known, &scores),
            RatingMeasure::Satisfaction => {
                let variance = rank_variance(result.bots.seats().get());
                StrengthUpdate::of_scores(&strengths, &known, &scores, variance)
            }
        };
        // The covariances of each member of the table with all bots.
        let columns: Vec<Vec<f64>> = table
            .iter()
            .map(|&member| (0..self.strengths.len()).map(|bot| self.covariance(bot, member)).collect())
            .collect();
        let table_sums: Vec<f64> = table.iter().map(|&member| self.sums[member]).collect();
        for (bot, covariances) in self.covariances.iter_mut().enumerate() {
            let own: Vec<f64> = columns.iter().map(|column| column[bot]).collect();
            let lessened: Vec<f64> = precision.iter().map(|row| dot_product(row, &own)).collect();
            self.strengths[bot] += dot_product(&own, &gradient);
            self.sums[bot] -= dot_product(&lessened, &table_sums);
            for (lessened, column) in lessened.iter().zip(&columns) {
                for (covariance, with_member) in covariances.iter_mut().zip(column) {
                    *covariance -= lessened * with_member;
                }
            }
        }
        for member in table {
            self.matches[member] += 1;
        }
    }

    /// Returns the estimate of a bot; `None` if it has left or is unknown.
    pub fn get(&self, bot: &BotName) -> Option<StrengthBelief> {
        let number = *self.numbers.get(bot)?;
        Some(self.belief(number, self.variance_of_mean()))
    }

    /// Iterates over all present bots and their estimates, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&BotName, StrengthBelief)> {
        let variance_of_mean = self.variance_of_mean();
        self.numbers.iter().map(move |(bot, &number)| (bot, self.belief(number, variance_of_mean)))
    }

    /// Returns the standard deviation of the difference between two strengths; `None` if either bot has left or is
    /// unknown.
    pub fn deviation_between(&self, one: &BotName, other: &BotName) -> Option<f64> {
        let (&one, &other) = (self.numbers.get(one)?, self.numbers.get(other)?);
        let variance =
            self.covariance(one, one) + self.covariance(other, other) - 2.0 * self.covariance(one, other);
        Some(variance.max(0.0).sqrt())
    }

    fn find_or_add_bot(&mut self, bot: &BotName) -> usize {
        if let Some(&number) = self.numbers.get(bot) {
            return number;
        }
        let unknown = AbsentBot { matches: 0, strength: 0.0, variance: self.prior_variance() };
        let AbsentBot { matches, strength, variance } = self.absent.remove(bot).unwrap_or(unknown);
        let number = self.strengths.len();
        self.numbers.insert(bot.clone(), number);
        self.matches.push(matches);
        self.strengths.push(strength);
        self.sums.push(variance);
        let mut covariances = vec![0.0; number + 1];
        covariances[number] = variance;
        self.covariances.push(covariances);
        number
    }

    fn covariance(&self, one: usize, other: usize) -> f64 {
        self.covariances[one.max(other)][one.min(other)]
    }

    fn belief(&self, bot: usize, variance_of_mean: f64) -> StrengthBelief {
        let variance = self.covariance(bot, bot) - 2.0 * self.sums[bot] / self.bot_count() + variance_of_mean;
        StrengthBelief {
            strength: self.strengths[bot],
            deviation: variance.max(0.0).sqrt(),
            matches: self.matches[bot],
        }
    }

    fn variance_of_mean(&self) -> f64 {
        self.sums.iter().sum::<f64>() / self.bot_count().powi(2)
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of bots is far below 2^53")]
    fn bot_count(&self) -> f64 {
        self.strengths.len() as f64
    }
}

/// Returns the bots that attended a match, in the order of names, with their satisfaction.
fn satisfaction_by_name(result: &MatchResult) -> Vec<(&BotName, f64)> {
    let Some(outcome) = &result.outcome else { return Vec::new() };
    let credits = result.bots.enumerate().map(|(seat, bot)| (bot, outcome.credit(seat)));
    let came = credits.filter(|(_, credit)| credit.attended);
    let mut scores: Vec<_> = came.map(|(bot, credit)| (bot, credit.satisfaction())).collect();
    scores.sort_unstable_by_key(|&(bot, _)| bot);
    scores
}

fn dot_product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
