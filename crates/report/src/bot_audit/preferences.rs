//! What a bot declares and what its takes reveal.

use super::figures::SHARE;
use crate::{
    Cell, Column, Section, Table,
    words::{count_with_noun, join_items},
};
use lastnim_auditing::{ExplainedRows, PreferenceFindings, RationalisableCount, RowSource};

/// The maximum number of rows listed.
const MAX_LISTED: usize = 8;
/// The largest number of seats for which the table of choices between winners is shown.
const MAX_CHOICE_TABLE_SEATS: usize = 8;

/// Reports the rows that a bot had, the rows that its takes fit, and its choices between winners.
pub(super) fn preference_sections(preference: &PreferenceFindings) -> Vec<Section> {
    let PreferenceFindings { seats, choices, source, .. } = preference;
    let (of_rows, meaning, choice_heading) = match source {
        RowSource::Declared => (
            "",
            "A row lists offsets from the bot's own seat (0), the preferred winner first; 1 moves next",
            "How often it chose the seat on the left over the seat at the top as the winner; +1 moves next",
        ),
        RowSource::Assigned => (
            " with assigned rows",
            "A row lists places in the assigned row, 0 being its preferred winner: `0 1 2` is the assigned row itself",
            "How often it chose the place on the left of its assigned row over the place at the top",
        ),
    };
    let more = preference.rows.len().saturating_sub(MAX_LISTED);
    let more = (more > 0 || preference.other_rows > 0).then(|| {
        let rows = count_with_noun(more, "more row", "more rows");
        let matches = count_with_noun(preference.other_rows, "match", "matches");
        format!("{rows} not shown; {matches} used other rows.")
    });
    let rows = Section::with_heading(format!(
        "Preferences at tables of {seats}{of_rows}, from {}",
        count_with_noun(
            *choices,
            "take that could have changed the winner",
            "takes that could have changed the winner"
        )
    ))
    .paragraph(meaning)
    .table(row_table(preference))
    .paragraphs(more)
    .paragraph(format!("{}.", believed_rows_sentence(preference)))
    .paragraphs(
        preference.explained.as_ref().map(|explained| format!("{}.", known_rows_sentence(explained))),
    );
    let chosen = (*choices > 0 && seats.get() <= MAX_CHOICE_TABLE_SEATS)
        .then(|| Section::with_heading(choice_heading).table(winner_choice_table(preference)));
    [rows].into_iter().chain(chosen).collect()
}

fn share_column(label: impl Into<String>) -> Column {
    Column::number(label, SHARE.unit, SHARE.precision)
}

fn row_table(preference: &PreferenceFindings) -> Table {
    let mut table = Table::new([
        Column::text("row"),
        Column::text("").with_key("source"),
        Column::integer("matches"),
        share_column("optimal for it"),
        share_column("fits the choices"),
    ]);
    for held in preference.rows.iter().take(MAX_LISTED) {
        let source = match preference.source {
            RowSource::Declared => "declared",
            RowSource::Assigned => "assigned",
        };
        let (optimal, fits) = (held.accuracy(), held.agreement);
        table.push_row([
            held.row.to_string().into(),
            source.into(),
            held.matches.into(),
            optimal.into(),
            fits.into(),
        ]);
    }
    if let Some(fit) = &preference.best_fit {
        let (optimal, fits) = (fit.optimal_share(), fit.agreement);
        table.push_row([
            fit.row.to_string().into(),
            "fits best".into(),
            Cell::NONE,
            optimal.into(),
            fits.into(),
        ]);
    }
    table
}

fn winner_choice_table(preference: &PreferenceFindings) -> Table {
    let offsets = 0..preference.seats.get();
    let sign = if preference.source == RowSource::Declared { "+" } else { "" };
    let others = offsets.clone().map(|offset| share_column(format!("over {sign}{offset}")));
    let mut table = Table::new([Column::text("took").right_aligned()].into_iter().chain(others));
    for offset in offsets.clone() {
        let shares = offsets.clone().map(|other| preference.chosen_share(offset, other).into());
        table.push_row([format!("{sign}{offset}").into()].into_iter().chain(shares));
    }
    table
}

/// Says which rows make all takes optimal if the others believe the declared or assigned row; a sentence without its
/// full stop.
fn believed_rows_sentence(preference: &PreferenceFindings) -> String {
    let held = believed_row_phrase(preference);
    match &preference.rationalisable_rows {
        _ if preference.choices == 0 => {
            "The bot could never choose between winners, so every row fits".to_owned()
        }
        RationalisableCount::Counted { rows: 1, example } => {
            format!("One row makes every take optimal, if the others believe {held}: {example}")
        }
        RationalisableCount::Counted { rows, example } => {
            format!(
                "{rows} rows make every take optimal, if the others believe {held}; the first is {example}"
            )
        }
        RationalisableCount::Uncounted { example } => {
            format!("Some rows make every take optimal if the others believe {held}, such as {example}")
        }
        RationalisableCount::Contradicted { cycle } => {
            let sign = if preference.source == RowSource::Declared { "+" } else { "" };
            let offsets = cycle.iter().chain(cycle.first()).map(|offset| format!("{sign}{offset}"));
            let offsets = join_items(offsets, " over ");
            format!(
                "No row makes every take optimal, because the bot's choices form a cycle: {offsets}, each at least once"
            )
        }
    }
}

/// Says how many rows make all takes optimal if they are common knowledge; a sentence without its full stop.
fn known_rows_sentence(explained: &ExplainedRows) -> String {
    let left_out = match explained.left_out {
        0 => String::new(),
        1 => "; 1 match is left out, because it would have taken too long".to_owned(),
        left_out => format!("; {left_out} matches are left out, because they would have taken too long"),
    };
    match (&explained.example, explained.rows.at_least()) {
        (None, _) => format!("No row makes all its takes optimal if the others know that row{left_out}"),
        (Some(example), 1) => {
            format!(
                "Only one row makes all its takes optimal if the others know that row: {example}{left_out}"
            )
        }
        (Some(example), rows) => {
            format!(
                "{rows} rows make all its takes optimal if the others know the row; the first is {example}{left_out}"
            )
        }
    }
}

/// Names the row that the others are assumed to believe.
fn believed_row_phrase(preference: &PreferenceFindings) -> &'static str {
    match preference.source {
        RowSource::Assigned => "the assigned one",
        RowSource::Declared => "the declared one",
    }
}
