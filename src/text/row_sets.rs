//! Sets of rows as text.

use lastnim_analysis::{Completeness, RowCount, RowSet};
use lastnim_core::{
    game::{Row, SeatCount},
    oracle::Budget,
};
use lastnim_report::{
    Section,
    words::{count_words, join_words},
};

/// The maximum number of leaves printed as text.
const MAX_LEAVES_SHOWN: usize = 12;

/// Counts the rows that a seat may have: n!.
pub fn count_all_rows(seats: SeatCount) -> RowCount {
    RowSet::full(seats).count_rows(&mut Budget::unbounded())
}

/// Adds examples of rows and, if there are more, the common pattern of each leaf's rows.
pub fn with_example_rows(section: Section, rows: &RowSet, examples: &[Row]) -> Section {
    if examples.is_empty() {
        return section;
    }
    let mut items = vec![format!("for example {}", join_words(examples, "; "))];
    if rows.rows().nth(examples.len()).is_some() {
        let (shown, left_out) = rows.leaves().split_at(rows.leaves().len().min(MAX_LEAVES_SHOWN));
        items.extend(shown.iter().map(|leaf| match (leaf.as_row(), leaf.covering_pairs().next()) {
            (Some(row), _) => format!("the row {row}"),
            (None, None) => "any row".to_owned(),
            (None, Some(_)) => format!("all with {leaf}"),
        }));
        if !left_out.is_empty() {
            items.push(format!(
                "and {}: --json lists them",
                count_words(left_out.len(), "more set", "more sets")
            ));
        }
    }
    section.list(items)
}

/// Describes how much of an incomplete answer is certain; `cases` are rows or profiles.
pub fn settled_words(settled: Completeness, cases: &str) -> Option<String> {
    match settled {
        Completeness::Complete => None,
        Completeness::Partial { settled, all, halt } => Some(format!(
            "This is incomplete: only {settled} of {all} {cases} were examined, because {halt}; --max-time allows more time."
        )),
    }
}
