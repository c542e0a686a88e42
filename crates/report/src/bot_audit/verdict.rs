//! A bot's audit in a few sentences.

use super::{
    comparisons::condition_sentences,
    figures::{SHARE, value_cell},
};
use crate::words::count_with_noun;
use lastnim_auditing::{
    AuditFindings, BotFindings, CircumstanceFigures, EstimateInterval, GamePhase, LivePileCount,
    PreferenceFindings, RowSource,
};

/// One row is called better than another if it fits better by at least this many standard deviations. The threshold is
/// high because the best of several rows is compared, and because takes are not independent.
const MIN_DEVIATIONS: f64 = 4.0;

/// Summarises a bot's figures, claiming no more than their intervals support.
pub(super) fn verdict_sentences(found: &BotFindings, findings: &AuditFindings) -> Vec<String> {
    let preferences = found.preferences.iter().filter(|preference| preference.choices > 0);
    let mut sentences: Vec<_> = preferences.filter_map(preference_sentence).collect();
    let flagged = findings.flagged_pairs();
    sentences.push(match (flagged.as_slice(), findings.test_count()) {
        ([], 0) => "No pair could be tested.".to_owned(),
        ([], _) => "No pair is flagged.".to_owned(),
        (flagged, _) => {
            let pairs: Vec<_> =
                flagged.iter().map(|pair| format!("{} -> {}", pair.mover, pair.other)).collect();
            format!("Flagged pairs (please look at them): {}.", pairs.join(", "))
        }
    });
    let figures = &found.figures;
    sentences.push(weakest_circumstance_sentence(
        &figures.by_phase,
        ["in one phase than in another", "phases"],
        |phase| match phase {
            GamePhase::Opening => "in the opening",
            GamePhase::Middle => "in the middle",
            GamePhase::End => "at the end",
        },
    ));
    sentences.push(weakest_circumstance_sentence(
        &figures.by_live_piles,
        ["with one number of piles than with another", "numbers of piles"],
        |piles| match piles {
            LivePileCount::One => "with 1 pile",
            LivePileCount::Two => "with 2 piles",
            LivePileCount::Three => "with 3 piles",
            LivePileCount::Four => "with 4 piles",
            LivePileCount::FiveToEight => "with 5 to 8 piles",
            LivePileCount::NineOrMore => "with 9 piles or more",
        },
    ));
    let conditions: Vec<_> = found.conditions.iter().map(Into::into).collect();
    sentences.extend(condition_sentences(&conditions));
    sentences
}

/// Compares the row that the bot had most often with the one that its takes fit best; `None` without a fit.
fn preference_sentence(preference: &PreferenceFindings) -> Option<String> {
    let (held, fit) = (preference.rows.first()?, preference.best_fit.as_ref()?);
    let seats = preference.seats;
    let how_often = match preference.rows.len() {
        1 if preference.other_rows == 0 => String::new(),
        _ => format!(" most often, in {}", count_with_noun(held.matches, "match", "matches")),
    };
    let takes = |count: u64, all: u64| match count {
        1 if all == 1 => "its only take is".to_owned(),
        _ if count == all => format!("all {all} takes are"),
        1 => format!("1 of {all} takes is"),
        _ => format!("{count} of {all} takes are"),
    };
    let begin = match preference.source {
        RowSource::Declared => format!("At tables of {seats} it declares {}{how_often}", held.row),
        RowSource::Assigned => {
            format!(
                "At tables of {seats}, with seats numbered by their place in its assigned row, it has the row {}",
                held.row
            )
        }
    };
    let optimal = takes(fit.optimal_plies, fit.plies);
    let plays = &fit.row;
    let (with, against) = (to_float(held.plies_for_fit_alone), to_float(held.plies_for_row_alone));
    Some(if *plays == held.row || held.agreement >= Some(fit.agreement) {
        format!(
            "{begin}, and no row fits its takes better: {} optimal for this row.",
            takes(held.optimal_plies, held.plies)
        )
    } else if with - against > MIN_DEVIATIONS * (with + against).sqrt() {
        format!("{begin}, but plays for {plays}: {optimal} optimal for {plays}.")
    } else {
        format!("{begin}; {plays} fits its takes best, but not clearly: {optimal} optimal for {plays}.")
    })
}

/// Says in which circumstance a bot is clearly least accurate, or that no circumstance clearly is.
fn weakest_circumstance_sentence<C: Copy>(
    slices: &[CircumstanceFigures<C>],
    [than_in_another, kinds]: [&str; 2],
    name: impl Fn(C) -> &'static str,
) -> String {
    let known = slices.iter().filter_map(|slice| {
        let estimate = slice.accuracy?;
        match estimate.interval {
            EstimateInterval::Between { low, high } => Some((slice, estimate, low, high)),
            EstimateInterval::TooFewGroups { .. } => None,
        }
    });
    let known: Vec<_> = known.collect();
    let worst = known.iter().min_by(|one, other| one.1.value.total_cmp(&other.1.value));
    let best = known.iter().max_by(|one, other| one.1.value.total_cmp(&other.1.value));
    match (worst, best) {
        (Some((slice, worst, _, high)), Some((better, best, low, _))) if high < low => format!(
            "It is weakest {}: {} accurate, against {} {}.",
            name(slice.circumstance),
            value_cell(Some(*worst)).display_text(SHARE),
            value_cell(Some(*best)).display_text(SHARE),
            name(better.circumstance)
        ),
        (Some(_), Some(_)) if known.len() > 1 => {
            format!("It is not clearly weaker {than_in_another}.")
        }
        _ => format!("There are too few duplicate groups to compare {kinds}."),
    }
}

fn to_float(count: u64) -> f64 {
    u32::try_from(count).map_or(f64::MAX.sqrt(), f64::from)
}
