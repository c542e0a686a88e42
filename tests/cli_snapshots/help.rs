//! Every help page.

use crate::{files::names_in, terminal::Terminal};
use std::path::Path;

/// The name of the snapshot of the top-level help page.
const ROOT: &str = "lastnim";

/// Returns the commands that a help page lists.
fn commands(help: &str) -> Vec<String> {
    let (lists, _) = help.split_once("\nExamples:").unwrap_or((help, ""));
    let sections = lists.split("\n\n").filter(|section| {
        ["Commands:\n", "Play:\n", "Organise:\n", "Study:\n", "Set up:\n"]
            .iter()
            .any(|heading| section.starts_with(heading))
    });
    // The second line of a long description is indented further.
    let lines = sections.flat_map(|section| section.lines().skip(1)).filter(|line| !line.starts_with("   "));
    lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn every_help_page_matches_its_snapshot() {
    let mut pages = vec![Vec::<String>::new()];
    let mut names = Vec::new();
    while let Some(page) = pages.pop() {
        let name = if page.is_empty() { ROOT.to_owned() } else { page.join("_") };
        let line = [&["lastnim".to_owned()], &page[..], &["--help".to_owned()]].concat().join(" ");
        let mut terminal = Terminal::offline();
        let further = commands(&terminal.quietly(&line));
        pages.extend(further.into_iter().map(|command| [&page[..], &[command]].concat()));
        terminal.run(&line).assert_shown("help", &name);
        names.push(name);
    }
    names.sort();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli_snapshots/snapshots/help");
    assert_eq!(names, names_in(&folder), "a snapshot of each page, and no others");
}
