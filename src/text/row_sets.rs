//! Sets of rows as text.

use lastnim_analysis::{Completeness, RowCount, RowSet};
use lastnim_core::{
    game::{Row, SeatCount},
    oracle::Budget,
};
use lastnim_report::{
    Section,
    words::{count_with_noun, join_items},
};

/// The maximum number of leaves of a row set that are printed as text.
const MAX_LEAVES_SHOWN: usize = 12;

/// Returns the number of rows that a seat may have, which is n! for n seats.
pub fn count_all_rows(seats: SeatCount) -> RowCount {
    RowSet::full(seats).count_rows(&mut Budget::unbounded())
}

/// Adds the example rows and, if the set has more rows, a description of the rows in each leaf of the set.
pub fn with_example_rows(section: Section, rows: &RowSet, examples: &[Row]) -> Section {
    if examples.is_empty() {
        return section;
    }
    let mut items = vec![format!("for example {}", join_items(examples, "; "))];
    if rows.rows().nth(examples.len()).is_some() {
        let (shown, left_out) = rows.leaves().split_at(rows.leaves().len().min(MAX_LEAVES_SHOWN));
        items.extend(shown.iter().map(|leaf| match (leaf.as_row(), leaf.covering_pairs().next()) {
            (Some(row), _) => format!("the row {row}"),
            (None, None) => "any row".to_owned(),
            (None, Some(_)) => format!("all rows with {leaf}"),
        }));
        if !left_out.is_empty() {
            items.push(format!(
                "and {}: --json lists them",
                count_with_noun(left_out.len(), "more set", "more sets")
            ));
        }
    }
    section.list(items)
}

/// Says how much was examined if an answer is incomplete. `cases` names what was examined, such as `rows`.
pub fn incompleteness_note(settled: Completeness, cases: &str) -> Option<String> {
    match settled {
        Completeness::Complete => None,
        Completeness::Partial { settled, all, halt } => Some(format!(
            "This is incomplete: only {settled} of {all} {cases} were examined, because {halt}; --max-time allows more time."
        )),
    }
}
