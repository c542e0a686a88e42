//! The chapters of the book, in the order of `docs/SUMMARY.md`.

use std::fmt;

/// A chapter.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Chapter {
    /// The part of the book that it belongs to.
    pub part: &'static str,
    pub title: &'static str,
    /// Its file below `docs/`, such as `start/first-bot.md`.
    pub file: &'static str,
    /// The text of the file.
    pub markdown: &'static str,
}

// `build.rs` makes the array from `docs/SUMMARY.md`.
static CHAPTERS: &[Chapter] = include!(concat!(env!("OUT_DIR"), "/chapters.rs"));

impl fmt::Display for Chapter {
    /// Writes the name of the chapter in addresses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Chapter {
    /// Returns all chapters.
    pub(crate) fn all() -> &'static [Self] {
        CHAPTERS
    }

    /// Returns the chapter with a name, such as `first-bot`.
    pub(crate) fn find_named(name: &str) -> Option<&'static Self> {
        CHAPTERS.iter().find(|chapter| chapter.name() == name)
    }

    /// Returns the name of its file, without folder and extension.
    pub(super) fn name(&self) -> &'static str {
        let name = self.file.rsplit('/').next().unwrap_or(self.file);
        name.strip_suffix(".md").unwrap_or(name)
    }

    /// Returns the chapters before and after it.
    pub(super) fn neighbours(&self) -> (Option<&'static Self>, Option<&'static Self>) {
        let at = CHAPTERS.iter().position(|chapter| chapter == self).unwrap_or_default();
        (at.checked_sub(1).and_then(|before| CHAPTERS.get(before)), CHAPTERS.get(at + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::BTreeSet, fs};

    #[test]
    fn every_file_of_the_book_is_a_chapter() {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
        let mut files = BTreeSet::new();
        for part in ["start", "how-to", "reference", "why"] {
            for entry in fs::read_dir(format!("{docs}/{part}")).unwrap() {
                files.insert(format!("{part}/{}", entry.unwrap().file_name().to_str().unwrap()));
            }
        }
        let chapters: BTreeSet<_> = CHAPTERS.iter().map(|chapter| chapter.file.to_owned()).collect();
        assert_eq!(chapters, files);
    }

    #[test]
    fn chapter_names_are_unique_and_titles_match_the_files() {
        for chapter in CHAPTERS {
            assert_eq!(
                Chapter::find_named(chapter.name()),
                Some(chapter),
                "two chapters are called {}",
                chapter.name()
            );
            assert!(chapter.markdown.starts_with(&format!("# {}\n", chapter.title)), "{}", chapter.file);
        }
    }

    #[test]
    fn chapters_link_to_the_previous_and_the_next_chapter() {
        let (first, second) = (&CHAPTERS[0], &CHAPTERS[1]);
        assert_eq!(first.neighbours(), (None, Some(second)));
        assert_eq!(second.neighbours().0, Some(first));
        assert_eq!(CHAPTERS.last().unwrap().neighbours().1, None);
    }
}
