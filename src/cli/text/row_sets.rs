//! Sets of rows in words.

use crate::{
    game::{Row, SeatCount},
    oracle::{Budget, RowCount, RowSet, Settled},
    report::words::joined,
};
use std::io::{self, Write};

/// The most leaves that are printed in words.
const MAX_LEAVES_SHOWN: usize = 12;

/// Counts the rows that a seat may have: n!.
pub fn all_rows(seats: SeatCount) -> RowCount {
    RowSet::full(seats).count(&mut Budget::unbounded())
}

/// Prints examples of rows and, unless they are all, what the rows of each leaf have in common.
pub fn print(output: &mut impl Write, rows: &RowSet, examples: &[Row]) -> io::Result<()> {
    if examples.is_empty() {
        return Ok(());
    }
    writeln!(output, "  for example {}", joined(examples, "; "))?;
    if rows.rows().nth(examples.len()).is_none() {
        return Ok(());
    }
    let (shown, left_out) = rows.leaves().split_at(rows.leaves().len().min(MAX_LEAVES_SHOWN));
    for leaf in shown {
        match (leaf.as_row(), leaf.pairs().next()) {
            (Some(row), _) => writeln!(output, "  the row {row}")?,
            (None, None) => writeln!(output, "  any row")?,
            (None, Some(_)) => writeln!(output, "  all with {leaf}")?,
        }
    }
    if !left_out.is_empty() {
        writeln!(output, "  and {} sets more: --json lists them", left_out.len())?;
    }
    Ok(())
}

/// Prints how much of an answer is certain, where that is not all: `cases` are rows or profiles.
pub fn print_settled(output: &mut impl Write, settled: Settled, cases: &str) -> io::Result<()> {
    match settled {
        Settled::Complete => Ok(()),
        Settled::Partial { settled, all, halt } => writeln!(
            output,
            "This is not all: {settled} of {all} {cases} were looked at, as {halt}; --max-seconds gives it more time."
        ),
    }
}
