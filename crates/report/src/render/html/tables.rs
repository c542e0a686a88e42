//! Tables as HTML.

use super::{Escaped, Html, Time, list_items, push_line};
use crate::{Alignment, BlockTone, Cell, CellShade, Column, Table, TableRow};
use std::fmt::Write as _;

/// Items of a cell that are shown one by one; of more the first ones stand there, as everywhere.
const MAX_LINKED_ITEMS: usize = 8;
/// Rows from which on a table can be sorted.
const MIN_SORTED_ROWS: usize = 3;
/// The characters of an id, a UUID of version 7.
const ID_LENGTH: usize = 36;
/// The first characters of an id: those of things that came about one after the other are alike in them.
const ID_TIME_LENGTH: usize = 19;
/// The width of an interval that is drawn in a cell.
const WHISKER_WIDTH: f64 = 56.0;
/// The distance of the ends from the border of that drawing.
const WHISKER_MARGIN: f64 = 3.0;

impl Html<'_> {
    /// Writes a table, in a frame of its own that scrolls where the page is narrower. Numbers that are shown rounded or with more stand in
    /// `data-v` as well, by which a browser sorts; intervals are drawn beside them, and shares that have a shade are coloured.
    pub fn table_html(self, table: &Table) -> String {
        if table.rows.is_empty() {
            return String::new();
        }
        let shown = table.rows.len().min(table.max_shown.unwrap_or(usize::MAX));
        let sorted = if shown >= MIN_SORTED_ROWS { " class=\"sortable\"" } else { "" };
        let mut html = format!("<div class=\"scroll\"><table{sorted}>\n<thead><tr>");
        for column in &table.columns {
            let class = if column.alignment == Alignment::Right { " class=\"number\"" } else { "" };
            let meaning = column.meaning.map(|meaning| format!(" title=\"{}\"", Escaped(meaning)));
            // Each time says for itself in which zone it is.
            let label = column.label.strip_suffix(" (UTC)").unwrap_or(&column.label);
            let (meaning, label) = (meaning.unwrap_or_default(), Escaped(label));
            let _ = write!(html, "<th scope=\"col\"{class}{meaning}>{label}</th>");
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        let ranges: Vec<_> = (0..table.columns.len()).map(|index| interval_range(table, index)).collect();
        for row in table.rows.iter().take(shown) {
            self.write_row(&mut html, table, row, &ranges);
        }
        html.push_str("</tbody></table></div>\n");
        let meanings: Vec<_> = table.meanings().collect();
        if !meanings.is_empty() {
            let items = list_items(&meanings);
            push_line(
                &mut html,
                format_args!(
                    "<details class=\"meanings\"><summary>What the columns mean</summary><ul>{items}</ul></details>"
                ),
            );
        }
        html
    }

    /// Writes a row of a table by itself, for one that stands there already.
    pub fn row_html(self, table: &Table, row: &TableRow) -> String {
        let mut html = String::new();
        self.write_row(&mut html, table, row, &vec![None; table.columns.len()]);
        html
    }

    /// Writes a row, with its intervals on the scales of their columns.
    fn write_row(self, html: &mut String, table: &Table, row: &TableRow, ranges: &[Option<(f64, f64)>]) {
        let class = if row.tone == BlockTone::Alert { " class=\"alert\"" } else { "" };
        let _ = write!(html, "<tr{class}>");
        for ((column, cell), range) in table.columns.iter().zip(&row.cells).zip(ranges) {
            let text = cell.display_text(row.format.unwrap_or(column.format));
            let _ = write!(html, "<td{}{}>", cell_class(column, cell), sort_value(cell));
            match self.address_of_named(table, row, column) {
                Some(address) => {
                    let _ = write!(html, "<a href=\"{}\">{}</a>", Escaped(&address), Escaped(&text));
                }
                None => html.push_str(&self.cell_html(column, cell, &text)),
            }
            if let (Some(range), None) = (range, row.format) {
                html.push_str(&whisker_svg(cell, *range));
            }
            html.push_str("</td>");
        }
        html.push_str("</tr>\n");
    }

    /// Returns where a page tells more of what a cell names.
    fn address_of_named(self, table: &Table, row: &TableRow, column: &Column) -> Option<String> {
        let key = column.names?;
        let place = table.columns.iter().position(|other| other.key == key)?;
        match row.cells.get(place)? {
            Cell::Text(id) => (self.links)(key, id),
            _ => None,
        }
    }

    fn cell_html(self, column: &Column, cell: &Cell, text: &str) -> String {
        let linked = |text: &str| self.linked_text(&column.key, text);
        match cell {
            Cell::List { items, separator } if items.len() <= MAX_LINKED_ITEMS => {
                let items: Vec<_> = items.iter().map(|item| linked(item)).collect();
                items.join(&Escaped(separator).to_string())
            }
            Cell::Text(_) => linked(text),
            Cell::Time(micros) => Time(*micros).to_string(),
            _ => Escaped(text).to_string(),
        }
    }

    /// Writes a text, as a link where there is more to see of it.
    pub(super) fn linked_text(self, key: &str, text: &str) -> String {
        match (self.links)(key, text) {
            Some(address) => {
                let address = Escaped(&address);
                match split_id(key, text) {
                    // Where a page is narrow, what tells ids apart is enough.
                    Some((head, tail)) => format!(
                        "<a href=\"{address}\"><span class=\"id-head\">{}</span>{}</a>",
                        Escaped(head),
                        Escaped(tail)
                    ),
                    None => format!("<a href=\"{address}\">{}</a>", Escaped(text)),
                }
            }
            None => Escaped(text).to_string(),
        }
    }
}

/// Splits an id into its time and what was drawn for it; `None` for what is no id.
fn split_id<'t>(key: &str, text: &'t str) -> Option<(&'t str, &'t str)> {
    let is_id = ["id", "match", "tournament"].contains(&key) && text.len() == ID_LENGTH;
    text.split_at_checked(ID_TIME_LENGTH).filter(|_| is_id)
}

fn cell_class(column: &Column, cell: &Cell) -> String {
    let mut classes = Vec::new();
    if column.alignment == Alignment::Right {
        classes.push("number".to_owned());
    }
    if let (Some(shade), Some(share)) = (column.shade, cell.order_value()) {
        let scale = match shade {
            CellShade::Rising => "rising",
            CellShade::Leaning => "leaning",
        };
        classes.push(format!("{scale} step-{}", CellShade::step_of_share(share)));
    }
    if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) }
}

/// Returns the attribute with the number of a cell, where the text that is shown is another.
fn sort_value(cell: &Cell) -> String {
    match cell {
        Cell::Integer(_) => String::new(),
        cell => {
            cell.order_value().map(|value| format!(" data-v=\"{}\"", short_number(value))).unwrap_or_default()
        }
    }
}

/// Writes a number with six digits, which is enough to sort by.
fn short_number(value: f64) -> String {
    let written = format!("{value:.6}");
    let short = written.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// Returns the least and the greatest number of the intervals of a column; none if none is wider than nothing.
fn interval_range(table: &Table, column: usize) -> Option<(f64, f64)> {
    let rows = table.rows.iter().filter(|row| row.format.is_none());
    let ends = rows.filter_map(|row| row.cells.get(column)?.interval());
    let range = ends
        .map(|(_, low, high)| (low, high))
        .filter(|(low, high)| low.is_finite() && high.is_finite())
        .reduce(|(low, high), (other_low, other_high)| (low.min(other_low), high.max(other_high)))?;
    (range.1 > range.0).then_some(range)
}

/// Draws the interval of a cell on the scale of its column. What it shows stands beside it in words.
fn whisker_svg(cell: &Cell, (least, greatest): (f64, f64)) -> String {
    let Some((value, low, high)) = cell.interval() else { return String::new() };
    if !(low.is_finite() && high.is_finite()) {
        return String::new();
    }
    let at = |value: f64| {
        let share = ((value - least) / (greatest - least)).clamp(0.0, 1.0);
        WHISKER_MARGIN + share * (WHISKER_WIDTH - 2.0 * WHISKER_MARGIN)
    };
    let point = value.filter(|value| value.is_finite());
    let point = point.map(|value| format!("<circle cx=\"{:.1}\" cy=\"6\" r=\"2.6\"/>", at(value)));
    format!(
        "<svg class=\"whiskers\" viewBox=\"0 0 {WHISKER_WIDTH} 12\" aria-hidden=\"true\"><path d=\"M{0:.1} 3v6m0-3H{1:.1}m0-3v6\"/>{2}</svg>",
        at(low),
        at(high),
        point.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CellParts, NumberFormat, NumberUnit};

    #[test]
    fn a_table_has_links_where_there_is_more_to_see() {
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
    fn an_id_has_a_part_that_narrow_pages_leave_out() {
        let id = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f";
        let links = |_: &str, text: &str| Some(format!("/matches/{text}"));
        let html = Html::with_links(&links);
        let expected = format!(
            "<a href=\"/matches/{id}\"><span class=\"id-head\">0192f0c1-2e6b-7c3a-</span>8f4d-5a6b7c8d9e0f</a>"
        );
        assert_eq!(html.linked_text("match", id), expected);
        assert!(!html.linked_text("bot", id).contains("id-head"), "a bot may have such a name");
    }

    #[test]
    fn a_column_comes_first() {
        let mut table = Table::new(["id", "state", "title"].map(Column::text));
        table.push_row(["1".into(), "open".into(), "Cup".into()]);
        let moved = table.clone().with_column_first("title");
        let keys: Vec<_> = moved.columns.iter().map(|column| column.key.as_str()).collect();
        assert_eq!(keys, ["title", "id", "state"]);
        assert_eq!(moved.rows[0].cells, ["Cup".into(), "1".into(), "open".into()]);
        assert_eq!(table.clone().with_column_first("none"), table);
        let moved = moved.with_column_last("id");
        let keys: Vec<_> = moved.columns.iter().map(|column| column.key.as_str()).collect();
        assert_eq!(keys, ["title", "state", "id"]);
        assert_eq!(moved.rows[0].cells, ["Cup".into(), "open".into(), "1".into()]);
        assert_eq!(table.clone().with_column_last("none"), table);
    }

    #[test]
    fn a_name_leads_to_what_it_names() {
        let mut table = Table::new([Column::text("title").naming("id"), Column::text("id")]);
        table.push_row(["<Cup>".into(), "7".into()]);
        let links = |key: &str, text: &str| (key == "id").then(|| format!("/cups/{text}"));
        let html = Html::with_links(&links).table_html(&table);
        assert!(
            html.contains("<td><a href=\"/cups/7\">&lt;Cup&gt;</a></td><td><a href=\"/cups/7\">7</a></td>"),
            "{html}"
        );
        let bare = Html::with_links(&|_, _| None).table_html(&table);
        assert!(bare.contains("<td>&lt;Cup&gt;</td><td>7</td>"), "{bare}");
    }

    #[test]
    fn shares_are_coloured_and_intervals_drawn() {
        let share = NumberFormat::new(NumberUnit::Share, 0);
        let columns = [
            Column::integer("won").with_parts(CellParts::Fraction).with_shade(CellShade::Rising),
            Column { format: share, ..Column::integer("better").with_shade(CellShade::Leaning) },
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
