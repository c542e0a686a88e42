//! Reports as plain text.

mod charts;
mod plots;

use crate::{Alignment, Block, BlockTone, FactValue, Report, Round, Section, Table, Tree};
use comfy_table::{CellAlignment, presets};
use lastnim_core::visible_text::visible_text;
use std::{ffi::OsStr, fmt::Write as _};

const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[31m";
const RESET: &str = "\x1b[0m";
/// The minimum width of labels, so that several reports align.
const MIN_LABEL_COLUMNS: usize = 10;

/// Writes reports as text. Characters of the report that control a terminal are escaped.
///
/// Sections are separated by an empty line. Below a heading, paragraphs are indented by one space, and lists, facts and
/// tables by two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    has_colour: bool,
    has_plots: bool,
    columns: Option<usize>,
}

impl Terminal {
    /// Creates a writer for files and programs, without colours and plots.
    pub const fn without_styles() -> Self {
        Self { has_colour: false, has_plots: false, columns: None }
    }

    /// Creates a writer for a screen, with plots, and with colours unless `NO_COLOR` is set.
    pub fn for_screen(no_color: Option<&OsStr>) -> Self {
        let has_colour = no_color.is_none_or(OsStr::is_empty);
        Self { has_colour, has_plots: true, columns: None }
    }

    /// Wraps long lines of facts at this width.
    #[must_use = "returns the changed writer"]
    pub const fn wrapped_at(self, columns: usize) -> Self {
        Self { columns: Some(columns), ..self }
    }

    /// Writes a report.
    pub fn report_text(self, report: &Report) -> String {
        let title = report.title.as_deref().map(|title| self.colour_text(BOLD, title) + "\n");
        let sections: Vec<_> = report.sections.iter().map(|section| self.section_text(section)).collect();
        title.unwrap_or_default() + &sections.join("\n")
    }

    /// Writes a section.
    pub fn section_text(self, section: &Section) -> String {
        let mut text = String::new();
        if let Some(heading) = &section.heading {
            text += &self.colour_text(BOLD, heading);
            text.push('\n');
        }
        let indent = if section.heading.is_some() { " " } else { "" };
        for block in &section.blocks {
            self.write_block(&mut text, block, indent);
        }
        text
    }

    fn write_block(self, text: &mut String, block: &Block, indent: &str) {
        match block {
            Block::Paragraph { text: words, tone } => {
                for line in words.lines() {
                    text.extend([indent, &self.style_text(*tone, line), "\n"]);
                }
            }
            Block::Table(table) => text.push_str(&self.table_text(table)),
            block => {
                let mut unstyled = String::new();
                self.write_unstyled_block(&mut unstyled, block, indent);
                text.push_str(&visible_text(&unstyled));
            }
        }
    }

    fn write_unstyled_block(self, text: &mut String, block: &Block, indent: &str) {
        match block {
            Block::Paragraph { .. } | Block::Table(_) => {}
            Block::List(items) => items.iter().for_each(|item| write_item(text, "  ", item)),
            Block::Numbered { first, items } => {
                for (number, item) in (*first..).zip(items) {
                    write_item(text, &format!("  {number}. "), item);
                }
            }
            Block::Facts(facts) => self.write_facts(text, facts, &indent.repeat(2)),
            Block::Plot(plot) => {
                if self.has_plots {
                    plots::write_plot(text, plot);
                }
            }
            Block::Chart(chart) => {
                if self.has_plots {
                    charts::write_chart(text, chart);
                }
            }
            Block::Rounds(rounds) => rounds.iter().for_each(|round| write_round(text, round)),
            Block::Tree(tree) => write_tree(text, tree),
            Block::Command(line) => text.extend(["   ", line, "\n"]),
        }
    }

    fn write_facts(self, text: &mut String, facts: &[(String, FactValue)], indent: &str) {
        let columns = facts.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        let columns = columns.max(MIN_LABEL_COLUMNS);
        for (label, fact) in facts {
            let mut before = format!("{indent}{label:<columns$} ");
            let room = self.columns.map(|all| all.saturating_sub(before.chars().count()));
            for line in wrap_lines(&fact.text(), room) {
                text.extend([&before, line.as_str()]);
                text.truncate(text.trim_end_matches(' ').len());
                text.push('\n');
                before = " ".repeat(before.chars().count());
            }
        }
    }

    /// Writes a table.
    pub fn table_text(self, table: &Table) -> String {
        let mut printed = comfy_table::Table::new();
        printed
            .load_style(presets::NOTHING)
            .set_header(table.columns.iter().map(|column| column.label.as_str()));
        for (index, column) in table.columns.iter().enumerate() {
            if let (Some(printed_column), Alignment::Right) = (printed.column_mut(index), column.alignment) {
                printed_column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for row in table.rows.iter().take(table.max_shown.unwrap_or(usize::MAX)) {
            let cells = table.columns.iter().zip(&row.cells);
            printed.add_row(cells.map(|(column, cell)| {
                let shown = cell.display_text(row.format.unwrap_or(column.format));
                visible_text(&shown).into_owned()
            }));
        }
        let mut text = String::new();
        let tones = table.rows.iter().map(|row| Some(row.tone));
        for (line, tone) in printed.lines().zip([None].into_iter().chain(tones)) {
            let line = format!(" {}", line.trim_end());
            text += &tone.map_or_else(|| self.colour_text(BOLD, &line), |tone| self.style_text(tone, &line));
            text.push('\n');
        }
        text
    }

    fn style_text(self, tone: BlockTone, text: &str) -> String {
        match tone {
            BlockTone::Plain => visible_text(text).into_owned(),
            BlockTone::Alert => self.colour_text(RED, text),
        }
    }

    fn colour_text(self, colour: &str, text: &str) -> String {
        let text = visible_text(text);
        if self.has_colour { format!("{colour}{text}{RESET}") } else { text.into_owned() }
    }
}

/// Writes an item after a bullet or number, and aligns its further lines with the first.
fn write_item(text: &mut String, mark: &str, item: &str) {
    let mut before = mark.to_owned();
    for line in item.lines() {
        text.extend([&before, line, "\n"]);
        before = " ".repeat(mark.len());
    }
}

/// Wraps text between words.
fn wrap_lines(text: &str, columns: Option<usize>) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is one line");
        let needed = line.chars().count() + 1 + word.chars().count();
        if line.is_empty() {
            line.push_str(word);
        } else if columns.is_some_and(|columns| needed > columns) {
            lines.push(word.to_owned());
        } else {
            line.extend([" ", word]);
        }
    }
    lines
}

/// Writes the tables of a round, one per line, with the bots' wins.
fn write_round(text: &mut String, round: &Round) {
    text.extend(["  ", &round.name, "\n"]);
    for table in &round.tables {
        let entries = table.entries.iter().map(|entry| format!("{} {}", entry.bot, entry.wins));
        let entries: Vec<_> = entries.collect();
        let open = if table.played < table.matches {
            format!("; {} of {} matches played", table.played, table.matches)
        } else {
            String::new()
        };
        text.extend(["    ", &entries.join(", "), &open, "\n"]);
    }
    if !round.byes.is_empty() {
        text.extend(["    sat out: ", &round.byes.join(", "), "\n"]);
    }
}

fn write_tree(text: &mut String, tree: &Tree) {
    // This loop goes from the last node to the first and notes whether a sibling follows.
    let mut later = Vec::new();
    let mut has_sibling: Vec<bool> = tree
        .nodes
        .iter()
        .rev()
        .map(|&(depth, _)| {
            later.resize(depth + 1, false);
            std::mem::replace(&mut later[depth], true)
        })
        .collect();
    has_sibling.reverse();
    // For each ancestor, whether a sibling follows.
    let mut above = Vec::new();
    for ((depth, label), more_follow) in tree.nodes.iter().zip(has_sibling) {
        above.truncate(*depth);
        for &has_sibling in above.iter().skip(1) {
            text.push_str(if has_sibling { "│  " } else { "   " });
        }
        text.push_str(match (depth, more_follow) {
            (0, _) => "",
            (_, true) => "├─ ",
            (_, false) => "└─ ",
        });
        let _ = writeln!(text, "{label}");
        above.push(more_follow);
    }
}

#[cfg(test)]
mod tests;
