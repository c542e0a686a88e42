//! Tables of the command line.

use comfy_table::{CellAlignment, Table, presets};
use std::io::{self, Write};

/// Makes an empty table without lines, its columns to the right.
pub fn table(columns: &[impl ToString]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(columns.iter().map(ToString::to_string));
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Prints a table, a little to the right.
pub fn print(output: &mut impl Write, table: &Table) -> io::Result<()> {
    for line in table.lines() {
        writeln!(output, " {}", line.trim_end())?;
    }
    Ok(())
}
