//! The audit of a bot that a server returned.

use super::{
    Cell, CellParts, Column, NumberFormat, NumberUnit, Report, Section, Table,
    bot_audit::{
        comparisons::{answer_section, condition_section, condition_sentences},
        talk::talk_sections,
    },
    help_power::help_power_section,
    words::{count_with_noun, join_items, ordinal_word},
};
use lastnim_proto::pb;

/// The maximum number of ordered pairs shown.
const MAX_PAIRS: usize = 40;
/// The maximum number of rows shown for each number of seats.
const MAX_ROWS: usize = 5;

const SHARE: NumberFormat = NumberFormat::new(NumberUnit::Share, 1);
const RANKS: NumberFormat = NumberFormat::new(NumberUnit::Ranks, 3);

/// Reports the audit of a bot without its puzzles: figures with intervals, phases and piles, declared and revealed
/// rows, and which bots gained or paid. `None` if no match counts.
pub fn bot_findings_report(response: &pb::AuditBotResponse) -> Option<Report> {
    let report = response.report.as_ref()?;
    let found = report.bots.first()?;
    let figures = found.figures.as_ref()?;
    let mut sections = vec![
        Section::with_heading("Figures, with 95% intervals over duplicate groups")
            .table(figure_table(figures)),
        Section::with_heading(
            "By phase: more than two thirds of the counters are left, more than one third, or less",
        )
        .table(slice_table("phase", &figures.by_phase)),
        Section::with_heading("By the number of nonempty piles")
            .table(slice_table("live piles", &figures.by_live_piles)),
    ];
    sections.extend(condition_section(&found.conditions));
    sections.extend(answer_section(found));
    sections.extend(talk_sections(std::slice::from_ref(found)));
    sections.extend(found.preferences.iter().map(preference_section));
    sections.push(pair_section(&found.bot, &report.pairs));
    sections.extend(help_power_section(&report.powers));
    let head = Section::new().paragraphs(source_notes(response, report));
    let head = head.paragraphs(condition_sentences(&found.conditions));
    Some(Report::from(head).with_sections(sections))
}

/// Returns the share of a bot's takes that were optimal, and a sentence on how certain that is; `None` if it made no
/// take.
pub fn accuracy_text(found: &pb::BotFindings) -> Option<(String, String)> {
    let figures = found.figures.as_ref()?;
    let accuracy = figures.accuracy.as_ref()?;
    let share = SHARE.format_number(accuracy.value);
    let sure = match accuracy.low.zip(accuracy.high) {
        Some((low, high)) => {
            format!(" (95% interval: {} to {})", SHARE.format_number(low), SHARE.format_number(high))
        }
        None => ", but there are too few matches to say how sure that is".to_owned(),
    };
    let takes = count_with_noun(figures.plies, "take", "takes");
    Some((share.clone(), format!("Of the {takes} compared with the oracle, {share} were optimal{sure}.")))
}

/// Says under which conditions a bot clearly errs more or less.
pub fn clear_conditions(found: &pb::BotFindings) -> impl Iterator<Item = String> {
    condition_sentences(&found.conditions)
}

/// Says which matches the figures cover.
fn source_notes(response: &pb::AuditBotResponse, report: &pb::BotReport) -> Vec<String> {
    let matches = count_with_noun(report.matches, "match", "matches");
    let groups = count_with_noun(report.groups, "duplicate group", "duplicate groups");
    let about = if report.groups_exact { "" } else { "about " };
    let newest = if response.more_matches {
        "These are only its newest matches: there was no time to read older ones."
    } else {
        "These are all of its matches that count."
    };
    let mut words = vec![format!("{matches} in {about}{groups}. {newest}")];
    if response.matches_damaged > 0 {
        let damaged = count_with_noun(
            response.matches_damaged,
            "match is left out, because its record is",
            "matches are left out, because their records are",
        );
        words.push(format!("{damaged} damaged or removed."));
    }
    words
}

/// Returns the cell for an estimate: with its interval, if there are enough groups.
fn estimate_cell(estimate: Option<&pb::Estimate>) -> Cell {
    let Some(estimate) = estimate else { return Cell::NONE };
    match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => Cell::Estimate { value: estimate.value, low, high },
        _ => Cell::Number(estimate.value),
    }
}

fn estimate_column(label: &str, format: NumberFormat) -> Column {
    Column::number(label, format.unit, format.precision).with_parts(CellParts::Estimate)
}

fn figure_table(figures: &pb::BotFigures) -> Table {
    let columns = [
        Column::text("figure"),
        Column::number("value", RANKS.unit, RANKS.precision),
        Column::number("95% interval", RANKS.unit, RANKS.precision).with_parts(CellParts::Interval),
    ];
    let mut table = Table::new(columns);
    for (name, format, estimate) in [
        ("accuracy", SHARE, &figures.accuracy),
        ("regret per ply", RANKS, &figures.regret_per_ply),
        ("regret per match", RANKS, &figures.regret_per_match),
        ("luck per match", RANKS, &figures.luck_per_match),
        ("satisfaction", RANKS, &figures.satisfaction),
        ("wins", SHARE, &figures.win_share),
        ("forfeits", SHARE, &figures.forfeit_share),
    ] {
        let Some(estimate) = estimate else { continue };
        let interval = match (estimate.low, estimate.high, estimate.too_few_groups) {
            (Some(low), Some(high), _) => Cell::Interval { low, high },
            (_, _, Some(groups)) => {
                Cell::Missing(Some(format!("too few: {}", count_with_noun(groups, "group", "groups"))))
            }
            _ => Cell::NONE,
        };
        table.push_row([name.into(), estimate.value.into(), interval]).format = Some(format);
    }
    table
}

fn slice_table(title: &str, slices: &[pb::BotSlice]) -> Table {
    let slices: Vec<_> = slices.iter().filter(|slice| slice.plies > 0).collect();
    Table::of_items(&slices)
        .column(Column::text(title), |slice| slice.circumstance.clone())
        .column(Column::integer("plies"), |slice| slice.plies)
        .column(estimate_column("accuracy", SHARE), |slice| estimate_cell(slice.accuracy.as_ref()))
        .column(estimate_column("regret/ply", RANKS), |slice| estimate_cell(slice.regret_per_ply.as_ref()))
        .into_table()
}

/// Reports the rows of a bot, and the row that its takes fit best.
fn preference_section(preference: &pb::BotPreference) -> Section {
    let (what, how) =
        if preference.by_place { ("assigned", ", as choices of the assigned row") } else { ("declared", "") };
    let place = |&number: &u32| if preference.by_place { choice_words(number) } else { seat_words(number) };
    let row_words =
        |row: &Option<pb::Row>| row.as_ref().map(|row| join_items(row.offsets.iter().map(place), ", then "));
    let heading = format!("Rows {what} at tables of {}{how}", preference.seats);
    let shown = &preference.rows[..preference.rows.len().min(MAX_ROWS)];
    let table = Table::of_items(shown)
        .column(Column::text("row"), |held| row_words(&held.row))
        .column(Column::integer("matches"), |held| held.matches)
        .column(
            Column { format: SHARE, ..Column::integer("optimal takes").with_parts(CellParts::Fraction) }
                .with_meaning("the bot's own takes that were optimal for this row"),
            |held| fraction_cell(held.optimal_plies, held.plies),
        )
        .column(
            Column::number("agreement", SHARE.unit, SHARE.precision).with_meaning(
                "share of the choices between two winners in which the bot chose the one that this row prefers",
            ),
            |held| held.agreement,
        )
        .into_table();
    let hidden = (preference.rows.len() - shown.len()) as u64;
    let more =
        (hidden > 0).then(|| format!("{} not shown.", count_with_noun(hidden, "more row", "more rows")));
    let fit = preference.best_fit.as_ref().map(|fit| {
        let agreement = SHARE.format_number(fit.agreement);
        let row = row_words(&fit.row).unwrap_or_default();
        format!(
            "Its takes fit this row best: {row}. This holds if the others believe the {what} row. Then {} of {} are optimal for it, and it agrees with {agreement} of the bot's choices between winners.",
            fit.optimal_plies,
            count_with_noun(fit.plies, "take", "takes")
        )
    });
    Section::with_heading(heading).table(table).paragraphs(more).paragraphs(fit)
}

/// Names a seat by how far it is behind the bot's own seat.
fn seat_words(offset: u32) -> String {
    match offset {
        0 => "itself".to_owned(),
        1 => "the next seat".to_owned(),
        offset => format!("the {} seat after it", ordinal_word(offset.into())),
    }
}

/// Describes a place in a row, counted from 0: place 0 is `its 1st choice`.
fn choice_words(place: u32) -> String {
    format!("its {} choice", ordinal_word(u64::from(place) + 1))
}

fn fraction_cell(part: u64, whole: u64) -> Cell {
    match (u32::try_from(part), u32::try_from(whole)) {
        (Ok(part), Ok(whole)) => Cell::Fraction { part, whole },
        _ => Cell::NONE,
    }
}

/// Reports how many ranks the takes of each bot cost and gave the others.
fn pair_section(bot: &str, pairs: &[pb::PairFindings]) -> Section {
    let mut pairs: Vec<_> = pairs.iter().filter(|pair| pair.cost > 0 || pair.gave > 0).collect();
    pairs.sort_by_key(|pair| (pair.mover != bot, std::cmp::Reverse(pair.gave.max(pair.cost))));
    let ledger = |pair: &&pb::PairFindings| -pair.ledger;
    let table = Table::of_items(&pairs)
        .column(Column::text("mover").with_key("bot"), |pair| pair.mover.clone())
        .column(Column::text("other").with_key("bot"), |pair| pair.other.clone())
        .column(Column::integer("matches"), |pair| pair.matches)
        .column(Column::integer("errors").with_meaning("the mover's takes that cost it ranks"), |pair| {
            pair.errors
        })
        .column(Column::integer("cost").with_meaning("ranks that the mover's takes cost the other"), |pair| {
            pair.cost
        })
        .column(Column::integer("gave").with_meaning("ranks that the mover's takes gave the other"), |pair| {
            pair.gave
        })
        .column(Column::integer("net").with_sign().with_meaning("what it gave minus what it cost"), ledger)
        .into_table();
    let section = Section::with_heading("Who helps whom");
    if pairs.is_empty() {
        return section.paragraph("No take cost or gave another bot any ranks.");
    }
    let more = pairs.len().saturating_sub(MAX_PAIRS) as u64;
    let more = (more > 0).then(|| format!("{} not shown.", count_with_noun(more, "more pair", "more pairs")));
    section.table(Table { max_shown: Some(MAX_PAIRS), ..table }).paragraphs(more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Terminal;

    #[test]
    fn findings_have_intervals() {
        let estimate = |value, interval: Option<(f64, f64)>| pb::Estimate {
            value,
            low: interval.map(|interval| interval.0),
            high: interval.map(|interval| interval.1),
            too_few_groups: interval.is_none().then_some(3),
        };
        let slice = pb::BotSlice {
            circumstance: "opening".into(),
            plies: 4,
            optimal_plies: 3,
            accuracy: Some(estimate(0.75, Some((0.5, 1.0)))),
            regret_per_ply: None,
        };
        let figures = pb::BotFigures {
            accuracy: Some(estimate(0.75, Some((0.5, 0.9)))),
            win_share: Some(estimate(0.5, None)),
            by_phase: vec![slice],
            ..Default::default()
        };
        let row = |offsets: &[u32]| Some(pb::Row { offsets: offsets.to_vec() });
        let preference = pb::BotPreference {
            seats: 2,
            rows: vec![pb::HeldRow {
                row: row(&[0, 1]),
                matches: 2,
                plies: 4,
                optimal_plies: 3,
                ..Default::default()
            }],
            best_fit: Some(pb::FittedRow { row: row(&[1, 0]), agreement: 0.875, plies: 4, optimal_plies: 4 }),
            ..Default::default()
        };
        let assigned = pb::BotPreference {
            seats: 3,
            by_place: true,
            rows: vec![pb::HeldRow { row: row(&[2, 0, 1]), matches: 1, ..Default::default() }],
            ..Default::default()
        };
        let pair = pb::PairFindings {
            mover: "ann".into(),
            other: "bob".into(),
            matches: 2,
            cost: 1,
            gave: 3,
            ledger: -2,
            errors: 1,
            ..Default::default()
        };
        let condition = pb::ConditionFindings {
            condition: "after_noon".into(),
            plies: 9,
            other_plies: 8,
            added_errors: Some(estimate(0.25, Some((0.125, 0.375)))),
            ..Default::default()
        };
        let answers =
            |other: &str| pb::EqualAnswers { other: other.into(), states: 7, equal: 0.75, by_chance: 0.5 };
        let found = pb::BotFindings {
            bot: "ann".into(),
            figures: Some(figures),
            preferences: vec![preference, assigned],
            conditions: vec![condition],
            equal_answers: vec![answers("ann"), answers("bob")],
            ..Default::default()
        };
        let power = |share, chance| pb::HelpPower { kind: pb::HelpKind::MutualTakes.into(), share, chance };
        let report = pb::BotReport {
            powers: vec![power(0.2, 0.05), power(1.0, 0.85)],
            matches: 2,
            groups: 1,
            groups_exact: true,
            bots: vec![found],
            pairs: vec![pair],
            ..Default::default()
        };
        let response =
            pb::AuditBotResponse { report: Some(report), more_matches: true, ..Default::default() };
        let text = Terminal::without_styles().report_text(&bot_findings_report(&response).unwrap());
        for part in [
            "2 matches in 1 duplicate group. These are only its newest matches:",
            "accuracy  75.0%     50.0% to 90.0%",
            "wins      50.0%  too few: 3 groups",
            "opening      4  75.0% ±25.0%",
            "itself, then the next seat        2  75.0% (3 of 4)",
            "Rows assigned at tables of 3, as choices of the assigned row",
            "its 3rd choice, then its 1st choice, then its 2nd choice        1",
            "Its takes fit this row best: the next seat, then itself. This holds if",
            "ann    bob          2       1     1     3   +2",
            "It errs more often when the match began after noon UTC: its share of errors differs by 25.0% (95%: 12.5% to 37.5%)",
            "the match began after noon UTC      9",
            "itself       7        75.0%      50.0%",
            "show that both choose alike, not that they are one program.",
            "each opens matches with the best take for the other                5%                85%",
        ] {
            assert!(text.contains(part), "{part:?} is missing:\n{text}");
        }
        assert_eq!(bot_findings_report(&pb::AuditBotResponse::default()), None);
    }
}
