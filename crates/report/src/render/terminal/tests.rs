use super::*;
use crate::{Cell, Column, MarkShape, NumberFormat, NumberUnit, Plot, PlotMark};

fn table() -> Table {
    let mut table = Table::new([Column::text("bot"), Column::number("regret", NumberUnit::Ranks, 2)]);
    table.push_row(["oracle".into(), 0.0.into()]);
    table.push_row(["any".into(), Cell::NONE]).tone = BlockTone::Alert;
    table.push_row(["wins".into(), 0.5.into()]).format = Some(NumberFormat::new(NumberUnit::Share, 0));
    table
}

fn mark(label: &str, value: f64, interval: Option<(f64, f64)>) -> PlotMark {
    PlotMark { label: label.to_owned(), value, interval }
}

fn plot(shape: MarkShape, marks: &[PlotMark]) -> Plot {
    let caption = "Regret".to_owned();
    Plot { caption, shape, format: NumberFormat::new(NumberUnit::Ranks, 1), marks: marks.to_vec() }
}

#[test]
fn sections_are_separated_and_blocks_indented() {
    let report = Report::with_title("A title")
        .with_section(
            Section::new().paragraph("Words.").facts([("id", "7".to_owned()), ("bots", String::new())]),
        )
        .with_section(
            Section::with_heading("A heading").paragraph("More words\nin two lines.").table(table()),
        )
        .with_section(
            Section::new()
                .list(["one\n two", "three"])
                .numbered(9, ["nine".to_owned(), "ten\nlines".to_owned()]),
        )
        .with_section(
            Section::with_heading("Next").facts([("try", "it".to_owned())]).command("lastnim serve"),
        );
    let expected = "\
A title
Words.
id         7
bots

A heading
 More words
 in two lines.
  bot     regret
  oracle    0.00
  any          -
  wins       50%

  one
   two
  three
  9. nine
  10. ten
      lines

Next
  try        it
   lastnim serve
";
    assert_eq!(Terminal::without_styles().report_text(&report), expected);
}

#[test]
fn long_tables_are_cut() {
    let text = Terminal::without_styles().table_text(&Table { max_shown: Some(1), ..table() });
    assert_eq!(text, "  bot     regret\n  oracle    0.00\n");
}

#[test]
fn no_color_disables_colours() {
    let section = Section::with_heading("Bots")
        .table(table())
        .alert("Look.")
        .plot(plot(MarkShape::Bars, &[mark("a", 1.0, None)]));
    let coloured = Terminal::for_screen(None).section_text(&section);
    assert!(
        coloured.starts_with("\x1b[1mBots\x1b[0m\n\x1b[1m  bot     regret\x1b[0m\n  oracle "),
        "{coloured:?}"
    );
    assert!(coloured.contains("\n\x1b[31m  any          -\x1b[0m\n"), "{coloured:?}");
    assert!(coloured.contains(" \x1b[31mLook.\x1b[0m\n"), "{coloured:?}");
    assert_eq!(Terminal::for_screen(Some(OsStr::new(""))), Terminal::for_screen(None));

    let sober = Terminal::for_screen(Some(OsStr::new("1"))).section_text(&section);
    assert!(!sober.contains('\x1b') && sober.contains('█'), "{sober:?}");
    let plain = Terminal::without_styles().section_text(&section);
    assert!(!plain.contains('\x1b') && !plain.contains('█'), "{plain:?}");
}

#[test]
fn long_facts_are_broken_between_words() {
    let section = Section::with_heading("ply 0").facts([("took", "2 in 0.001 s, 10.098 s left".to_owned())]);
    let text = Terminal::without_styles().wrapped_at(30).section_text(&section);
    assert_eq!(text, "ply 0\n  took       2 in 0.001 s,\n             10.098 s left\n");
    let word = wrap_lines("a-word-without-end and more", Some(5));
    assert_eq!(word, ["a-word-without-end", "and", "more"]);
}

#[test]
fn the_branches_of_a_tree_are_drawn() {
    let nodes = [(0, "root"), (1, "a"), (2, "b"), (3, "c"), (2, "d"), (1, "e"), (2, "f")];
    let nodes = nodes.map(|(depth, label)| (depth, label.to_owned())).to_vec();
    let mut text = String::new();
    write_tree(&mut text, &Tree { nodes });
    let expected = "\
root
├─ a
│  ├─ b
│  │  └─ c
│  └─ d
└─ e
   └─ f
";
    assert_eq!(text, expected);
}

#[test]
fn all_marks_of_a_plot_share_a_scale() {
    let mut text = String::new();
    plots::write_plot(
        &mut text,
        &plot(MarkShape::Bars, &[mark("open", 2.0, None), mark("end", 1.0, None), mark("no", 0.0, None)]),
    );
    let lines: Vec<_> = text.lines().collect();
    let bars = lines.iter().map(|line| line.matches('█').count()).collect::<Vec<_>>();
    assert_eq!(bars, [0, 0, 48, 25, 0], "{text}");
    assert!(lines[4].starts_with("  no ") && lines[4].ends_with("  0.0"), "{text}");

    let mut text = String::new();
    let marks = [mark("a", 2.0, Some((0.0, 4.0))), mark("b", 3.0, Some((2.0, 4.0))), mark("c", 1.0, None)];
    plots::write_plot(&mut text, &plot(MarkShape::Intervals, &marks));
    let lines: Vec<_> = text.lines().skip(2).collect();
    let place = |line: usize, char| lines[line].chars().position(|other| other == char);
    assert_eq!(place(0, '┤'), place(1, '┤'), "{text}");
    assert_eq!(place(0, '●'), place(1, '├'), "{text}");
    assert_eq!((place(2, '├'), place(2, '┤')), (None, None), "{text}");

    let mut text = String::new();
    plots::write_plot(&mut text, &plot(MarkShape::Intervals, &[]));
    assert_eq!(text, "");
}
