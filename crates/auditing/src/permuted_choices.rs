//! The ranks that a bot's choices gained for another bot: as observed, and with the bots of each group permuted.

use super::{
    MIN_GROUPS, permutation_tests::uncorrected_p_value, permutations::PlacePermutations,
    replicates::REPLICATES,
};

/// A choice of a bot. Its lists have one entry for each other place, by the offset from the bot, from offset 1 on.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    /// The ranks that the choice gives each place.
    pub(super) values: Vec<f64>,
    /// The class of each place: bots at places of the same class could be exchanged.
    pub(super) classes: Vec<u8>,
    /// The weight of the choice: 1 for a declaration, and the number of errors per opened match for opening takes.
    pub(super) weight: f64,
}

/// The ranks that the blind choices of one bot gave another.
#[derive(Debug, Clone)]
pub(super) struct PermutedChoices {
    /// The gains by errors in opening takes, in ranks.
    pub(super) takes: PermutedGains,
    /// The gains by declarations, in ranks.
    pub(super) declarations: PermutedGains,
}

/// The sum of the ranks that choices gave a bot, as observed and in each replicate.
#[derive(Debug, Clone)]
pub(super) struct PermutedGains {
    /// The observed sum, then the replicates.
    sums: Vec<f64>,
    /// The observed gains minus the mean gains of the other bots that could have had the place.
    excess: f64,
    /// The total weight of the choices for which another bot could have had the place.
    weight: f64,
    /// Number of distinct groups with choices for which another bot could have had the place.
    groups: u64,
}

impl PermutedChoices {
    pub(super) fn new() -> Self {
        Self { takes: PermutedGains::new(), declarations: PermutedGains::new() }
    }
}

impl PermutedGains {
    pub(super) fn new() -> Self {
        Self { sums: vec![0.0; 1 + REPLICATES], excess: 0.0, weight: 0.0, groups: 0 }
    }

    /// Adds the choices of the bot at the place `chooser` of a distinct group: the ranks that they give the bot at the
    /// place `held`, and the ranks that they would give it at each place where it could sit instead.
    pub(super) fn add_choices<'a>(
        &mut self,
        choices: impl IntoIterator<Item = &'a Choice>,
        places: &PlacePermutations,
        chooser: usize,
        held: usize,
        can_exchange: impl Fn(usize) -> bool,
    ) {
        if !can_exchange(held) {
            return;
        }
        let mut has_others = false;
        for choice in choices {
            let seats = choice.values.len() + 1;
            let own = (held + seats - chooser) % seats;
            let is_exchanged = |&offset: &usize| {
                choice.classes[offset - 1] == choice.classes[own - 1]
                    && can_exchange((chooser + offset) % seats)
            };
            let class: Vec<usize> = (1..seats).filter(is_exchanged).collect();
            let value = |offset: usize| choice.values[offset - 1];
            if class.len() < 2 {
                continue;
            }
            let others = class.iter().filter(|&&offset| offset != own);
            let mean = others.map(|&offset| value(offset)).sum::<f64>() / f64::from(class.len() as u32 - 1);
            self.excess += value(own) - mean;
            self.weight += choice.weight;
            has_others = true;
            if class.iter().all(|&offset| value(offset).to_bits() == value(own).to_bits()) {
                continue;
            }
            self.sums[0] += value(own);
            let bots: Vec<usize> = class.iter().map(|&offset| (chooser + offset) % seats).collect();
            let values: Vec<f64> = class.iter().map(|&offset| value(offset)).collect();
            places.add_drawn_values(chooser, held, &bots, &values, &mut self.sums[1..]);
        }
        self.groups += u64::from(has_others);
    }

    /// Returns the observed sum and the replicates; `None` with too few distinct groups.
    pub(super) fn observed_and_permuted(&self) -> Option<&[f64]> {
        (self.groups >= MIN_GROUPS as u64).then_some(&self.sums)
    }

    /// Returns the one-sided p-value; `None` with too few distinct groups, or if all replicates are the same.
    pub(super) fn p_value(&self) -> Option<f64> {
        uncorrected_p_value(self.observed_and_permuted()?)
    }

    /// Returns the observed sum and the replicates, for any number of groups.
    pub(super) fn sums(&self) -> &[f64] {
        &self.sums
    }

    /// Returns, per unit of weight, the gain minus the mean gain of the other bots that could have had the place.
    pub(super) fn mean_excess(&self) -> f64 {
        if self.weight > 0.0 { self.excess / self.weight } else { 0.0 }
    }

    /// Returns the total weight of the choices for which another bot could have had the place.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// Returns the number of distinct groups with choices for which another bot could have had the place.
    pub(super) fn group_count(&self) -> u64 {
        self.groups
    }
}
