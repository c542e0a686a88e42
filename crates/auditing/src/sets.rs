//! Tests of whether the bots of a set favour each other.

use super::{
    MIN_GROUPS,
    permutation_tests::{PermutationTests, TestedSum},
    permuted_choices::{PermutedChoices, PermutedGains},
    replicates::REPLICATES,
};
use lastnim_core::game::BotName;
use std::collections::BTreeMap;

/// Maximum number of bots in a tested set.
pub const MAX_SET_BOTS: usize = 4;

/// The kind of choices by which bots favour each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FavourMeans {
    /// By the takes that open matches.
    Takes,
    /// By declared rows.
    Declarations,
}

/// The test of a set of bots.
#[derive(Debug, Clone)]
pub(super) struct TestedSet {
    /// The numbers of the bots, ascending.
    pub(super) bots: Vec<usize>,
    pub(super) means: FavourMeans,
    /// The largest number of distinct groups of any ordered pair in the set.
    pub(super) groups: u64,
    pub(super) sum: TestedSum,
}

/// A flagged set of two to [`MAX_SET_BOTS`] bots that have all met each other. Each of them seems to favour every
/// other.
///
/// **Statistic.** The ranks that the choices of the bots gave each other, summed over all ordered pairs of the set, as
/// in the tests of [takes](super::Favouritism) and of [declarations](super::DeclarationFindings).
///
/// **p-value.** The bots of each distinct group are permuted as in those tests, with the same permutations for all
/// sums, and the p-value is corrected for all pairs and all sets together. The choices of other bots do not change the
/// sum of a set.
///
/// **Flagged** if the corrected p-value is at most [`FLAGGED_P_VALUE`](super::FLAGGED_P_VALUE), every ordered pair of
/// the set is significant at 0.05 as the only test and has a large enough favour, and at least one pair meets the
/// conditions of a flag. That pair need not be significant after the correction.
#[derive(Debug, Clone, PartialEq)]
pub struct SetFindings {
    /// The bots, by name.
    pub bots: Vec<BotName>,
    /// The kind of choices by which the bots favour each other.
    pub means: FavourMeans,
    /// The largest number of distinct groups in which any ordered pair of the set could be tested.
    pub groups: u64,
    /// The one-sided p-value of this set's test, as if it were the only test.
    pub p_value: f64,
    /// The p-value corrected for all pairs and sets of the audit.
    pub p_corrected: f64,
}

/// The ranks that the bots of a growing set gave each other.
#[derive(Clone)]
struct SetSums {
    /// The observed sum, then the replicates.
    sums: Vec<f64>,
    /// The largest number of distinct groups of any ordered pair in the set.
    groups: u64,
}

impl FavourMeans {
    pub(super) const ALL: [Self; 2] = [Self::Takes, Self::Declarations];

    pub(super) fn gains(self, choices: &PermutedChoices) -> &PermutedGains {
        match self {
            Self::Takes => &choices.takes,
            Self::Declarations => &choices.declarations,
        }
    }
}

impl TestedSet {
    /// Returns the ordered pairs of the set's bots.
    pub(super) fn ordered_pairs(&self) -> Vec<(usize, usize)> {
        let pairs = self.bots.iter().flat_map(|&bot| self.bots.iter().map(move |&other| (bot, other)));
        pairs.filter(|(bot, other)| bot != other).collect()
    }

    /// Returns whether another set, by the same kind of choices, is a part of this one.
    pub(super) fn contains(&self, other: &Self) -> bool {
        self.means == other.means && other.bots.iter().all(|bot| self.bots.contains(bot))
    }
}

/// Tests all sets of two to [`MAX_SET_BOTS`] bots that have all met each other, and adds their sums to `tests`.
pub(super) fn test_sets(
    choices: &BTreeMap<(usize, usize), PermutedChoices>,
    tests: &mut PermutationTests,
) -> Vec<TestedSet> {
    let mut tested = Vec::new();
    for means in FavourMeans::ALL {
        let mut bots: Vec<usize> = choices.keys().map(|&(bot, _)| bot).collect();
        bots.dedup();
        for (at, &bot) in bots.iter().enumerate() {
            let alone = SetSums { sums: vec![0.0; 1 + REPLICATES], groups: 0 };
            let mut search = SetSearch { choices, means, tests, tested: &mut tested };
            search.extend(&mut vec![bot], &alone, &bots[at + 1..]);
        }
    }
    tested
}

/// A search for all sets of bots that have met each other, for one kind of choices.
struct SetSearch<'a> {
    choices: &'a BTreeMap<(usize, usize), PermutedChoices>,
    means: FavourMeans,
    tests: &'a mut PermutationTests,
    tested: &'a mut Vec<TestedSet>,
}

impl SetSearch<'_> {
    /// Tests all sets that consist of the bots in `set` and of one or more of the candidates.
    fn extend(&mut self, set: &mut Vec<usize>, sums: &SetSums, candidates: &[usize]) {
        for (at, &bot) in candidates.iter().enumerate() {
            let Some(larger) = self.with_bot(set, sums, bot) else { continue };
            set.push(bot);
            if larger.groups >= MIN_GROUPS as u64
                && let Some(sum) = self.tests.add_sums(&larger.sums)
            {
                self.tested.push(TestedSet {
                    bots: set.clone(),
                    means: self.means,
                    groups: larger.groups,
                    sum,
                });
            }
            if set.len() < MAX_SET_BOTS {
                self.extend(set, &larger, &candidates[at + 1..]);
            }
            set.pop();
        }
    }

    /// Returns the sums of a set with another bot added; `None` if this bot has not met all bots of the set.
    fn with_bot(&self, set: &[usize], sums: &SetSums, bot: usize) -> Option<SetSums> {
        let mut larger = sums.clone();
        for &mate in set {
            for pair in [(mate, bot), (bot, mate)] {
                let gains = self.means.gains(self.choices.get(&pair)?);
                larger.groups = larger.groups.max(gains.group_count());
                for (sum, gain) in larger.sums.iter_mut().zip(gains.sums()) {
                    *sum += gain;
                }
            }
        }
        Some(larger)
    }
}
