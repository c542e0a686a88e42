//! Tables as HTML.

use super::{Html, Time, write_template};
use crate::{Alignment, BlockTone, Cell, CellShade, Column, Table, TableRow};
use askama::Template;
use askama::filters::HtmlSafe;
use std::borrow::Cow;

/// The maximum number of items that a cell shows as separate links; longer lists are shortened.
const MAX_LINKED_ITEMS: usize = 8;
/// The minimum number of rows of a sortable table.
const MIN_SORTED_ROWS: usize = 3;
/// The length of an id, a UUID of version 7.
const ID_LENGTH: usize = 36;
/// The length of the time in an id. Ids from about the same time share most of it.
const ID_TIME_LENGTH: usize = 19;
/// The width of an interval drawn in a cell.
const WHISKER_WIDTH: f64 = 56.0;
/// The margin to the left and to the right of the interval in that drawing.
const WHISKER_MARGIN: f64 = 3.0;

/// A table in a frame that scrolls on narrow pages.
#[derive(Template)]
#[template(path = "table.html")]
struct TableTemplate<'a> {
    columns: Vec<&'a Column>,
    rows: Vec<RowTemplate<'a>>,
    meanings: Vec<String>,
}

#[derive(Template)]
#[template(path = "table_row.html")]
struct RowTemplate<'a> {
    is_alert: bool,
    cells: Vec<CellTemplate<'a>>,
}

impl HtmlSafe for RowTemplate<'_> {}

#[derive(Default)]
struct CellTemplate<'a> {
    classes: String,
    /// The number to sort by; `None` if the text itself is used.
    sort_value: Option<String>,
    time: Option<Time>,
    texts: Vec<LinkedText<'a>>,
    /// The text between two items.
    separator: &'a str,
    /// The drawn interval; the text has the same numbers.
    whisker: Option<Whisker>,
}

/// A text, with a link if it has one.
#[derive(Template)]
#[template(path = "linked_text.html")]
pub(super) struct LinkedText<'a> {
    address: Option<String>,
    /// The part that narrow pages hide.
    head: &'a str,
    text: Cow<'a, str>,
}

impl HtmlSafe for LinkedText<'_> {}

/// An interval on the scale of its column.
struct Whisker {
    low: f64,
    high: f64,
    point: Option<f64>,
}

impl Html<'_> {
    /// Writes a table. A column of ids is left out if another column has the names that belong to them, with links. The
    /// attribute `data-v` has the number to sort by, if the text may be rounded or formatted. Intervals are drawn, and
    /// the cells of a column with a shade are coloured by their shares.
    pub fn table_html(self, table: &Table) -> String {
        if table.rows.is_empty() {
            return String::new();
        }
        let shown = table.max_shown.unwrap_or(usize::MAX);
        let ranges: Vec<_> = (0..table.columns.len()).map(|index| interval_range(table, index)).collect();
        let rows = table.rows.iter().take(shown).map(|row| self.row_template(table, row, &ranges)).collect();
        let columns = table.columns.iter().filter(|column| !is_named(table, column)).collect();
        write_template(&TableTemplate { columns, rows, meanings: table.meanings().collect() })
    }

    /// Writes a row to add to a table on a page.
    pub fn row_html(self, table: &Table, row: &TableRow) -> String {
        write_template(&self.row_template(table, row, &vec![None; table.columns.len()]))
    }

    /// Returns a row to show, with intervals on the scales of their columns.
    fn row_template<'t>(
        self,
        table: &'t Table,
        row: &'t TableRow,
        ranges: &[Option<(f64, f64)>],
    ) -> RowTemplate<'t> {
        let cells = table.columns.iter().zip(&row.cells).zip(ranges);
        let cells =
            cells.filter(|((column, _), _)| !is_named(table, column)).map(|((column, cell), range)| {
                let content = match self.named_row_address(table, row, column) {
                    Some(address) => {
                        let text = cell.display_text(row.format.unwrap_or(column.format)).into();
                        CellTemplate {
                            texts: vec![LinkedText { address: Some(address), head: "", text }],
                            ..CellTemplate::default()
                        }
                    }
                    None => self.cell_content(row, column, cell),
                };
                let whisker =
                    range.filter(|_| row.format.is_none()).and_then(|range| cell_whisker(cell, range));
                CellTemplate {
                    classes: cell_classes(column, cell),
                    sort_value: sort_value(cell),
                    whisker,
                    ..content
                }
            });
        RowTemplate { is_alert: row.tone == BlockTone::Alert, cells: cells.collect() }
    }

    /// Returns the address that the name in a cell links to; `None` if the cell has no name or no link.
    fn named_row_address(self, table: &Table, row: &TableRow, column: &Column) -> Option<String> {
        let key = column.names?;
        let place = table.columns.iter().position(|other| other.key == key)?;
        match row.cells.get(place)? {
            Cell::Text(id) => (self.links)(key, id),
            _ => None,
        }
    }

    fn cell_content<'t>(self, row: &TableRow, column: &'t Column, cell: &'t Cell) -> CellTemplate<'t> {
        let texts = match cell {
            Cell::List { items, separator } if items.len() <= MAX_LINKED_ITEMS => {
                let texts = items.iter().map(|item| self.linked_text(&column.key, item)).collect();
                return CellTemplate { texts, separator, ..CellTemplate::default() };
            }
            Cell::Time(micros) => {
                return CellTemplate { time: Some(Time(*micros)), ..CellTemplate::default() };
            }
            Cell::Text(text) => self.linked_text(&column.key, text),
            _ => {
                let text = cell.display_text(row.format.unwrap_or(column.format)).into();
                LinkedText { address: None, head: "", text }
            }
        };
        CellTemplate { texts: vec![texts], ..CellTemplate::default() }
    }

    /// Returns text with its link, if it has one.
    pub(super) fn linked_text<'t>(self, key: &str, text: &'t str) -> LinkedText<'t> {
        let address = (self.links)(key, text);
        // Narrow pages show only the distinctive part of an id.
        let (head, text) = split_id(key, text).filter(|_| address.is_some()).unwrap_or(("", text));
        LinkedText { address, head, text: text.into() }
    }
}

/// Returns whether another column has the names that belong to the ids in this column.
fn is_named(table: &Table, column: &Column) -> bool {
    table.columns.iter().any(|other| other.names == Some(column.key.as_str()))
}

/// Returns the heading of a column, without the time zone, which the page shows with each time.
fn column_label(column: &Column) -> &str {
    column.label.strip_suffix(" (UTC)").unwrap_or(&column.label)
}

/// Splits an id into its time and its random part; `None` for other texts.
fn split_id<'t>(key: &str, text: &'t str) -> Option<(&'t str, &'t str)> {
    let is_id = ["id", "match", "tournament"].contains(&key) && text.len() == ID_LENGTH;
    text.split_at_checked(ID_TIME_LENGTH).filter(|_| is_id)
}

fn cell_classes(column: &Column, cell: &Cell) -> String {
    let mut classes = Vec::new();
    if column.alignment == Alignment::Right {
        classes.push("number".to_owned());
    }
    if let (Some(shade), Some(share)) = (column.shade, cell.order_value()) {
        let scale = match shade {
            CellShade::Sequential => "rising",
            CellShade::Diverging => "leaning",
        };
        classes.push(format!("{scale} step-{}", CellShade::step_of_share(share)));
    }
    classes.join(" ")
}

/// Returns the number to sort by; `None` if the text itself is used.
fn sort_value(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Integer(_) => None,
        cell => cell.order_value().map(short_number),
    }
}

/// Formats a number with up to six decimals, which is enough to sort by.
fn short_number(value: f64) -> String {
    let written = format!("{value:.6}");
    let short = written.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// Returns the smallest and the largest number in the intervals of a column; `None` without two different numbers.
fn interval_range(table: &Table, column: usize) -> Option<(f64, f64)> {
    let rows = table.rows.iter().filter(|row| row.format.is_none());
    let ends = rows.filter_map(|row| row.cells.get(column)?.interval());
    let range = ends
        .map(|(_, low, high)| (low, high))
        .filter(|(low, high)| low.is_finite() && high.is_finite())
        .reduce(|(low, high), (other_low, other_high)| (low.min(other_low), high.max(other_high)))?;
    (range.1 > range.0).then_some(range)
}

fn cell_whisker(cell: &Cell, (min, max): (f64, f64)) -> Option<Whisker> {
    let (value, low, high) = cell.interval().filter(|(_, low, high)| low.is_finite() && high.is_finite())?;
    let x_of = |value: f64| {
        let share = ((value - min) / (max - min)).clamp(0.0, 1.0);
        WHISKER_MARGIN + share * (WHISKER_WIDTH - 2.0 * WHISKER_MARGIN)
    };
    Some(Whisker {
        low: x_of(low),
        high: x_of(high),
        point: value.filter(|value| value.is_finite()).map(x_of),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CellParts, NumberFormat, NumberUnit};

    #[test]
    fn cells_are_linked() {
        let mut table = Table::new([Column::text("bot"), Column::integer("wins").with_meaning("how often")]);
        table.push_row(["ann".into(), 7.into()]).tone = BlockTone::Alert;
        let links = |key: &str, text: &str| (key == "bot").then(|| format!("/bots/{text}"));
        assert_eq!(
            Html::with_links(&links).table_html(&table),
            "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">bot</th>\
             <th scope=\"col\" class=\"number\" title=\"how often\">wins</th></tr></thead>\n<tbody>\n\
             <tr class=\"alert\"><td><a href=\"/bots/ann\">ann</a></td><td class=\"number\">7</td></tr>\n\
             </tbody></table></div>\n<details class=\"meanings\"><summary>What the columns mean</summary>\
             <ul><li>wins: how often</li></ul></details>\n"
        );
    }

    #[test]
    fn narrow_pages_hide_the_first_part_of_an_id() {
        let id = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f";
        let links = |_: &str, text: &str| Some(format!("/matches/{text}"));
        let html = Html::with_links(&links);
        let expected = format!(
            "<a href=\"/matches/{id}\"><span class=\"id-head\">0192f0c1-2e6b-7c3a-</span>8f4d-5a6b7c8d9e0f</a>"
        );
        assert_eq!(html.linked_text("match", id).to_string(), expected);
        assert!(
            !html.linked_text("bot", id).to_string().contains("id-head"),
            "the name of a bot may look like an id"
        );
    }

    #[test]
    fn a_column_can_be_moved_to_the_front_or_the_end() {
        let mut table = Table::new(["id", "state", "title"].map(Column::text));
        table.push_row(["1".into(), "open".into(), "Cup".into()]);
        let moved = table.clone().move_column_to_front("title");
        let keys: Vec<_> = moved.columns.iter().map(|column| column.key.as_str()).collect();
        assert_eq!(keys, ["title", "id", "state"]);
        assert_eq!(moved.rows[0].cells, ["Cup".into(), "1".into(), "open".into()]);
        assert_eq!(table.clone().move_column_to_front("none"), table);
        let moved = moved.move_column_to_end("id");
        let keys: Vec<_> = moved.columns.iter().map(|column| column.key.as_str()).collect();
        assert_eq!(keys, ["title", "state", "id"]);
        assert_eq!(moved.rows[0].cells, ["Cup".into(), "open".into(), "1".into()]);
        assert_eq!(table.clone().move_column_to_end("none"), table);
    }

    #[test]
    fn names_are_linked_and_their_ids_left_out() {
        let mut table = Table::new([Column::text("title").with_names_for("id"), Column::text("id")]);
        table.push_row(["<Cup>".into(), "7".into()]);
        let links = |key: &str, text: &str| (key == "id").then(|| format!("/cups/{text}"));
        let html = Html::with_links(&links).table_html(&table);
        assert!(html.contains("<tr><td><a href=\"/cups/7\">&#60;Cup&#62;</a></td></tr>"), "{html}");
        assert!(html.contains("title</th></tr>"), "{html}");
        let bare = Html::with_links(&|_, _| None).table_html(&table);
        assert!(bare.contains("<tr><td>&#60;Cup&#62;</td></tr>"), "{bare}");
    }

    #[test]
    fn shares_are_coloured_and_intervals_drawn() {
        let share = NumberFormat::new(NumberUnit::Share, 0);
        let columns = [
            Column::integer("won").with_parts(CellParts::Fraction).with_shade(CellShade::Sequential),
            Column { format: share, ..Column::integer("better").with_shade(CellShade::Diverging) },
            Column::number("rating", NumberUnit::Points, 0).with_parts(CellParts::Estimate),
        ];
        let mut table = Table::new(columns);
        let rating = |value| Cell::Estimate { value, low: value - 50.0, high: value + 50.0 };
        table.push_row([Cell::Fraction { part: 1, whole: 3 }, 0.5.into(), rating(1500.0)]);
        table.push_row([Cell::Fraction { part: 0, whole: 0 }, Cell::NONE, Cell::NONE]);
        table.push_row([Cell::Fraction { part: 3, whole: 3 }, 1.0.into(), rating(1600.0)]);
        let html = Html::with_links(&|_, _| None).table_html(&table);
        for part in [
            "<table class=\"sortable\">",
            "<td class=\"number rising step-4\" data-v=\"0.333333\">1/3</td>",
            "<td class=\"number leaning step-5\" data-v=\"0.5\">50%</td>",
            "<td class=\"number\">-</td>",
            "rising step-9",
            "<path d=\"M3.0 3v6m0-3H28.0m0-3v6\"/><circle cx=\"15.5\"",
            "<path d=\"M28.0 3v6m0-3H53.0m0-3v6\"/><circle cx=\"40.5\"",
        ] {
            assert!(html.contains(part), "{part:?} is missing:\n{html}");
        }
        assert_eq!(html.matches("<svg").count(), 2, "{html}");
    }
}
