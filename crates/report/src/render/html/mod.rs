//! Reports as HTML.

mod charts;
mod plots;
mod tables;
mod time;

use self::plots::plot_svg;
use crate::{Block, BlockTone, FactValue, Report, Section};
use askama::Template;

pub use time::Time;

/// Returns the address that a cell links to, given the key of its column and its text.
pub type CellLinks<'a> = &'a dyn Fn(&str, &str) -> Option<String>;

/// Writes reports as HTML.
#[derive(Clone, Copy)]
pub struct Html<'a> {
    links: CellLinks<'a>,
}

#[derive(Template)]
#[template(path = "section.html")]
struct SectionTemplate<'a> {
    html: Html<'a>,
    section: &'a Section,
}

impl<'a> Html<'a> {
    /// Creates a writer of reports whose cells link to pages.
    pub fn with_links(links: CellLinks<'a>) -> Self {
        Self { links }
    }

    /// Writes a report without its title, which the page shows; headings are of the second level.
    pub fn report_html(self, report: &Report) -> String {
        report.sections.iter().map(|section| self.section_html(section)).collect()
    }

    /// Writes a section.
    pub fn section_html(self, section: &Section) -> String {
        write_template(&SectionTemplate { html: self, section })
    }
}

/// Renders a template, which escapes everything not marked as safe.
pub fn write_template(template: &impl Template) -> String {
    template.render().expect("rendering to memory does not fail")
}

#[derive(Template)]
#[template(source = "{{ text }}", ext = "html")]
struct TextTemplate<'a> {
    text: &'a str,
}

/// Escapes text.
pub fn text_html(text: &str) -> String {
    write_template(&TextTemplate { text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Cell, Chart, ChartLevel, ChartLine, Column, MarkShape, NumberFormat, Plot, PlotMark, Round,
        RoundEntry, RoundTable, Table, Tree,
    };

    const HOSTILE: &str = "<script>alert('x')</script>&\"";

    #[test]
    fn times_are_machine_readable() {
        let micros = 1_700_000_000_000_000;
        let facts = [("made", FactValue::At(micros)), ("connected", FactValue::Since(micros))];
        let html = Html::with_links(&|_, _| None).section_html(&Section::new().facts(facts));
        let time = "<time datetime=\"2023-11-14T22:13:20.000000Z\">2023-11-14 22:13:20 UTC</time>";
        assert!(html.contains(&format!("<dd>{time}</dd>")), "{html}");
        assert!(html.contains(&format!("<dd>since {time}</dd>")), "{html}");
        assert_eq!(FactValue::Since(micros).text(), "since 2023-11-14 22:13:20 UTC");
    }

    #[test]
    fn reports_are_escaped() {
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
        let entry = RoundEntry { bot: HOSTILE.into(), wins: 1, fate: None };
        let table_of_round = RoundTable { entries: vec![entry], played: 1, matches: 2, tie_break: None };
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
            html.matches("&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;&#38;&#34;").count() >= 21,
            "{html}"
        );
    }
}
