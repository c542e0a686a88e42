//! Tests of whether bots favour each other by takes or by declarations: all ordered pairs, and sets of bots.

use super::{
    DeclarationFindings, FLAGGED_P_VALUE, Favouritism, PairFindings, SetFindings,
    mover_tally::MoverTally,
    pair::PairTally,
    permutation_tests::{PermutationTests, TestedSum},
    permuted_choices::{PermutedChoices, PermutedGains},
    sets::{FavourMeans, TestedSet, test_sets},
    trust_tally::TrustTally,
};
use lastnim_core::game::BotName;
use std::collections::{BTreeMap, BTreeSet};

/// The results of the tests.
pub(super) struct TestedPairs {
    pub(super) pairs: Vec<PairFindings>,
    /// The flagged sets, without those that are part of a larger flagged set.
    pub(super) sets: Vec<SetFindings>,
    pub(super) sets_tested: u64,
    pub(super) tests: PermutationTests,
}

/// The numbers of the two bots of an ordered pair, and the findings on the pair.
type NumberedPair = ((usize, usize), PairFindings);

/// Tests all pairs, keyed by the numbers of their two bots; `choices` contains the ranks that the blind choices of the
/// first bot gained for the second.
pub(super) fn test_pairs<'a>(
    pairs: &'a BTreeMap<(usize, usize), PairTally>,
    choices: &BTreeMap<(usize, usize), PermutedChoices>,
    mover: impl Fn(usize) -> (&'a BotName, &'a MoverTally),
) -> TestedPairs {
    let mut tests = PermutationTests::new();
    let mut test = |gains: &PermutedGains| tests.add_sums(gains.observed_and_permuted()?);
    let tested: Vec<_> =
        choices.values().map(|choices| FavourMeans::ALL.map(|means| test(means.gains(choices)))).collect();
    let sets = test_sets(choices, &mut tests);
    let mut found = pair_findings(pairs, choices, &tested, &tests, &mover);
    let significant: Vec<&TestedSet> =
        sets.iter().filter(|set| tests.result(set.sum).p_corrected <= FLAGGED_P_VALUE).collect();
    // The ordered pairs of those significant sets in which every bot seems to favour every other.
    let mutual = |found: &[NumberedPair], means: FavourMeans| -> BTreeSet<(usize, usize)> {
        let seems = |&(bot, other): &(usize, usize)| {
            find_pair(found, bot, other).is_some_and(|pair| found[pair].1.seems_to_favour(means))
        };
        let sets = significant.iter().filter(|set| set.means == means);
        sets.map(|set| set.ordered_pairs()).filter(|pairs| pairs.iter().all(seems)).flatten().collect()
    };
    let takes = mutual(&found, FavourMeans::Takes);
    for (numbers, findings) in &mut found {
        findings.favouritism = findings.favouritism.with_returned(takes.contains(numbers));
    }
    let declarations = mutual(&found, FavourMeans::Declarations);
    let depends = |bot: usize, other: usize| {
        find_pair(&found, bot, other).is_some_and(|pair| found[pair].1.declarations.is_large())
    };
    let seems_to_depend = |bot: usize, other: usize| {
        find_pair(&found, bot, other).is_some_and(|pair| found[pair].1.declarations.seems_large())
    };
    // The likely partners of a bot: its declarations seem to depend on them, and theirs seem to depend on it.
    let mates = |bot: usize| -> BTreeSet<usize> {
        let met = found.iter().filter(|((one, _), _)| *one == bot).map(|((_, other), _)| *other);
        met.filter(|&other| seems_to_depend(bot, other) && seems_to_depend(other, bot)).collect()
    };
    // Only the bot's own declarations count: what third bots declare must not hide an agreement.
    let is_special = |bot: usize, other: usize| {
        let (tally, mates) = (mover(bot).1, mates(bot));
        tally.is_favourite(other, &mates) && !tally.distinguishes_other_bots(&mates)
    };
    // Others may prefer a bot only because it is weaker than all others.
    let is_weakest = |bot: usize, other: usize| {
        let mates = mates(bot);
        let met = found.iter().filter(|((one, _), _)| *one == bot).map(|((_, third), _)| *third);
        let thirds: Vec<_> =
            met.filter(|third| !mates.contains(third)).map(|third| mover(third).1.strength).collect();
        let (strength, thirds) = (mover(other).1.strength, || thirds.iter().copied());
        thirds().next().is_some() && (strength.errs_more_than(thirds()) || strength.wins_less_than(thirds()))
    };
    let returned: Vec<bool> = found
        .iter()
        .map(|((bot, other), _)| {
            let (bot, other) = (*bot, *other);
            let back = find_pair(&found, other, bot);
            let helps_back = back.is_some_and(|back| found[back].1.favouritism.is_flagged());
            let is_innocent = || {
                !is_special(bot, other)
                    || !is_special(other, bot)
                    || is_weakest(bot, other) && is_weakest(other, bot)
            };
            let is_mutual =
                declarations.contains(&(bot, other)) || depends(bot, other) && depends(other, bot);
            depends(bot, other) && helps_back || is_mutual && !is_innocent()
        })
        .collect();
    for ((_, findings), is_returned) in found.iter_mut().zip(returned) {
        findings.declarations.is_returned = is_returned;
    }
    let is_flagged = |set: &&TestedSet| {
        let mutual = if set.means == FavourMeans::Takes { &takes } else { &declarations };
        let is_pair_flagged = |&(bot, other): &(usize, usize)| {
            find_pair(&found, bot, other).is_some_and(|pair| found[pair].1.is_flagged_by(set.means))
        };
        let pairs = set.ordered_pairs();
        pairs.iter().all(|pair| mutual.contains(pair)) && pairs.iter().any(is_pair_flagged)
    };
    let flagged = significant.iter().copied().filter(is_flagged).collect();
    TestedPairs {
        sets: set_findings(flagged, &tests, |bot| mover(bot).0),
        sets_tested: sets.len() as u64,
        pairs: found.into_iter().map(|(_, findings)| findings).collect(),
        tests,
    }
}

/// Returns the findings on all pairs from their tests by takes and by declarations. Whether a favour is returned is
/// only decided later.
fn pair_findings<'a>(
    pairs: &BTreeMap<(usize, usize), PairTally>,
    choices: &BTreeMap<(usize, usize), PermutedChoices>,
    tested: &[[Option<TestedSum>; 2]],
    tests: &PermutationTests,
    mover: &impl Fn(usize) -> (&'a BotName, &'a MoverTally),
) -> Vec<NumberedPair> {
    let results = tested.iter().map(|sums| sums.map(|sum| Some(tests.result(sum?))));
    pairs
        .iter()
        .zip(choices.values().zip(results))
        .map(|((&(bot, other), pair), (choices, results))| {
            let (name, tally) = mover(bot);
            let findings = PairFindings {
                mover: name.clone(),
                other: mover(other).0.clone(),
                matches: pair.matches,
                cost: pair.cost,
                gave: pair.gave,
                errors: pair.errors,
                errors_with_third_seat: pair.errors_with_third_seat,
                opening_errors: pair.opening_errors,
                is_exchangeable: choices.takes.weight() > 0.0,
                usable_groups: choices.takes.group_count(),
                favouritism: Favouritism::of_test(
                    &choices.takes,
                    results[0].as_ref(),
                    pair.outcomes.loss_per_error(),
                ),
                declarations: DeclarationFindings::of_tally(
                    &pair.declarations,
                    &choices.declarations,
                    tally,
                    pair.declared > 0,
                    results[1].as_ref(),
                ),
                trust: pair.trust.as_ref().map(TrustTally::findings),
                takes_to_look_at: pair.takes_to_look_at.clone(),
                matches_to_look_at: pair.matches_to_look_at.clone(),
            };
            ((bot, other), findings)
        })
        .collect()
}

fn find_pair(found: &[NumberedPair], bot: usize, other: usize) -> Option<usize> {
    found.binary_search_by_key(&(bot, other), |(numbers, _)| *numbers).ok()
}

/// Returns the findings on the flagged sets that are not part of a larger one.
fn set_findings<'a>(
    mut flagged: Vec<&TestedSet>,
    tests: &PermutationTests,
    name: impl Fn(usize) -> &'a BotName,
) -> Vec<SetFindings> {
    flagged.sort_by_key(|set| std::cmp::Reverse(set.bots.len()));
    let mut largest: Vec<&TestedSet> = Vec::new();
    for set in flagged {
        if !largest.iter().any(|larger| larger.contains(set)) {
            largest.push(set);
        }
    }
    let findings = largest.into_iter().map(|set| {
        let result = tests.result(set.sum);
        let mut bots: Vec<BotName> = set.bots.iter().map(|&bot| name(bot).clone()).collect();
        bots.sort();
        SetFindings {
            bots,
            means: set.means,
            groups: set.groups,
            p_value: result.p_value,
            p_corrected: result.p_corrected,
        }
    });
    let mut findings: Vec<SetFindings> = findings.collect();
    findings.sort_by(|one, other| (one.means, &one.bots).cmp(&(other.means, &other.bots)));
    findings
}
