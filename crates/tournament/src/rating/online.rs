//! Ratings that move with every match.

use super::{
    ConfidenceInterval, RatedMatch, Rating, RatingMeasure, satisfaction_ratings::rank_variance,
    update::StrengthUpdate,
};
use crate::{
    MatchResult,
    checkpoint::{CheckpointError, ensure_holds},
};
use lastnim_core::game::BotName;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The variance of a strength by wins of which nothing is known: what the one virtual draw that every bot starts with leaves of
/// it, whose information is 1/4.
const FIRST_VARIANCE_OF_WINS: f64 = 4.0;
/// The variance of a strength by satisfaction of which nothing is known: of two bots in three it lies within 0.2 of the mean.
const FIRST_VARIANCE_OF_SATISFACTION: f64 = 0.04;
/// The quantile of the normal distribution that 95 of 100 values do not exceed in size.
const QUANTILE: f64 = 1.959_963_984_540_054;

/// Ratings that move with every match, by the same model as [`Ratings`](super::Ratings): the winner's chance is its share
/// of the strengths at the table.
///
/// What is known of all bots together is a normal distribution, covariances included. A match is added to it by Bayes' rule,
/// and what comes out is again taken as normal around the most probable strengths (Laplace's approximation). Each match
/// counts once and none is kept. The covariances are what bots that only meet their like cannot do without: a variance
/// for each bot alone would soon be sure of itself, and wrong. They cost 4 N^2 bytes of N bots, and an update some n N^2
/// operations: with 1,000 bots about a millisecond. A bot that leaves costs no more than its name.
///
/// It is close to the most likely strengths from the start and meets them in the long run. It is for pairing while matches
/// are played; what is published should be [`Ratings`](super::Ratings), which depend on no order. Sources: Glickman,
/// "Parameter Estimation in Large Dynamic Paired Comparison Experiments" (1999), for one variance a bot; Herbrich, Minka
/// and Graepel, "A Bayesian Skill Rating System" (2007), for the filter.
///
/// By satisfaction, a match says how far each bot at its table lay above their mean (see
/// [`SatisfactionRatings`](super::SatisfactionRatings)), and what is known stays normal exactly. The matches of a whole duplicate group
/// together tell the same of the strengths as its places do one by one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OnlineRatings {
    measure: RatingMeasure,
    numbers: BTreeMap<BotName, usize>,
    matches: Vec<u32>,
    strengths: Vec<f64>,
    /// The covariances of a bot with those before it, and its variance.
    covariances: Vec<Vec<f64>>,
    /// By bot: the sum of its covariances with all bots.
    sums: Vec<f64>,
    /// The bots that left.
    absent: BTreeMap<BotName, AbsentBot>,
}

/// What is kept of a bot that left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct AbsentBot {
    matches: u32,
    strength: f64,
    variance: f64,
}

/// What is known of the strength of one bot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrengthBelief {
    /// The most probable strength, by the measure of the ratings: of wins the logarithm of a share, of satisfaction how far it lies
    /// above the mean.
    pub strength: f64,
    /// The standard deviation of the strength against the mean of all bots: what pairing by uncertainty goes by.
    pub deviation: f64,
    /// The matches that count.
    pub matches: u32,
}

impl StrengthBelief {
    /// Returns the rating, where strengths are measured by wins.
    pub fn rating(&self) -> Rating {
        Rating::of_strength(self.strength)
    }

    /// Returns where the strength lies with a probability of 95%, if matches are independent.
    pub fn interval(&self) -> ConfidenceInterval<f64> {
        let half = QUANTILE * self.deviation;
        ConfidenceInterval { low: self.strength - half, high: self.strength + half }
    }
}

impl OnlineRatings {
    /// Starts without any bot.
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

    /// Returns a lead that is worth telling from none: by wins, that of a bot which wins 73 of 100 matches of two; by satisfaction as
    /// much of a match.
    pub fn notable_lead(&self) -> f64 {
        match self.measure {
            RatingMeasure::Wins => 1.0,
            RatingMeasure::Satisfaction => 0.23,
        }
    }

    fn first_variance(&self) -> f64 {
        match self.measure {
            RatingMeasure::Wins => FIRST_VARIANCE_OF_WINS,
            RatingMeasure::Satisfaction => FIRST_VARIANCE_OF_SATISFACTION,
        }
    }

    /// Gives a bot a strength of 0 before its first match; one that has a rating keeps it.
    pub fn add_bot(&mut self, bot: &BotName) {
        self.number_of_bot(bot);
    }

    /// Forgets how the strength of a bot hangs together with those of others. If it enters again, or a match counts for it, it
    /// has the rating that it had, and what is known of it by itself; of the others all is known that was known before.
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

    /// Checks what was read of a checkpoint.
    pub(crate) fn ensure_consistent(&self, measure: RatingMeasure) -> Result<(), CheckpointError> {
        ensure_holds(self.measure == measure, "ratings are by another measure")?;
        let bots = self.numbers.len();
        let numbers: BTreeSet<usize> = self.numbers.values().copied().collect();
        let are_numbered = numbers.len() == bots && numbers.last().is_none_or(|&last| last < bots);
        ensure_holds(are_numbered, "a bot is rated twice")?;
        let lengths = [self.matches.len(), self.strengths.len(), self.covariances.len(), self.sums.len()];
        let is_whole =
            lengths == [bots; 4] && (1..).zip(&self.covariances).all(|(number, row)| row.len() == number);
        ensure_holds(is_whole, "not every two bots have a covariance")
    }

    /// Takes in one match; each must be taken in once. Their order matters a little.
    pub fn update_with(&mut self, result: &MatchResult) {
        let (bots, scores): (Vec<&BotName>, Vec<f64>) = match self.measure {
            RatingMeasure::Wins => {
                let Some(said) = RatedMatch::of_result(result) else { return };
                let bots = said.table().iter().copied();
                bots.map(|bot| (bot, f64::from(u8::from(bot == said.winner())))).unzip()
            }
            RatingMeasure::Satisfaction => satisfaction_by_name(result).into_iter().unzip(),
        };
        if bots.len() < 2 {
            return;
        }
        let table: Vec<usize> = bots.into_iter().map(|bot| self.number_of_bot(bot)).collect();
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
        // By member of the table: the covariances of all bots with it.
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

    /// Returns what is known of a bot; none if it left, or never entered and no match counted for it.
    pub fn get(&self, bot: &BotName) -> Option<StrengthBelief> {
        let number = *self.numbers.get(bot)?;
        Some(self.belief(number, self.variance_of_mean()))
    }

    /// Iterates over all bots that are there, in the order of their names, and what is known of each.
    pub fn iter(&self) -> impl Iterator<Item = (&BotName, StrengthBelief)> {
        let of_mean = self.variance_of_mean();
        self.numbers.iter().map(move |(bot, &number)| (bot, self.belief(number, of_mean)))
    }

    /// Returns the standard deviation of the difference of two strengths; none if one of the bots is not known.
    pub fn deviation_between(&self, one: &BotName, other: &BotName) -> Option<f64> {
        let (&one, &other) = (self.numbers.get(one)?, self.numbers.get(other)?);
        let variance =
            self.covariance(one, one) + self.covariance(other, other) - 2.0 * self.covariance(one, other);
        Some(variance.max(0.0).sqrt())
    }

    fn number_of_bot(&mut self, bot: &BotName) -> usize {
        if let Some(&number) = self.numbers.get(bot) {
            return number;
        }
        let unknown = AbsentBot { matches: 0, strength: 0.0, variance: self.first_variance() };
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

    fn belief(&self, bot: usize, of_mean: f64) -> StrengthBelief {
        let variance = self.covariance(bot, bot) - 2.0 * self.sums[bot] / self.count() + of_mean;
        StrengthBelief {
            strength: self.strengths[bot],
            deviation: variance.max(0.0).sqrt(),
            matches: self.matches[bot],
        }
    }

    fn variance_of_mean(&self) -> f64 {
        self.sums.iter().sum::<f64>() / self.count().powi(2)
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of bots is far below 2^53")]
    fn count(&self) -> f64 {
        self.strengths.len() as f64
    }
}

/// Returns the bots that came to a match, in the order of their names, and how satisfied each was.
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
