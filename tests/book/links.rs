//! Links between files of the repository.

use crate::{blocks::chapters, repository};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns the Markdown files that readers follow links in.
fn documents() -> Vec<PathBuf> {
    let mut files = chapters();
    for file in
        ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/SUMMARY.md"]
    {
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
fn links_in_documents_point_to_existing_files() {
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

/// Adds the paths of all files and folders below a folder.
fn gather_paths(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if [".git", "target", "node_modules"].contains(&name) {
            continue;
        }
        if path.is_dir() {
            gather_paths(&path, paths);
        }
        paths.push(path);
    }
}

#[test]
fn the_map_of_the_code_names_files_that_exist() {
    let mut paths = Vec::new();
    gather_paths(repository(), &mut paths);
    // Paths leave out `crates`, `src` and `.rs` where the map says so.
    let short = |path: &PathBuf| {
        let path = path.strip_prefix(repository()).unwrap().to_str().unwrap();
        let path = path.strip_prefix("crates/").unwrap_or(path).replacen("/src/", "/", 1);
        path.strip_suffix(".rs").unwrap_or(&path).to_owned()
    };
    let known: Vec<_> = paths.iter().map(short).collect();
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let prose: String = text.split("```").step_by(2).collect();
    let mut missing = Vec::new();
    for named in prose.split('`').skip(1).step_by(2).filter(|words| words.contains('/')) {
        let (before, rest) = named.split_once('{').unwrap_or((named, "}"));
        let (choices, after) = rest.split_once('}').unwrap_or_default();
        for choice in choices.split(',') {
            let path = short(&repository().join(format!("{before}{choice}{after}")));
            let is_pattern = path.contains(['*', ' ']) || path.contains("NAME");
            if !is_pattern
                && !known.iter().any(|known| *known == path || known.ends_with(&format!("/{path}")))
            {
                missing.push(named.to_owned());
            }
        }
    }
    assert!(missing.is_empty(), "ARCHITECTURE.md names what does not exist: {missing:?}");
}
