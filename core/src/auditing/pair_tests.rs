//! The tests of all ordered pairs at once: by their takes, and by their declarations.

use super::{
    DeclarationFindings, Favouritism, PairFindings,
    declaration_tally::UsualRanks,
    favouritism::PairFavours,
    pair::PairTally,
    permutation_tests::{PermutationTests, PermutedSums},
    place_sums::MoverHabits,
};
use crate::game::BotName;
use std::collections::{BTreeMap, HashMap};

/// The least matches of three bots from which it is read whom one of them puts before another.
const MIN_MATCHES_OF_THREE: u32 = 9;
/// What varies less is the same but for rounding.
const ROUNDING: f64 = 1e-6;

/// What a bot does whoever sits where, and whom it declares before whom.
#[derive(Debug, Clone)]
pub(super) struct MoverTally {
    /// Whom its errors favour.
    pub(super) habits: MoverHabits,
    /// What it declares.
    pub(super) usual: UsualRanks,
    /// By two others: matches of all three, and those of them in which it declared the first before the second.
    declared_before: HashMap<(usize, usize), [u32; 2]>,
}

impl MoverTally {
    pub(super) fn new() -> Self {
        Self { habits: MoverHabits::zero(), usual: UsualRanks::zero(), declared_before: HashMap::new() }
    }

    /// Adds a match in which it declared one bot before another, or not.
    pub(super) fn add_order(&mut self, one: usize, other: usize, is_before: bool) {
        let [matches, before] = self.declared_before.entry((one, other)).or_default();
        *matches += 1;
        *before += u32::from(is_before);
    }

    /// Returns whether it puts no third bot before this one in more than two thirds of the matches of all three.
    fn is_favourite(&self, bot: usize) -> bool {
        let thirds = self.declared_before.iter().filter(|((one, _), _)| *one == bot);
        thirds.map(|(_, counts)| counts).all(|&[matches, before]| {
            matches < MIN_MATCHES_OF_THREE || 3 * u64::from(before) >= matches.into()
        })
    }
}

/// Tests all pairs; by the numbers of the two bots, as the bots are.
pub(super) fn test_pairs<'a>(
    pairs: &'a BTreeMap<(usize, usize), PairTally>,
    mover: impl Fn(usize) -> (&'a BotName, &'a MoverTally),
) -> Vec<PairFindings> {
    let favours = |bot: usize, pair: &'a PairTally| PairFavours {
        tally: &pair.favouritism,
        habits: &mover(bot).1.habits,
        errors: pair.errors_with_a_like,
    };
    let sums = pairs.iter().flat_map(|(&(bot, _), pair)| {
        let (tally, takes) = (mover(bot).1, favours(bot, pair));
        let declared = pair.declarations.observed_and_permuted(&tally.usual);
        [takes.permuted_sums(), declared.and_then(|sums| PermutedSums::new(&sums, ROUNDING))]
    });
    let tests = PermutationTests::of_sums(&sums.collect::<Vec<_>>());
    let results = tests.results().chunks_exact(2);
    let mut found: Vec<((usize, usize), PairFindings)> = pairs
        .iter()
        .zip(results)
        .map(|((&(bot, other), pair), results)| {
            let (name, tally) = mover(bot);
            let (favours, critical) = (favours(bot, pair), tests.critical());
            let findings = PairFindings {
                mover: name.clone(),
                other: mover(other).0.clone(),
                matches: pair.matches,
                cost: pair.cost,
                gave: pair.gave,
                errors: pair.errors,
                errors_with_a_third: pair.errors_with_a_third,
                errors_with_a_like: pair.errors_with_a_like,
                usable_groups: pair.favouritism.group_count(),
                favouritism: Favouritism::of_test(&favours, results[0].as_ref()),
                detectable_favour: results[0]
                    .as_ref()
                    .map(|result| favours.detectable_favour(result, critical)),
                declarations: DeclarationFindings::of_tally(
                    &pair.declarations,
                    &tally.usual,
                    pair.declared > 0,
                    results[1].as_ref(),
                    critical,
                ),
            };
            ((bot, other), findings)
        })
        .collect();
    let depends = |bot: usize, other: usize| {
        let pair = found.binary_search_by_key(&(bot, other), |(numbers, _)| *numbers);
        pair.is_ok_and(|pair| found[pair].1.declarations.is_large())
    };
    // Whom others depend on as well is not preferred by agreement, but for what everybody sees.
    let is_special = |bot: usize, other: usize| {
        let thirds = found.iter().filter(|((third, of), _)| *of == other && *third != bot);
        mover(bot).1.is_favourite(other) && !thirds.into_iter().any(|((third, _), _)| depends(*third, other))
    };
    let returned: Vec<bool> = found
        .iter()
        .map(|((bot, other), _)| {
            let (bot, other) = (*bot, *other);
            let back = found.binary_search_by_key(&(other, bot), |(numbers, _)| *numbers);
            let by_takes = back.is_ok_and(|back| found[back].1.favouritism.is_flagged());
            let by_declarations = || depends(other, bot) && is_special(bot, other) && is_special(other, bot);
            depends(bot, other) && (by_takes || by_declarations())
        })
        .collect();
    for ((_, findings), is_returned) in found.iter_mut().zip(returned) {
        findings.declarations.is_returned = is_returned;
    }
    found.into_iter().map(|(_, findings)| findings).collect()
}
