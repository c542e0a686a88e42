//! The audit of a bot that a server returned, for pages.

use super::{
    Cell, CellParts, Column, NumberFormat, NumberUnit, Section, Table,
    bot_audit::{
        comparisons::{answer_table, clear_condition_texts, condition_table},
        talk::talk_sections,
        trust::trust_section,
    },
    bot_help::{affected_pairs, help_sentences, pair_section},
    help_power::help_power_table,
    words::{count_with_noun, join_items, ordinal_word},
};
use lastnim_auditing::MIN_GROUPS;
use lastnim_proto::pb;

/// The maximum number of preference orders shown in a table.
const MAX_ROWS: usize = 5;

const SHARE: NumberFormat = NumberFormat::new(NumberUnit::Share, 1);
const RANKS: NumberFormat = NumberFormat::new(NumberUnit::Ranks, 2);

/// What a page says about the audit of a bot.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedAudit {
    /// The main finding.
    pub headline: String,
    /// Sentences about the play of the bot, its figures, and whom it helps.
    pub sections: Vec<Section>,
    /// Further tables. A page shows them when a visitor asks for them.
    pub details: Vec<Section>,
}

/// Explains the audit of a bot without its puzzles; `None` if no match counts.
pub fn explain_bot_audit(response: &pb::AuditBotResponse) -> Option<ExplainedAudit> {
    let report = response.report.as_ref()?;
    let found = report.bots.first()?;
    let figures = found.figures.as_ref()?;
    let bot = &found.bot;
    let headline = match &figures.accuracy {
        Some(accuracy) => {
            format!("{} of the takes of {bot} are optimal", SHARE.format_number(accuracy.value))
        }
        None => format!("{bot} has made no take that counts"),
    };
    let head = Section::new()
        .paragraphs(source_notes(response, report, figures))
        .paragraphs(error_sentence(figures))
        .paragraphs(clear_condition_sentences(found));
    let notes = interval_notes(figures, report);
    let figure_section = Section::with_heading("In figures").table(figure_table(figures)).paragraphs(notes);
    let pairs = affected_pairs(bot, &report.pairs);
    let helps = Section::with_heading("Who helps whom").paragraphs(help_sentences(bot, &pairs));
    let mut details = vec![
        slice_section("When it errs: by part of the match", "part of the match", &figures.by_phase)
            .paragraph("In the opening, more than two thirds of the counters are left; in the middle, more than one third; at the end, fewer."),
        slice_section("When it errs: by the number of piles left", "piles left", &figures.by_live_piles),
    ];
    details.extend(
        condition_table(&found.conditions)
            .map(|table| Section::with_heading("When it errs: in some situations").table(table)),
    );
    details.extend(talk_sections(
        std::slice::from_ref(found),
        ["Which pacts it offered, signed, kept and broke", "How true its claims were"],
    ));
    details.extend(trust_section(&report.pairs, "Who trusted whom after a broken pact"));
    details.extend(found.preferences.iter().map(preference_section));
    details.extend((!pairs.is_empty()).then(|| pair_section(&pairs)));
    details.extend(answer_table(found).map(|table| {
        Section::with_heading("Which bots answer like it").table(table).paragraph(
            "Bots that give far more equal answers than by chance choose alike; they need not be one program. If the bot agrees with itself more often than with another bot, the two differ.",
        )
    }));
    details.extend(help_power_table(&report.powers).map(|table| {
        Section::with_heading("How much help between bots this audit would notice").table(table).paragraph(
            "In a simulation, two of these bots help each other in a share of their groups, and all others play as they did. Each number is the chance that the audit notices this.",
        )
    }));
    Some(ExplainedAudit { headline, sections: vec![head, figure_section, helps], details })
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
pub fn clear_condition_sentences(found: &pb::BotFindings) -> impl Iterator<Item = String> {
    clear_condition_texts(&found.conditions)
}

/// Says which matches are covered, which are left out, and when a take is optimal.
fn source_notes(
    response: &pb::AuditBotResponse,
    report: &pb::BotReport,
    figures: &pb::BotFigures,
) -> Vec<String> {
    let takes = count_with_noun(figures.plies, "take", "takes");
    let matches = count_with_noun(report.matches, "match", "matches");
    let newest = if response.more_matches {
        "These are only its newest matches: there was no time to read older ones."
    } else {
        "These are all of its matches that count."
    };
    let mut sentences = vec![
        format!("Its {takes} in {matches} are compared with optimal play. {newest}"),
        "A take is optimal if no other take leads to a winner that the bot likes better, given that everybody then plays optimally. Any other take is an error.".to_owned(),
    ];
    if response.matches_damaged > 0 {
        let damaged = count_with_noun(
            response.matches_damaged,
            "match is left out, because its record is",
            "matches are left out, because their records are",
        );
        sentences.push(format!("{damaged} damaged or removed."));
    }
    sentences
}

/// Says what its own errors cost the bot, and what the errors of others cost or gave it.
fn error_sentence(figures: &pb::BotFigures) -> Option<String> {
    let cost = RANKS.format_number(figures.regret_per_match.as_ref()?.value);
    let luck = figures.luck_per_match.as_ref()?.value;
    let gave = if luck < 0.0 { "cost" } else { "gave" };
    let luck = RANKS.format_number(luck.abs());
    Some(format!(
        "In an average match, its own errors cost it {cost} places in its order of winners, and the errors of others {gave} it {luck} places."
    ))
}

/// Says what a place and an interval in the table are, or how many groups an interval needs.
fn interval_notes(figures: &pb::BotFigures, report: &pb::BotReport) -> Vec<String> {
    let same = "Matches of the same bots on the same piles, with the seats moved round, count as one group";
    let about = if report.groups_exact { "" } else { "about " };
    let groups = count_with_noun(report.groups, "group", "groups");
    let has_intervals = figures.accuracy.as_ref().is_some_and(|estimate| estimate.low.is_some());
    let note = if has_intervals {
        format!(
            "In 95 of 100 such audits, the interval contains the true value. {same}: {about}{groups} here."
        )
    } else {
        format!("There are no intervals yet. {same}: {about}{groups} here, and {MIN_GROUPS} are needed.")
    };
    vec![
        "A place is a step down in the bot's order of winners, from its first choice to its last.".to_owned(),
        note,
    ]
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
        Column::text("what"),
        Column::number("value", RANKS.unit, RANKS.precision),
        Column::number("95% interval", RANKS.unit, RANKS.precision).with_parts(CellParts::Interval),
    ];
    let mut table = Table::new(columns);
    for (name, format, estimate) in [
        ("takes that were optimal", SHARE, &figures.accuracy),
        ("places that a take cost it", RANKS, &figures.regret_per_ply),
        ("places that its errors cost it in a match", RANKS, &figures.regret_per_match),
        ("places that the errors of others gave it in a match", RANKS, &figures.luck_per_match),
        ("satisfaction: 100% if its first choice always wins, 0% if its last", SHARE, &figures.satisfaction),
        ("matches that it won", SHARE, &figures.win_share),
        ("matches in which its seat was forfeited", SHARE, &figures.forfeit_share),
    ] {
        let Some(estimate) = estimate else { continue };
        let interval = match (estimate.low, estimate.high, estimate.too_few_groups) {
            (Some(low), Some(high), _) => Cell::Interval { low, high },
            (_, _, Some(_)) => Cell::Missing(Some("too few matches".to_owned())),
            _ => Cell::NONE,
        };
        table.push_row([name.into(), estimate.value.into(), interval]).format = Some(format);
    }
    table
}

fn slice_section(heading: &str, title: &str, slices: &[pb::BotSlice]) -> Section {
    let slices: Vec<_> = slices.iter().filter(|slice| slice.plies > 0).collect();
    let table = Table::of_items(&slices)
        .column(Column::text(title), |slice| circumstance_words(&slice.circumstance))
        .column(Column::integer("takes"), |slice| slice.plies)
        .column(estimate_column("optimal", SHARE), |slice| estimate_cell(slice.accuracy.as_ref()))
        .column(estimate_column("places lost per take", RANKS), |slice| {
            estimate_cell(slice.regret_per_ply.as_ref())
        })
        .into_table();
    Section::with_heading(heading).table(table)
}

/// Writes the part of a match, or the number of piles: `5-8` as `5 to 8`, and `9+` as `9 or more`.
fn circumstance_words(circumstance: &str) -> String {
    circumstance.replace('-', " to ").replace('+', " or more")
}

/// Reports what a bot wanted, and the order that its takes fit best.
fn preference_section(preference: &pb::BotPreference) -> Section {
    let order_words = |row: &Option<pb::Row>| {
        let place =
            |&number: &u32| if preference.by_place { choice_words(number) } else { seat_words(number) };
        row.as_ref().map(|row| join_items(row.offsets.iter().map(place), ", then "))
    };
    let seats = preference.seats;
    let (heading, believed) = if preference.by_place {
        (
            format!("What it plays for in matches of {seats} seats whose orders are given"),
            "know the given order",
        )
    } else {
        (format!("What it says that it wants in matches of {seats} seats"), "believe what it says")
    };
    let shown = &preference.rows[..preference.rows.len().min(MAX_ROWS)];
    let table = Table::of_items(shown)
        .column(Column::text("wants"), |held| order_words(&held.row))
        .column(Column::integer("matches"), |held| held.matches)
        .column(
            Column { format: SHARE, ..Column::integer("optimal takes").with_parts(CellParts::Fraction) }
                .with_meaning("its takes that were optimal for this order"),
            |held| fraction_cell(held.optimal_plies, held.plies),
        )
        .column(
            Column::number("agreement", SHARE.unit, SHARE.precision).with_meaning(
                "of its choices between two winners, the share in which it chose the one that comes first in this order",
            ),
            |held| held.agreement,
        )
        .into_table();
    let hidden = (preference.rows.len() - shown.len()) as u64;
    let more =
        (hidden > 0).then(|| format!("{} not shown.", count_with_noun(hidden, "more order", "more orders")));
    let fit = preference.best_fit.as_ref().map(|fit| {
        let agreement = SHARE.format_number(fit.agreement);
        let row = order_words(&fit.row).unwrap_or_default();
        format!(
            "Its takes fit this order best: {row}. If the others {believed}, {} of {} are optimal for it, and {agreement} of its choices between two winners agree with it.",
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Report, render::Terminal};

    /// Returns an audit of `ann` in which every section has something to show.
    fn response() -> pb::AuditBotResponse {
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
            regret_per_match: Some(estimate(0.75, None)),
            luck_per_match: Some(estimate(-0.25, None)),
            win_share: Some(estimate(0.5, None)),
            plies: 8,
            by_phase: vec![slice],
            by_live_piles: vec![pb::BotSlice { circumstance: "5-8".into(), plies: 2, ..Default::default() }],
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
        let back = pb::PairFindings {
            mover: "bob".into(),
            other: "ann".into(),
            cost: 1,
            ledger: 1,
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
            pairs: vec![pair, back],
            ..Default::default()
        };
        pb::AuditBotResponse { report: Some(report), more_matches: true, ..Default::default() }
    }

    #[test]
    fn an_audit_is_explained() {
        let found = explain_bot_audit(&response()).unwrap();
        assert_eq!(found.headline, "75.0% of the takes of ann are optimal");
        let report: Report = found.sections.into_iter().chain(found.details).collect();
        let text = Terminal::without_styles().report_text(&report);
        let text = join_items(text.split_whitespace(), " ");
        for part in [
            "Its 8 takes in 2 matches are compared with optimal play. These are only its newest matches:",
            "its own errors cost it 0.75 places in its order of winners, and the errors of others cost it 0.25 places.",
            "takes that were optimal 75.0% 50.0% to 90.0%",
            "matches that it won 50.0% too few matches",
            "the interval contains the true value. Matches of the same bots on the same piles, with the seats moved round, count as one group: 1 group here.",
            "opening 4 75.0% ±25.0%",
            "5 to 8 2",
            "itself, then the next seat 2 75.0% (3 of 4)",
            "What it plays for in matches of 3 seats whose orders are given",
            "its 3rd choice, then its 1st choice, then its 2nd choice 1",
            "Its takes fit this order best: the next seat, then itself. If the others believe what it says, 4 of 4 takes are optimal for it, and 87.5%",
            "Its takes helped bob most: they gave it 2 places more than they cost it. The takes of bob hurt it most: they cost it 1 place more than they gave it.",
            "ann bob 2 1 1 3 +2",
            "It errs more often when the match began after noon UTC: in comparable positions, its share of errors is then 25.0 percentage points higher (95% interval: 12.5 to 37.5).",
            "the match began after noon UTC 9",
            "itself 7 75.0% 50.0%",
            "they need not be one program.",
            "each opens matches with the best take for the other 5% 85%",
        ] {
            assert!(text.contains(part), "{part:?} is missing:\n{text}");
        }
        assert_eq!(explain_bot_audit(&pb::AuditBotResponse::default()), None);
    }

    #[test]
    fn a_bot_that_errs_less_has_a_lower_share_of_errors() {
        let added =
            pb::Estimate { value: -0.25, low: Some(-0.375), high: Some(-0.125), ..Default::default() };
        let condition = pb::ConditionFindings {
            condition: "behind".into(),
            added_errors: Some(added),
            ..Default::default()
        };
        let found = pb::BotFindings { conditions: vec![condition], ..Default::default() };
        let sentences: Vec<_> = clear_condition_sentences(&found).collect();
        assert_eq!(
            sentences,
            [
                "It errs less often when the winner under optimal play suits it less than at the start: in comparable positions, its share of errors is then 25.0 percentage points lower (95% interval: 12.5 to 37.5)."
            ]
        );
    }
}
