//! The tables of a report as CSV.

use crate::words::format_time;
use crate::{Cell, CellParts, Column, Report, Table};
use csv::Writer;

/// Writes every table as CSV, separated by empty lines: the column keys, then the rows, with numbers in full precision and empty fields for missing
/// values.
pub fn csv_text(report: &Report) -> String {
    report.tables().map(table_text).collect::<Vec<_>>().join("\n")
}

fn table_text(table: &Table) -> String {
    let mut writer = Writer::from_writer(Vec::new());
    let rows = table.rows.iter().map(|row| {
        let cells = table.columns.iter().zip(&row.cells);
        cells.flat_map(|(column, cell)| cell_values(column.parts, cell)).collect()
    });
    let header = table.columns.iter().flat_map(column_names).collect();
    for record in [header].into_iter().chain(rows) {
        let record: Vec<String> = record;
        writer
            .write_record(record)
            .expect("writing to memory does not fail, and all records have equally many fields");
    }
    let bytes = writer.into_inner().expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("CSV of UTF-8 is UTF-8")
}

fn column_names(column: &Column) -> Vec<String> {
    let key = &column.key;
    let endings: &[&str] = match column.parts {
        CellParts::One => &[""],
        CellParts::Fraction => &["", "_of"],
        CellParts::Interval => &["_low", "_high"],
        CellParts::Estimate => &["", "_low", "_high"],
    };
    endings.iter().map(|ending| format!("{key}{ending}")).collect()
}

/// Writes a cell as the parts of its column; parts that the cell lacks are empty.
fn cell_values(parts: CellParts, cell: &Cell) -> Vec<String> {
    match (parts, cell) {
        (CellParts::One, Cell::Text(text)) => vec![text.clone()],
        (CellParts::One, Cell::List { items, separator }) => vec![items.join(separator)],
        (CellParts::One, Cell::Time(micros)) => vec![format_time(*micros)],
        (CellParts::One, Cell::Integer(number)) => vec![number.to_string()],
        (CellParts::One, Cell::Number(number)) => vec![number.to_string()],
        (CellParts::Fraction, Cell::Fraction { part, whole }) => vec![part.to_string(), whole.to_string()],
        (CellParts::Interval, Cell::Interval { low, high }) => vec![low.to_string(), high.to_string()],
        (CellParts::Estimate, Cell::Estimate { value, low, high }) => {
            vec![value.to_string(), low.to_string(), high.to_string()]
        }
        (CellParts::One, _) => vec![String::new()],
        (CellParts::Fraction | CellParts::Interval, _) => vec![String::new(); 2],
        (CellParts::Estimate, _) => vec![String::new(); 3],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NumberUnit, Section};

    #[test]
    fn numbers_keep_full_precision() {
        let mut table = Table::new([
            Column::text("bot"),
            Column::integer("wins"),
            Column::number("accuracy", NumberUnit::Share, 1),
            Column::number("rating", NumberUnit::Points, 0).with_parts(CellParts::Estimate),
            Column::integer("won").with_parts(CellParts::Fraction),
            Column::number("regret", NumberUnit::Ranks, 1).with_parts(CellParts::Interval),
        ]);
        let (low, high) = (0.1, 0.1 + 0.2);
        table.push_row([
            "a, \"b\"".into(),
            3.into(),
            Cell::Number(1.0 / 3.0),
            Cell::Estimate { value: 1500.25, low: 1400.0, high: 1600.5 },
            Cell::Fraction { part: 2, whole: 5 },
            Cell::Interval { low, high },
        ]);
        table.push_row([
            "c".into(),
            Cell::NONE,
            Cell::NONE,
            Cell::NONE,
            Cell::NONE,
            Cell::Missing(Some("too few".into())),
        ]);
        let section = Section::new()
            .paragraph("words")
            .table(table.clone())
            .table(table.without_columns(&["accuracy", "rating", "won", "regret"]));
        assert_eq!(
            csv_text(&section.into()),
            "bot,wins,accuracy,rating,rating_low,rating_high,won,won_of,regret_low,regret_high\n\
             \"a, \"\"b\"\"\",3,0.3333333333333333,1500.25,1400,1600.5,2,5,0.1,0.30000000000000004\n\
             c,,,,,,,,,\n\
             \n\
             bot,wins\n\"a, \"\"b\"\"\",3\nc,\n"
        );
        assert_eq!(csv_text(&Report::default()), "");
    }
}
