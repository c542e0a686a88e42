//! Blocks of the book between `<!-- generated: NAME -->` and `<!-- /generated -->`.

use crate::repository;
use std::{env, fs, path::PathBuf};

/// Returns the Markdown files of the book.
pub(crate) fn chapters() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for part in ["start", "how-to", "reference", "why"] {
        let entries = fs::read_dir(repository().join("docs").join(part)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.sort();
    files
}

/// Compares the named block with the program's text, or writes the block if `LASTNIM_WRITE_BOOK` is set.
pub(crate) fn check(name: &str, expected: &str) {
    let opening = format!("<!-- generated: {name} -->\n");
    let mut holders = chapters().into_iter().filter_map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        text.contains(&opening).then_some((path, text))
    });
    let (path, text) = holders.next().unwrap_or_else(|| panic!("no chapter has the block {name:?}"));
    assert!(holders.next().is_none(), "two chapters have the block {name:?}");

    let start = text.find(&opening).unwrap() + opening.len();
    let length = text[start..].find("<!-- /generated -->").expect("a generated block ends");
    let expected = format!("\n{}\n\n", expected.trim());
    if text[start..start + length] == expected {
        return;
    }
    assert!(
        env::var_os("LASTNIM_WRITE_BOOK").is_some(),
        "the block {name:?} of {} is out of date: run LASTNIM_WRITE_BOOK=1 cargo test --test book",
        path.display()
    );
    fs::write(&path, [&text[..start], &expected, &text[start + length..]].concat()).unwrap();
}
