//! Links between files of the repository.

use crate::{blocks::chapters, repository};
use std::{fs, path::PathBuf};

/// Returns the Markdown files that readers follow links in.
fn documents() -> Vec<PathBuf> {
    let mut files = chapters();
    for file in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "docs/SUMMARY.md"] {
        files.push(repository().join(file));
    }
    let decisions = fs::read_dir(repository().join("docs/decisions")).unwrap();
    files.extend(decisions.map(|entry| entry.unwrap().path()));
    files
}

/// Returns the targets of the links in a Markdown text, without code.
fn link_targets(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.split("```").step_by(2);
    let targets = prose.flat_map(|part| part.split("](").skip(1));
    targets.filter_map(|rest| rest.split([')', ' ', '\n']).next())
}

#[test]
fn links_lead_to_files() {
    let mut broken = Vec::new();
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for target in link_targets(&text) {
            let file = target.split('#').next().unwrap();
            let is_elsewhere = file.contains("://") || file.is_empty();
            if !is_elsewhere && !path.parent().unwrap().join(file).exists() {
                broken.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}
