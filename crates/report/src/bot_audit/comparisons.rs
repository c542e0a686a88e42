//! Comparisons of a bot's takes under two conditions, and with the answers of others.

use super::figures::{
    SHARE, figure_column, figure_with_interval, interval_cell, interval_column, value_cell,
};
use crate::{Column, Section, Table};
use lastnim_auditing::{BotAnswers, ConditionFindings, EstimateInterval, LOW_CLOCK_PERCENT, PlayCondition};
use lastnim_core::game::BotName;

/// A difference is called clear if it is at least this many times the half-width of its interval away from 0.
/// For each condition, about 3 in 1,000 audits call a difference clear by chance.
const CLEAR: f64 = 1.5;

/// Describes a condition, in words that follow "when".
fn condition_words(condition: &PlayCondition) -> String {
    match condition {
        PlayCondition::Behind => "its predicted rank is worse than at the start".to_owned(),
        PlayCondition::LowClock => format!("less than {LOW_CLOCK_PERCENT}% of its time is left"),
        PlayCondition::AfterNoon => "the match began after noon UTC".to_owned(),
        PlayCondition::SecondHalf => "the tournament is in its second half".to_owned(),
        PlayCondition::NewerVersion { older, newer } => format!("it plays as {newer}, not as {older}"),
    }
}

/// Tabulates the errors under each condition; `None` if no condition can be compared.
pub(super) fn condition_section(found: &[ConditionFindings]) -> Option<Section> {
    if found.is_empty() {
        return None;
    }
    let table = Table::of_items(found)
        .column(Column::text("when").with_key("condition"), |found| condition_words(&found.condition))
        .column(Column::integer("takes").with_key("plies"), |found| found.plies)
        .column(Column::integer("compared with").with_key("other_plies"), |found| found.other_plies)
        .column(figure_column("added errors", SHARE).with_sign(), |found| value_cell(found.added_errors))
        .column(interval_column("added_errors", SHARE).with_sign(), |found| interval_cell(found.added_errors))
        .into_table();
    let heading = "Errors under conditions: the share of errors less that of its other takes that offered the same choice";
    Some(Section::with_heading(heading).table(table))
}

/// Tabulates how often the bot answered like each bot that it met; `None` if there is nothing to compare.
pub(super) fn answer_section(bot: &BotName, found: &[BotAnswers]) -> Option<Section> {
    if found.is_empty() {
        return None;
    }
    let name = |found: &&BotAnswers| {
        if found.other == *bot { "itself".to_owned() } else { found.other.to_string() }
    };
    let table = Table::of_items(found)
        .column(Column::text("like").with_key("bot"), |found| name(&found))
        .column(Column::integer("states"), |found| found.answers.states)
        .column(figure_column("equal takes", SHARE), |found| found.answers.equal)
        .column(figure_column("by chance", SHARE), |found| found.answers.by_chance)
        .into_table();
    let heading = "Equal answers: takes in states (piles, rows and mover) that both met";
    let words = "Far more equal takes than by chance show that both choose alike, not that they are one program. \
                 A bot that answers itself alike more often than another differs from it.";
    Some(Section::with_heading(heading).table(table).paragraph(words))
}

/// Says under which conditions the bot clearly errs more or less.
pub(super) fn condition_sentences(found: &[ConditionFindings]) -> impl Iterator<Item = String> {
    found.iter().filter_map(|found| {
        let estimate = found.added_errors?;
        let EstimateInterval::Between { low, high } = estimate.interval else { return None };
        let is_clear = estimate.value.abs() > CLEAR * (high - low) / 2.0;
        let more = if estimate.value > 0.0 { "more" } else { "less" };
        is_clear.then(|| {
            format!(
                "It errs {more} often when {}: {} of such takes, compared with takes that offered the same choice.",
                condition_words(&found.condition),
                figure_with_interval(SHARE, found.added_errors)
            )
        })
    })
}
