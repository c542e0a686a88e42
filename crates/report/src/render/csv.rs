//! The tables of a report as CSV.

use crate::words::format_time;
use crate::{Cell, CellParts, Column, Report, Table};
use lastnim_core::visible_text::visible_text;
use std::fmt::{self, Write as _};

/// Characters with which a spreadsheet formula may begin. Some spreadsheets also accept the full-width signs.
const FORMULA_PREFIXES: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
/// The minimum length of a hash or key in base64.
const MIN_HASH_CHARS: usize = 44;
/// Words that programs read as a missing value, in upper or lower case.
const MISSING_VALUE_TEXTS: [&str; 7] = ["na", "n/a", "nan", "-nan", "null", "none", "<na>"];

/// A line of CSV.
#[derive(Debug, Clone, Default)]
pub struct CsvLine {
    text: String,
    has_cells: bool,
}

impl CsvLine {
    /// Adds a text. A text that a spreadsheet would read as a formula gets an apostrophe before it, and characters that
    /// control a terminal are escaped. Hashes and keys stay as they are.
    pub fn push_text(&mut self, text: &str) {
        let mark = if text.starts_with(FORMULA_PREFIXES) && !is_hash(text) { "'" } else { "" };
        let text = format!("{mark}{}", visible_text(text));
        let is_missing_word = MISSING_VALUE_TEXTS.iter().any(|word| text.eq_ignore_ascii_case(word));
        if is_missing_word || text.contains([',', '"', '\n']) {
            self.push_number(format_args!("\"{}\"", text.replace('"', "\"\"")));
        } else {
            self.push_number(text);
        }
    }

    /// Adds a number, which needs no quotes.
    pub fn push_number(&mut self, number: impl fmt::Display) {
        if self.has_cells {
            self.text.push(',');
        }
        self.has_cells = true;
        // Writing to a string does not fail.
        let _ = write!(self.text, "{number}");
    }

    fn push_numbers(&mut self, numbers: impl IntoIterator<Item = impl fmt::Display>) {
        for number in numbers {
            self.push_number(number);
        }
    }

    /// Adds a missing value, which is empty.
    pub fn push_missing(&mut self) {
        self.push_number("");
    }

    /// Returns the line with a line break at its end.
    pub fn finish(self) -> String {
        // CSV readers skip an empty line, so a single empty field is quoted.
        (if self.text.is_empty() { "\"\"".to_owned() } else { self.text }) + "\n"
    }
}

impl<'a> FromIterator<&'a str> for CsvLine {
    /// Creates a line of texts.
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut line = Self::default();
        for text in texts {
            line.push_text(text);
        }
        line
    }
}

/// Returns whether a text is a hash or a key in base64, which may begin with `+`. Such a text cannot call a function,
/// since it has no brackets.
fn is_hash(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    text.len() >= MIN_HASH_CHARS && text.len() - digits.len() <= 2 && digits.bytes().all(is_digit)
}

/// Writes every table as CSV, separated by empty lines: the column keys, then the rows, with numbers in full precision
/// and empty fields for missing values.
pub fn csv_text(report: &Report) -> String {
    report.tables().map(table_text).collect::<Vec<_>>().join("\n")
}

/// Writes the tables as [`csv_text`] does, in a file that every spreadsheet program opens: lines end with CR LF, and a
/// byte order mark precedes a text that is not ASCII.
pub fn csv_file_text(report: &Report) -> String {
    let text = csv_text(report).replace('\n', "\r\n");
    if text.is_ascii() { text } else { format!("\u{feff}{text}") }
}

fn table_text(table: &Table) -> String {
    let names: Vec<_> = table.columns.iter().flat_map(column_names).collect();
    let header = names.iter().map(String::as_str).collect::<CsvLine>();
    let rows = table.rows.iter().map(|row| {
        let mut line = CsvLine::default();
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            push_cell(&mut line, column.parts, cell);
        }
        line
    });
    [header].into_iter().chain(rows).map(CsvLine::finish).collect()
}

fn part_suffixes(parts: CellParts) -> &'static [&'static str] {
    match parts {
        CellParts::One => &[""],
        CellParts::Fraction => &["", "_of"],
        CellParts::Interval => &["_low", "_high"],
        CellParts::Estimate => &["", "_low", "_high"],
    }
}

fn column_names(column: &Column) -> Vec<String> {
    let key = &column.key;
    part_suffixes(column.parts).iter().map(|ending| format!("{key}{ending}")).collect()
}

/// Adds the values that a cell of this column has in CSV; values that the cell lacks are empty.
fn push_cell(line: &mut CsvLine, parts: CellParts, cell: &Cell) {
    match (parts, cell) {
        (CellParts::One, Cell::Text(text)) => line.push_text(text),
        (CellParts::One, Cell::List { items, separator }) => line.push_text(&items.join(separator)),
        (CellParts::One, Cell::Time(micros)) => line.push_text(&format_time(*micros)),
        (CellParts::One, Cell::Integer(number)) => line.push_number(number),
        (CellParts::One, Cell::Number(number)) => line.push_number(number),
        (CellParts::Fraction, Cell::Fraction { part, whole }) => {
            line.push_numbers([part, whole]);
        }
        (CellParts::Interval, Cell::Interval { low, high }) => {
            line.push_numbers([low, high]);
        }
        (CellParts::Estimate, Cell::Estimate { value, low, high }) => {
            line.push_numbers([value, low, high]);
        }
        (parts, _) => {
            for _ in part_suffixes(parts) {
                line.push_missing();
            }
        }
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

    #[test]
    fn csv_files_have_line_ends_and_a_byte_order_mark_for_spreadsheets() {
        let file = |bot: &str| {
            let mut table = Table::new([Column::text("bot"), Column::integer("luck")]);
            table.push_row([bot.into(), (-3).into()]);
            csv_file_text(&Section::new().table(table).into())
        };
        assert_eq!(file("=1+1"), "bot,luck\r\n'=1+1,-3\r\n");
        assert_eq!(file("é"), "\u{feff}bot,luck\r\né,-3\r\n");
    }

    #[test]
    fn csv_texts_cannot_be_read_as_formulas_or_missing_values() {
        const HASH: &str = "+6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";
        let cases = [
            ("=HYPERLINK(\"http://x\")", "\"'=HYPERLINK(\"\"http://x\"\")\""),
            ("+1", "'+1"),
            ("-1+2", "'-1+2"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "'\\u000d=1"),
            ("\n=1", "\"'\n=1\""),
            ("＝1", "'＝1"),
            ("nan", "\"nan\""),
            ("NULL", "\"NULL\""),
            ("a=1", "a=1"),
            (HASH, HASH),
            (&format!("={}", &HASH[1..]), &format!("'={}", &HASH[1..])),
            ("x\u{1b}[2J\u{202e}", "x\\u001b[2J\\u202e"),
        ];
        for (text, written) in cases {
            let mut table = Table::new([Column::text("bot"), Column::integer("luck")]);
            table.push_row([text.into(), (-3).into()]);
            let section = Section::new().table(table);
            assert_eq!(csv_text(&section.into()), format!("bot,luck\n{written},-3\n"), "{text:?}");
        }
        assert_eq!(["", "x"].into_iter().collect::<CsvLine>().finish(), ",x\n");
        assert_eq!([""].into_iter().collect::<CsvLine>().finish(), "\"\"\n");
    }
}
