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
use std::collections::BTreeMap;

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
    // By the bot that is depended on.
    let mut dependents: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for ((bot, other), _) in found.iter().filter(|(_, findings)| findings.declarations.is_large()) {
        dependents.entry(*other).or_default().push(*bot);
    }
    // If third bots also depend on one, it is preferred for a visible reason, not by agreement; a bot preferred by
    // others that prefer each other does not count.
    let is_special = |bot: usize, other: usize| {
        let tally = mover(bot).1;
        tally.is_favourite(other)
            && !tally.orders_others_than(other)
            && !dependents.get(&other).is_some_and(|thirds| thirds.iter().any(|&third| third != bot))
    };
    // A bot that is weaker than all others is preferred for that.
    let is_weakest = |bot: usize, other: usize| {
        let of_bot = found.partition_point(|((one, _), _)| *one < bot);
        let thirds = || {
            let met = found[of_bot..].iter().take_while(|((one, _), _)| *one == bot);
            met.filter(|((_, third), _)| *third != other).map(|((_, third), _)| mover(*third).1.strength)
        };
        let strength = mover(other).1.strength;
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
