//! Reports as parts of a page.

mod charts;
mod plots;
mod rounds;
mod tables;
mod time;

use crate::{Block, BlockTone, Fact, Report, Section, Tree};
use std::fmt::{self, Display, Write as _};

pub use time::Time;

/// Returns where a page tells more of what stands in a column: its key and the text of a cell are given.
pub type CellLinks<'a> = &'a dyn Fn(&str, &str) -> Option<String>;

/// Writes reports as HTML, and escapes all that stands in them.
#[derive(Clone, Copy)]
pub struct Html<'a> {
    links: CellLinks<'a>,
}

impl<'a> Html<'a> {
    /// Writes reports whose cells lead to other pages.
    pub fn with_links(links: CellLinks<'a>) -> Self {
        Self { links }
    }

    /// Writes a report. Its title is for the page; headings are of the second level.
    pub fn report_html(self, report: &Report) -> String {
        report.sections.iter().map(|section| self.section_html(section)).collect()
    }

    /// Writes a section.
    pub fn section_html(self, section: &Section) -> String {
        let mut html = String::from("<section>\n");
        if let Some(heading) = &section.heading {
            push_line(&mut html, format_args!("<h2>{}</h2>", Escaped(heading)));
        }
        for block in &section.blocks {
            self.write_block(&mut html, block);
        }
        html + "</section>\n"
    }

    fn write_block(self, html: &mut String, block: &Block) {
        match block {
            Block::Paragraph { text, tone } => {
                let class = if *tone == BlockTone::Alert { " class=\"alert\"" } else { "" };
                push_line(html, format_args!("<p{class}>{}</p>", Escaped(text)));
            }
            Block::List(items) => push_line(html, format_args!("<ul>{}</ul>", list_items(items))),
            Block::Numbered { first, items } => {
                push_line(html, format_args!("<ol start=\"{first}\">{}</ol>", list_items(items)));
            }
            Block::Facts(facts) => {
                html.push_str("<dl>\n");
                for (label, fact) in facts {
                    push_line(html, format_args!("<dt>{}</dt><dd>{}</dd>", Escaped(label), fact_html(fact)));
                }
                html.push_str("</dl>\n");
            }
            Block::Table(table) => html.push_str(&self.table_html(table)),
            Block::Plot(plot) => html.push_str(&plots::plot_svg(plot)),
            Block::Chart(chart) => html.push_str(&self.chart_html(chart)),
            Block::Rounds(rounds) => html.push_str(&self.rounds_html(rounds)),
            Block::Tree(tree) => html.push_str(&tree_html(tree)),
            Block::Command(line) => {
                push_line(html, format_args!("<pre><code>{}</code></pre>", Escaped(line)));
            }
        }
    }
}

fn fact_html(fact: &Fact) -> String {
    match fact {
        Fact::Words(words) => Escaped(words).to_string(),
        Fact::At(micros) => Time(*micros).to_string(),
        Fact::Since(micros) => format!("since {}", Time(*micros)),
    }
}

fn list_items(items: &[String]) -> String {
    let items: Vec<_> = items.iter().map(|item| format!("<li>{}</li>", Escaped(item))).collect();
    items.concat()
}

fn tree_html(tree: &Tree) -> String {
    let mut text = String::new();
    for (depth, words) in &tree.nodes {
        push_line(&mut text, format_args!("{}{words}", "  ".repeat(*depth)));
    }
    format!("<pre>{}</pre>\n", Escaped(&text))
}

fn push_line(html: &mut String, line: fmt::Arguments<'_>) {
    // Writing to a text does not fail.
    let _ = writeln!(html, "{line}");
}

/// A text, with what would be markup in it written as what it is.
#[derive(Debug, Clone, Copy)]
pub struct Escaped<'a>(pub &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            let (before, special) = rest.split_at(at);
            f.write_str(before)?;
            f.write_str(match special.as_bytes()[0] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' => "&quot;",
                _ => "&#39;",
            })?;
            rest = &special[1..];
        }
        f.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Cell, Chart, ChartLevel, ChartLine, Column, MarkShape, NumberFormat, Plot, PlotMark, Round,
        RoundEntry, RoundTable, Table,
    };

    const HOSTILE: &str = "<script>alert('x')</script>&\"";

    #[test]
    fn moments_are_those_of_whoever_looks_on() {
        let micros = 1_700_000_000_000_000;
        let facts = [("made", Fact::At(micros)), ("connected", Fact::Since(micros))];
        let html = Html::with_links(&|_, _| None).section_html(&Section::new().facts(facts));
        let time = "<time datetime=\"2023-11-14T22:13:20.000000Z\">2023-11-14 22:13:20 UTC</time>";
        assert!(html.contains(&format!("<dd>{time}</dd>")), "{html}");
        assert!(html.contains(&format!("<dd>since {time}</dd>")), "{html}");
        assert_eq!(Fact::Since(micros).text(), "since 2023-11-14 22:13:20 UTC");
    }

    #[test]
    fn nothing_in_a_report_is_markup() {
        let mut table = Table::new([Column::text(HOSTILE).with_key("bot"), Column::text("bots")]);
        table.push_row([HOSTILE.into(), Cell::list(&[HOSTILE, HOSTILE], "<")]);
        let mark = PlotMark { label: HOSTILE.into(), value: 1.0, interval: Some((0.0, 2.0)) };
        let marks = vec![mark];
        let (caption, shape, format) = (HOSTILE.to_owned(), MarkShape::Intervals, NumberFormat::default());
        let line = ChartLine { label: HOSTILE.into(), points: vec![(0.0, 1.0), (1.0, 2.0)] };
        let level = ChartLevel { label: HOSTILE.into(), value: 1.5 };
        let chart = Chart {
            caption: caption.clone(),
            axis: HOSTILE.into(),
            format,
            lines: vec![line],
            levels: vec![level],
            floor: None,
        };
        let entry = RoundEntry { bot: HOSTILE.into(), wins: 1, fate: Some(HOSTILE.into()) };
        let table_of_round = RoundTable { entries: vec![entry], played: 1, matches: 2 };
        let round = Round { name: HOSTILE.into(), tables: vec![table_of_round], byes: vec![HOSTILE.into()] };
        let section = Section::with_heading(HOSTILE)
            .block(Block::Chart(chart))
            .block(Block::Rounds(vec![round]))
            .paragraph(HOSTILE)
            .alert(HOSTILE)
            .list([HOSTILE])
            .numbered(1, [HOSTILE.to_owned()])
            .facts([(HOSTILE, HOSTILE.to_owned())])
            .command(HOSTILE)
            .tree(Tree { nodes: vec![(1, HOSTILE.into())] })
            .plot(Plot { caption, shape, format, marks })
            .table(table);
        let html = Html::with_links(&|_, text| Some(format!("/bots/{text}"))).report_html(&section.into());
        assert!(!html.contains("<script") && !html.contains("alert('"), "{html}");
        assert!(
            html.matches("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;").count() >= 22,
            "{html}"
        );
    }
}
