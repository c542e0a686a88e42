//! Phrases that read like a translation, with replacements.

use super::{Finding, has_extension, source::line_of};
use regex::Regex;
use std::path::Path;

/// The files that people read: code for its comments and messages, documents, pages and protos.
const READ: [&str; 10] = ["rs", "md", "proto", "py", "ts", "js", "html", "css", "toml", "sql"];

/// The phrases to avoid.
pub(crate) struct Phrases(Vec<(Regex, String)>);

impl Phrases {
    /// Reads lines of a regular expression, ` => ` and the plain form. Lines that begin with `#` are comments.
    pub(crate) fn read(list: &str) -> Self {
        let lines = list.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let phrases = lines.map(|line| {
            let (phrase, plain) = line.split_once(" => ").expect("a phrase has a plain form");
            // A phrase may be wrapped inside a comment.
            let phrase = phrase.replace(' ', r"\s+(?:(?://[/!]?|#|\*|--)\s+)?");
            let phrase = Regex::new(&format!("(?i){phrase}")).expect("a phrase is a regular expression");
            (phrase, plain.to_owned())
        });
        Self(phrases.collect())
    }

    /// Returns the places in a text where a phrase is used.
    pub(crate) fn find(&self, path: &Path, text: &str) -> Vec<Finding> {
        if !READ.iter().any(|extension| has_extension(path, extension)) || path.starts_with("tests/tidy") {
            return Vec::new();
        }
        let findings = self.0.iter().flat_map(|(phrase, plain)| {
            phrase.find_iter(text).map(move |found| {
                let what = format!("{:?}: write {plain}", found.as_str());
                Finding::new(path, line_of(text, found.start()), what)
            })
        });
        findings.collect()
    }
}
