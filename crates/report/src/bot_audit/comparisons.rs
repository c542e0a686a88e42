//! Comparisons of a bot's takes with and without a condition, and with the takes of other bots.

use super::figures::{SHARE, figure_column, interval_column};
use crate::{Cell, Column, Section, Table, words::count_with_noun};
use lastnim_auditing::LOW_CLOCK_PERCENT;
use lastnim_proto::pb::{BotFindings, ConditionFindings, Estimate};

/// A difference is called clear if it is at least this many times the half-width of its interval away from 0.
/// For each condition, about 3 in 1,000 audits call a difference clear by chance.
const MIN_CLEAR_RATIO: f64 = 1.5;

/// Describes a condition, in words that follow "when".
fn condition_text(found: &ConditionFindings) -> String {
    match found.condition.as_str() {
        "behind" => "the winner under optimal play suits it less than at the start".to_owned(),
        "low_clock" => format!("less than {LOW_CLOCK_PERCENT}% of its time is left"),
        "after_noon" => "the match began after noon UTC".to_owned(),
        "second_half" => "the tournament is in its second half".to_owned(),
        "newer_version" => format!("it plays as {}, not as {}", found.newer_version, found.older_version),
        // A condition that only a newer server knows.
        other => other.replace('_', " "),
    }
}

pub(super) fn value_cell(estimate: Option<&Estimate>) -> Cell {
    estimate.map(|estimate| estimate.value).into()
}

pub(super) fn interval_cell(estimate: Option<&Estimate>) -> Cell {
    let Some(estimate) = estimate else { return Cell::NONE };
    match (estimate.low, estimate.high, estimate.too_few_groups) {
        (Some(low), Some(high), _) => Cell::Interval { low, high },
        (_, _, Some(groups)) => {
            Cell::Missing(Some(format!("too few: {}", count_with_noun(groups, "group", "groups"))))
        }
        _ => Cell::NONE,
    }
}

/// Tabulates the errors under each condition; `None` if no condition can be compared.
pub(crate) fn condition_table(found: &[ConditionFindings]) -> Option<Table> {
    if found.is_empty() {
        return None;
    }
    let table = Table::of_items(found)
        .column(Column::text("when").with_key("condition"), condition_text)
        .column(
            Column::integer("takes").with_key("plies").with_meaning("takes in this situation that can be compared"),
            |found| found.plies,
        )
        .column(
            Column::integer("compared with").with_key("other_plies").with_meaning(
                "other takes with a similar choice: as many seats, piles and counters, and winners that suit it equally well",
            ),
            |found| found.other_plies,
        )
        .column(
            figure_column("added errors", SHARE)
                .with_sign()
                .with_meaning("the share of errors in the first takes minus the share in the second"),
            |found| value_cell(found.added_errors.as_ref()),
        )
        .column(interval_column("added_errors", SHARE).with_sign(), |found| {
            interval_cell(found.added_errors.as_ref())
        })
        .into_table();
    Some(table)
}

/// Reports the errors under each condition; `None` if no condition can be compared.
pub(super) fn condition_section(found: &[ConditionFindings]) -> Option<Section> {
    let heading = "Errors under conditions: the share of takes that are errors, minus that share of the bot's other takes in comparable positions";
    Some(Section::with_heading(heading).table(condition_table(found)?))
}

/// Tabulates how often the bot answered like each bot that it met; `None` if there is nothing to compare.
pub(crate) fn answer_table(found: &BotFindings) -> Option<Table> {
    if found.equal_answers.is_empty() {
        return None;
    }
    let name = |other: &str| if other == found.bot { "itself".to_owned() } else { other.to_owned() };
    let table = Table::of_items(&found.equal_answers)
        .column(Column::text("like").with_key("bot"), |answers| name(&answers.other))
        .column(
            Column::integer("states")
                .with_meaning("positions, with what all seats want, in which both had to take"),
            |answers| answers.states,
        )
        .column(figure_column("equal takes", SHARE).with_meaning("how often both took the same"), |answers| {
            answers.equal
        })
        .column(
            figure_column("by chance", SHARE)
                .with_meaning("how often they would take the same by chance, with as many errors"),
            |answers| answers.by_chance,
        )
        .into_table();
    Some(table)
}

/// Reports how often the bot answered like each bot that it met; `None` if there is nothing to compare.
pub(super) fn answer_section(found: &BotFindings) -> Option<Section> {
    let heading =
        "Equal answers: takes where both bots met the same piles, with the same wants and seat to move";
    let meaning = "If two bots agree far more often than by chance, they choose alike, but need not be the same program. \
                 A bot that agrees with itself more often than with another bot differs from that bot.";
    Some(Section::with_heading(heading).table(answer_table(found)?).paragraph(meaning))
}

/// Returns the conditions under which the bot clearly errs more or less.
fn clear_conditions(found: &[ConditionFindings]) -> impl Iterator<Item = (&ConditionFindings, Estimate)> {
    found.iter().filter_map(|found| {
        let estimate = found.added_errors?;
        let (low, high) = estimate.low.zip(estimate.high)?;
        let is_clear = estimate.value.abs() > MIN_CLEAR_RATIO * (high - low) / 2.0;
        is_clear.then_some((found, estimate))
    })
}

/// Says under which conditions the bot clearly errs more or less, for a command line.
pub(super) fn condition_sentences(found: &[ConditionFindings]) -> impl Iterator<Item = String> {
    clear_conditions(found).map(|(found, estimate)| {
        let more = if estimate.value > 0.0 { "more" } else { "less" };
        format!(
            "It errs {more} often when {}: its share of errors differs by {} (95%: {}) from that of its other takes in comparable positions.",
            condition_text(found),
            value_cell(Some(&estimate)).display_text(SHARE),
            interval_cell(Some(&estimate)).display_text(SHARE)
        )
    })
}

/// Says under which conditions the bot clearly errs more or less, for a page.
pub(crate) fn clear_condition_texts(found: &[ConditionFindings]) -> impl Iterator<Item = String> {
    clear_conditions(found).map(|(found, estimate)| {
        let (more, higher) = if estimate.value > 0.0 { ("more", "higher") } else { ("less", "lower") };
        let mut ends = [estimate.low, estimate.high].map(|end| end.unwrap_or_default().abs());
        ends.sort_by(f64::total_cmp);
        let points = |share: f64| format!("{:.1}", 100.0 * share);
        let [low, high] = ends.map(points);
        format!(
            "It errs {more} often when {}: in comparable positions, its share of errors is then {} percentage points {higher} (95% interval: {low} to {high}).",
            condition_text(found),
            points(estimate.value.abs()),
        )
    })
}
