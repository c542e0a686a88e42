//! The tests of all ordered pairs, by takes and by declarations.

use super::{
    DeclarationFindings, Favouritism, PairFindings,
    favouritism::detectable_favour,
    mover_tally::MoverTally,
    pair::PairTally,
    permutation_tests::{PermutationTests, PermutedSums},
    permuted_choices::{PermutedChoices, PermutedGains},
};
use lastnim_core::game::BotName;
use std::collections::{BTreeMap, BTreeSet};

/// Tests all pairs, given by the numbers of the two bots, with their blind choices.
pub(super) fn test_pairs<'a>(
    pairs: &'a BTreeMap<(usize, usize), PairTally>,
    choices: &BTreeMap<(usize, usize), PermutedChoices>,
    mover: impl Fn(usize) -> (&'a BotName, &'a MoverTally),
) -> Vec<PairFindings> {
    let sums = |gains: &PermutedGains| PermutedSums::new(gains.observed_and_permuted()?);
    let sums = choices.values().flat_map(|choices| [sums(&choices.takes), sums(&choices.declarations)]);
    let tests = PermutationTests::of_sums(&sums.collect::<Vec<_>>());
    let results = tests.results().chunks_exact(2);
    let mut found: Vec<((usize, usize), PairFindings)> = pairs
        .iter()
        .zip(choices.values().zip(results))
        .map(|((&(bot, other), pair), (choices, results))| {
            let (name, tally) = mover(bot);
            let critical = tests.critical();
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
                detectable_favour: results[0]
                    .as_ref()
                    .map(|result| detectable_favour(&choices.takes, result, critical)),
                declarations: DeclarationFindings::of_tally(
                    &pair.declarations,
                    &choices.declarations,
                    tally,
                    pair.declared > 0,
                    results[1].as_ref(),
                    critical,
                ),
                takes_to_look_at: pair.takes_to_look_at.clone(),
                matches_to_look_at: pair.matches_to_look_at.clone(),
            };
            ((bot, other), findings)
        })
        .collect();
    let takes: Vec<Favouritism> = found.iter().map(|(_, findings)| findings.favouritism).collect();
    for at in 0..found.len() {
        let (bot, other) = found[at].0;
        if let Ok(back) = found.binary_search_by_key(&(other, bot), |(numbers, _)| *numbers) {
            found[at].1.favouritism = takes[at].returned_by(takes[back]);
        }
    }
    let depends = |bot: usize, other: usize| {
        let pair = found.binary_search_by_key(&(bot, other), |(numbers, _)| *numbers);
        pair.is_ok_and(|pair| found[pair].1.declarations.is_large())
    };
    let seems_to_depend = |bot: usize, other: usize| {
        let pair = found.binary_search_by_key(&(bot, other), |(numbers, _)| *numbers);
        pair.is_ok_and(|pair| found[pair].1.declarations.seems_large())
    };
    // The bots whose declarations and those of a bot seem to depend on each other.
    let mates = |bot: usize| -> BTreeSet<usize> {
        let met = found.iter().filter(|((one, _), _)| *one == bot).map(|((_, other), _)| *other);
        met.filter(|&other| seems_to_depend(bot, other) && seems_to_depend(other, bot)).collect()
    };
    // Only the bot's own declarations count: what third bots declare must not hide an agreement.
    let is_special = |bot: usize, other: usize| {
        let (tally, mates) = (mover(bot).1, mates(bot));
        tally.is_favourite(other, &mates) && !tally.orders_others_than(&mates)
    };
    // A bot that is weaker than all others is preferred for that.
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
            let back = found.binary_search_by_key(&(other, bot), |(numbers, _)| *numbers);
            let by_takes = back.is_ok_and(|back| found[back].1.favouritism.is_flagged());
            let by_declarations = || {
                depends(other, bot)
                    && is_special(bot, other)
                    && is_special(other, bot)
                    && !(is_weakest(bot, other) && is_weakest(other, bot))
            };
            depends(bot, other) && (by_takes || by_declarations())
        })
        .collect();
    for ((_, findings), is_returned) in found.iter_mut().zip(returned) {
        findings.declarations.is_returned = is_returned;
    }
    found.into_iter().map(|(_, findings)| findings).collect()
}
