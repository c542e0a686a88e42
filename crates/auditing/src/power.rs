//! How likely the tests would have been to find bots that help each other in this field.

use super::{
    MIN_GROUPS,
    blind_choices::{BlindChoices, BotChoices, GroupChoices, Habits},
    opening_takes::Help,
    permuted_choices::Choice,
};
use lastnim_tournament::SeededDraw;
use std::collections::{BTreeMap, BTreeSet};

/// The shares of their distinct groups in which simulated bots help. Each share is simulated separately.
pub const HELP_SHARES: [f64; 3] = [0.2, 0.6, 1.0];

/// Approximate number of groups that are simulated for each kind of help and each share.
const SIMULATED_GROUPS: usize = 1 << 13;
/// Maximum number of pairs of bots that are made to help.
const MAX_PAIRS: usize = 64;
/// Maximum number of times that each pair is simulated for each kind and share; it is lower if there are many groups.
const MAX_RUNS: usize = 20;
/// Makes these draws independent of all others with the same seed.
const DRAW_STREAM: u64 = 0x706f_7765_7221_2121;
/// Minimum threshold, in standard deviations, which is about the threshold of five tests. In a field with few tests,
/// help would make further sums vary, which would then be tested too and raise the threshold.
const MIN_CRITICAL_VALUE: f64 = 3.2;
/// The threshold, in standard deviations, that corresponds to a p-value of 0.05 of one test.
const SINGLE_TEST_THRESHOLD: f64 = 1.645;

/// How bots help each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HelpKind {
    /// Each bot ranks the other bot before all third bots.
    MutualDeclarations,
    /// One bot ranks the other bot before all bots, itself included.
    OneWayDeclarations,
    /// Each bot opens matches with the take that is best for the other bot.
    MutualTakes,
    /// One bot opens matches with the take that is best for the other bot.
    OneWayTakes,
}

/// How likely the tests would have been to find two bots of this field that help each other, or one that helps another.
///
/// **Method.** Pairs of bots that met are drawn at random. In each of their distinct groups, the other bot is put at a
/// place drawn at random. In a share of these groups, also drawn at random, the choices of the helping bots are
/// replaced by help; all other choices stay as they were. The sum is standardised by its exact mean and variance over
/// the places, and compared with the threshold of this audit for a corrected p-value of
/// [`FLAGGED_P_VALUE`](super::FLAGGED_P_VALUE). Mutual help counts as found if the sum of both directions is
/// significant and each direction alone has a p-value of at most 0.05; mutual help by takes also counts if one
/// direction alone is significant.
///
/// **Assumption.** The other conditions of a flag are assumed to hold: that the favour is large and costs its bot
/// enough, or, for declarations, that no innocent reason is visible.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HelpPower {
    /// The kind of help.
    pub kind: HelpKind,
    /// The share of their distinct groups in which the bots help, one of [`HELP_SHARES`].
    pub share: f64,
    /// The share of simulations in which the help was found, from 0 to 1.
    pub chance: f64,
}

impl HelpKind {
    /// Every kind.
    pub const ALL: [Self; 4] =
        [Self::MutualDeclarations, Self::OneWayDeclarations, Self::MutualTakes, Self::OneWayTakes];

    fn is_by_takes(self) -> bool {
        matches!(self, Self::MutualTakes | Self::OneWayTakes)
    }

    fn is_mutual(self) -> bool {
        matches!(self, Self::MutualDeclarations | Self::MutualTakes)
    }
}

/// A field in which pairs of bots are made to help each other.
pub(super) struct HelpSimulation<'a> {
    choices: &'a BlindChoices,
    /// The habits of each bot, by bot and number of seats.
    habits: BTreeMap<(usize, usize), Habits>,
    /// The bots whose declarations depend on who sits where. Their takes are not tested.
    dependent: &'a BTreeSet<usize>,
    /// The threshold that a sum must reach to be significant, in standard deviations.
    critical_value: f64,
}

/// The distinct groups in which two bots met, each with the places of the two in playing order.
type CommonGroups<'a> = Vec<(&'a GroupChoices, [usize; 2])>;

/// A distinct group in which a bot may help another.
struct SimulatedGroup<'a> {
    group: &'a GroupChoices,
    /// The places, in playing order, of the helper and of the other bot.
    places: [usize; 2],
    /// Whether the helper helps in this group.
    helps: bool,
    /// The offset from the helper at which the other bot is put.
    offset: usize,
}

impl<'a> HelpSimulation<'a> {
    /// Prepares simulations; `critical_value` is the threshold of the field's tests, in standard deviations.
    pub(super) fn new(
        choices: &'a BlindChoices,
        dependent: &'a BTreeSet<usize>,
        critical_value: f64,
    ) -> Self {
        Self {
            choices,
            habits: choices.habits(),
            dependent,
            critical_value: critical_value.max(MIN_CRITICAL_VALUE),
        }
    }

    /// Returns the power for each kind of help that these pairs could give and for each share, sorted by kind and then
    /// by share.
    pub(super) fn powers(&self, seed: u64, mut pairs: Vec<[usize; 2]>) -> Vec<HelpPower> {
        let mut draw = SeededDraw::from_numbers([DRAW_STREAM, seed]);
        draw.shuffle(&mut pairs);
        pairs.truncate(MAX_PAIRS);
        let common = self.common_groups(&pairs);
        let mut powers = Vec::new();
        for kind in HelpKind::ALL {
            let is_possible = |&(group, places): &(&GroupChoices, [usize; 2])| {
                places.iter().any(|&place| {
                    let choices = &group.choices[place];
                    if kind.is_by_takes() { choices.opened > 0 } else { choices.declared > 0 }
                })
            };
            let usable: Vec<&CommonGroups<'_>> =
                common.iter().filter(|groups| groups.iter().any(is_possible)).collect();
            let groups: usize = usable.iter().map(|groups| groups.len()).sum();
            if groups == 0 {
                continue;
            }
            let runs = (SIMULATED_GROUPS / groups).clamp(1, MAX_RUNS);
            for share in HELP_SHARES {
                let found = (0..runs)
                    .flat_map(|_| &usable)
                    .filter(|groups| self.detects_help(kind, share, groups, &mut draw));
                let found = found.count() as u32;
                let chance = f64::from(found) / f64::from((runs * usable.len()) as u32);
                powers.push(HelpPower { kind, share, chance });
            }
        }
        powers
    }

    fn common_groups(&self, pairs: &[[usize; 2]]) -> Vec<CommonGroups<'a>> {
        let mut common: Vec<CommonGroups<'a>> = vec![Vec::new(); pairs.len()];
        let numbers: BTreeMap<[usize; 2], usize> = pairs.iter().copied().zip(0..).collect();
        for group in self.choices.groups.values() {
            for (at, one) in group.bots.iter().enumerate() {
                for (held, other) in group.bots.iter().enumerate() {
                    let (Some(one), Some(other)) = (one, other) else { continue };
                    if let Some(&number) = numbers.get(&[*one, *other]) {
                        common[number].push((group, [at, held]));
                    }
                }
            }
        }
        common
    }

    /// Simulates help between the two bots that have these common groups, and returns whether it is found.
    fn detects_help(
        &self,
        kind: HelpKind,
        share: f64,
        groups: &CommonGroups<'_>,
        draw: &mut SeededDraw,
    ) -> bool {
        if groups.len() < MIN_GROUPS {
            return false;
        }
        let helper = draw.number_below(2) as usize;
        let simulated: Vec<SimulatedGroup<'_>> = groups
            .iter()
            .map(|&(group, places)| SimulatedGroup {
                group,
                places: [places[helper], places[1 - helper]],
                helps: draw_share(draw) < share,
                offset: 1 + draw.number_below(group.bots.len() as u64 - 1) as usize,
            })
            .collect();
        let offsets = || simulated.iter().map(|group| group.offset);
        let there = self.helpful_choices(kind, &simulated);
        let there_alone = gain_in_deviations(&there, offsets());
        if !kind.is_mutual() {
            return there_alone >= self.critical_value;
        }
        let back: Vec<SimulatedGroup<'_>> = simulated.iter().map(SimulatedGroup::exchanged).collect();
        let mut both = self.helpful_choices(kind, &back);
        let back_alone = gain_in_deviations(&both, back.iter().map(|group| group.offset));
        if kind.is_by_takes() && there_alone.max(back_alone) >= self.critical_value {
            return true;
        }
        for (choices, there) in both.iter_mut().zip(there) {
            // Reversed, the lists of the other bot's choices show its gains for the helper by the offset of the other
            // from the helper.
            for choice in &mut *choices {
                choice.values.reverse();
                choice.classes.reverse();
            }
            choices.extend(there);
        }
        there_alone.min(back_alone) >= SINGLE_TEST_THRESHOLD
            && gain_in_deviations(&both, offsets()) >= self.critical_value
    }

    /// Returns the choices of the helper in each group: helpful ones in the groups where it helps, its actual ones
    /// elsewhere.
    fn helpful_choices(&self, kind: HelpKind, groups: &[SimulatedGroup<'_>]) -> Vec<Vec<Choice>> {
        let mut habits: BTreeMap<usize, Habits> = BTreeMap::new();
        let mut chosen = Vec::with_capacity(groups.len());
        for simulated in groups {
            let (group, seats) = (simulated.group, simulated.group.bots.len());
            let choices = &group.choices[simulated.places[0]];
            let Some(bot) = group.bots[simulated.places[0]] else { continue };
            let habits = habits.entry(seats).or_insert_with(|| self.habits[&(bot, seats)].clone());
            let helpful = simulated.helps.then(|| choices_with_help(choices, kind, simulated.offset));
            if let Some(helpful) = &helpful {
                for (sum, (new, old)) in habits.ranks.iter_mut().zip(helpful.ranks.iter().zip(&choices.ranks))
                {
                    *sum += new - old;
                }
                habits.errors += opening_errors(helpful) - opening_errors(choices);
            }
            chosen.push(helpful);
        }
        let choices = groups.iter().zip(chosen).map(|(simulated, helpful)| {
            let group = simulated.group;
            let choices = helpful.as_ref().unwrap_or(&group.choices[simulated.places[0]]);
            let habits = &habits[&group.bots.len()];
            if !kind.is_by_takes() {
                return choices.declared_choice(habits).into_iter().collect();
            }
            if habits.opened == 0 || !self.is_tested_by_takes(group.bots[simulated.places[0]]) {
                return Vec::new();
            }
            let mut choices = choices.opening_choices(habits);
            for (offset, place) in (1..).zip((simulated.places[0] + 1..).take(group.bots.len() - 1)) {
                if !self.is_tested_by_takes(group.bots[place % group.bots.len()]) {
                    for choice in &mut choices {
                        choice.classes[offset - 1] = u8::MAX - offset as u8;
                    }
                }
            }
            choices
        });
        choices.collect()
    }

    fn is_tested_by_takes(&self, bot: Option<usize>) -> bool {
        bot.is_some_and(|bot| !self.dependent.contains(&bot))
    }
}

impl SimulatedGroup<'_> {
    /// Returns the group with the roles of the two bots exchanged.
    fn exchanged(&self) -> Self {
        let Self { group, places: [one, other], helps, offset } = *self;
        Self { group, places: [other, one], helps, offset: group.bots.len() - offset }
    }
}

/// Returns the choices of a bot in a group, changed so that they help the bot at this offset.
fn choices_with_help(choices: &BotChoices, kind: HelpKind, offset: usize) -> BotChoices {
    let mut helpful = choices.clone();
    if kind.is_by_takes() {
        for openings in helpful.openings.values_mut() {
            if let Some(Help { errors, gains }) = openings.help.get(offset - 1) {
                openings.errors = (*errors).into();
                openings.gains = gains.iter().map(|&gain| gain.into()).collect();
            }
        }
    } else if choices.declared > 0 {
        let seats = choices.ranks.len().cast_signed() as i64 + 1;
        let rank = choices.ranks[offset - 1];
        let own_rank = choices.declared * seats * (seats - 1) / 2 - choices.ranks.iter().sum::<i64>();
        // Each bot that was ranked before the helped one moves back by one rank in each match.
        let passed = |rank_of_one: i64| (rank - rank_of_one).clamp(0, choices.declared);
        let mut better = if kind.is_mutual() { 0 } else { passed(own_rank) };
        for rank in &mut helpful.ranks {
            let passed = passed(*rank);
            *rank += passed;
            better += passed;
        }
        helpful.ranks[offset - 1] = (rank - better).max(0);
    }
    helpful
}

fn opening_errors(choices: &BotChoices) -> i64 {
    choices.openings.values().map(|openings| openings.errors).sum()
}

/// Returns how many standard deviations the total gain of a bot over these groups lies above its mean over the places
/// where the bot could sit; `offsets` gives its place in each group.
fn gain_in_deviations(groups: &[Vec<Choice>], offsets: impl Iterator<Item = usize>) -> f64 {
    let (mut excess, mut variance) = (0.0, 0.0);
    for (choices, offset) in groups.iter().zip(offsets) {
        // In all choices with the same exchangeable places, the bot has the same place, so these choices are not
        // independent: their values are added before the variance is computed.
        let mut by_class: BTreeMap<Vec<usize>, Vec<f64>> = BTreeMap::new();
        for choice in choices {
            let class = choice.classes[offset - 1];
            let offsets: Vec<usize> =
                (1..=choice.values.len()).filter(|&other| choice.classes[other - 1] == class).collect();
            let values = by_class.entry(offsets.clone()).or_insert_with(|| vec![0.0; offsets.len()]);
            for (sum, &other) in values.iter_mut().zip(&offsets) {
                *sum += choice.values[other - 1];
            }
        }
        for (offsets, values) in by_class {
            let size = f64::from(values.len() as u32);
            let mean = values.iter().sum::<f64>() / size;
            let own = offsets.iter().position(|&other| other == offset).map_or(mean, |at| values[at]);
            excess += own - mean;
            variance += values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / size;
        }
    }
    if variance > 0.0 { excess / variance.sqrt() } else { 0.0 }
}

/// Draws a number from 0 to 1.
fn draw_share(draw: &mut SeededDraw) -> f64 {
    f64::from((draw.next_bits() >> 32) as u32) / f64::from(u32::MAX)
}
