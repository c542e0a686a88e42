//! Ratings by wins.

use super::{
    ConfidenceInterval, Rating, Resampling, StrengthLead, groups::SortedMatches, islands::find_islands,
    luce::maximise_likelihood, normal, resampling::StrengthDeviations,
};
use lastnim_core::{
    game::BotName,
    oracle::{Budget, HaltReason},
};

/// The strengths of bots, with their uncertainty: maximum likelihood under Luce's choice model, using only the winner
/// of every match.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// Sorted by name.
    bots: Vec<RatedBot>,
    deviations: StrengthDeviations,
}

/// One bot's rating.
#[derive(Debug, Clone, PartialEq)]
pub struct RatedBot {
    /// The bot.
    pub bot: BotName,
    /// The strength of the bot.
    pub rating: Rating,
    /// The 95% confidence interval.
    pub interval: ConfidenceInterval<Rating>,
    /// Number of matches that count for the bot.
    pub matches: u32,
    /// Number of duplicate groups to which these matches belong.
    pub groups: u32,
    /// The number of the bot's island, from 0. No chain of matches connects bots on different islands, so their ratings
    /// cannot be compared.
    pub island: u32,
}

/// The quantile of the standard normal distribution for a two-sided 95% interval.
const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;
/// The tolerance of the strengths: about two millionths of a point.
const TOLERANCE: f64 = 1e-8;

impl Ratings {
    pub(super) fn compute(
        gathered: &SortedMatches,
        resampling: &Resampling,
        budget: &mut Budget,
    ) -> Result<Self, HaltReason> {
        let start = vec![0.0; gathered.bots.len()];
        let statistics = gathered.groups.statistics(&gathered.tables, || 1.0);
        let strengths = maximise_likelihood(&gathered.tables, &statistics, &start, TOLERANCE, budget)?;
        let islands = find_islands(&gathered.tables);
        let deviations =
            StrengthDeviations::estimate(gathered, &statistics, &strengths, &islands, resampling, budget)?;
        let mut bots = Vec::new();
        for (index, (bot, appearances)) in
            gathered.bots.iter().zip(gathered.groups.appearances(&gathered.tables)).enumerate()
        {
            let half = deviations.standard_error(index, appearances.groups) * NORMAL_QUANTILE;
            bots.push(RatedBot {
                bot: bot.clone(),
                rating: Rating::of_strength(strengths[index]),
                interval: ConfidenceInterval { low: strengths[index] - half, high: strengths[index] + half }
                    .map(Rating::of_strength),
                matches: appearances.matches,
                groups: appearances.groups,
                island: islands[index],
            });
        }
        Ok(Self { bots, deviations })
    }

    /// Returns every bot's rating, in the order of names.
    pub fn bots(&self) -> &[RatedBot] {
        &self.bots
    }

    /// Returns the rating of a bot; `None` if it is not rated.
    pub fn get(&self, bot: &BotName) -> Option<&RatedBot> {
        self.index(bot).map(|index| &self.bots[index])
    }

    /// Returns the probability, 0 to 1, that one bot is better than another; `None` if either is not rated or no chain
    /// of matches connects them.
    pub fn probability_better(&self, one: &BotName, other: &BotName) -> Option<f64> {
        let StrengthLead { lead, error, .. } = self.lead_between(one, other)?;
        if error == 0.0 {
            return Some(0.5);
        }
        Some(normal::normal_cdf(lead / error))
    }

    /// Returns the lead of one bot over another; `None` if either is not rated or no chain of matches connects them.
    pub fn lead_between(&self, one: &BotName, other: &BotName) -> Option<StrengthLead> {
        let (one, other) = (self.index(one)?, self.index(other)?);
        let (ours, theirs) = (&self.bots[one], &self.bots[other]);
        let groups = ours.groups.min(theirs.groups);
        (ours.island == theirs.island).then(|| StrengthLead {
            lead: ours.rating.strength() - theirs.rating.strength(),
            error: self.deviations.error_of_difference(one, other, groups),
            freedom: StrengthDeviations::freedom(groups),
        })
    }

    /// Returns the island of a bot, its strength and the variance of its strength.
    pub(super) fn strength_and_variance(&self, bot: &BotName) -> Option<(u32, f64, f64)> {
        let index = self.index(bot)?;
        let rated = &self.bots[index];
        let error = self.deviations.standard_error(index, rated.groups);
        Some((rated.island, rated.rating.strength(), error * error))
    }

    fn index(&self, bot: &BotName) -> Option<usize> {
        self.bots.binary_search_by(|rated| rated.bot.cmp(bot)).ok()
    }
}
