//! Made-up sources, which show for every rule what fails and what passes.

use super::{
    MAX_CODE_LINES, UNFINISHED, find_direct_output, find_empty_names, find_impure_names, find_long_files,
    find_unfinished_work,
};
use std::path::Path;

/// Applies a rule to a text at a path, and returns `line: message` for each finding.
fn found(rule: impl Fn(&Path, &str) -> Vec<super::Finding>, path: &str, text: &str) -> Vec<String> {
    rule(Path::new(path), text).into_iter().map(|found| format!("{}: {}", found.line, found.what)).collect()
}

#[test]
fn an_impure_crate_is_found() {
    for (path, text, expected) in [
        (
            "crates/core/src/oracle/mod.rs",
            "\nlet now = Instant::now();",
            "2: a crate that decides may not name Instant",
        ),
        (
            "crates/drawing/src/dot.rs",
            "use std::time::{Duration, Instant};",
            "1: a crate that decides may not name Instant",
        ),
        (
            "crates/core/src/game/row.rs",
            "use std::net::TcpStream;",
            "1: a crate that decides may not name std::net",
        ),
        (
            "crates/core/src/oracle/mod.rs",
            "use std::{\n    fmt,\n    fs::{self, File},\n};",
            "3: a crate that decides may not name std::fs",
        ),
        (
            "crates/core/src/referee/mod.rs",
            "fn f() -> bool { ::std::env::var(A).is_ok() }",
            "1: a crate that decides may not name std::env",
        ),
        (
            "crates/drawing/src/dot.rs",
            "std::thread::spawn(f)",
            "1: a crate that decides may not name std::thread",
        ),
        (
            "crates/drawing/src/layout.rs",
            "use std::{fs, thread};",
            "1: a crate that decides may not name std::fs",
        ),
        (
            "crates/core/src/referee/clock.rs",
            "fn f(at: std::time::SystemTime) {}",
            "1: a crate that decides may not name SystemTime",
        ),
    ] {
        assert_eq!(found(find_impure_names, path, text), [expected], "{path}: {text}");
    }
    for (path, text) in [
        ("src/arena/mod.rs", "use std::{fs, thread, time::Instant};"),
        (
            "crates/core/src/game/row.rs",
            "use std::{fmt, time::Duration};\n/// See `std::fs`.\nfn thread(env: u8) {}",
        ),
        ("crates/drawing/src/layout.rs", "use std::{io, iter, thread};"),
    ] {
        assert_eq!(found(find_impure_names, path, text), Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn a_long_file_is_found() {
    let (code, comment) = ("let x = 1;\n", "// Why.\n\n");
    let full = format!("{}{}", code.repeat(MAX_CODE_LINES), comment.repeat(9));
    assert_eq!(found(find_long_files, "src/game/row.rs", &full), Vec::<String>::new());
    assert_eq!(
        found(find_long_files, "benches/arena/main.rs", &format!("{full}{code}")),
        ["619: more than 600 lines of code"]
    );
}

#[test]
fn direct_output_is_found() {
    for direct in
        ["println!(\"x\")", "eprint!(\"x\")", "io::stdout().lock()", "writeln!(io::stderr(), \"x\")"]
    {
        let finding = "1: prints without src/screen.rs".to_owned();
        assert_eq!(found(find_direct_output, "src/x.rs", direct), [finding], "{direct}");
        assert_eq!(found(find_direct_output, "src/screen.rs", direct), Vec::<String>::new());
        assert_eq!(found(find_direct_output, "tests/x.rs", direct), Vec::<String>::new());
    }
    assert_eq!(found(find_direct_output, "src/x.rs", "io::stdout().is_terminal()"), Vec::<String>::new());
}

#[test]
fn unfinished_work_is_found() {
    for mark in UNFINISHED {
        assert_eq!(
            found(find_unfinished_work, "src/x.rs", &format!("a\n    {mark}\n")),
            [format!("2: unfinished: {mark}")]
        );
        assert_eq!(
            found(find_unfinished_work, "src/x.rs", &format!("A{mark}")),
            Vec::<String>::new(),
            "part of a longer word"
        );
    }
}

#[test]
fn a_file_name_without_meaning_is_found() {
    let found = |path: &str| found(|path, _| find_empty_names(path), path, "");
    assert_eq!(found("src/game/utils.rs"), ["1: \"utils\" says nothing of what \"utils.rs\" holds"]);
    assert_eq!(found("src/common/row.rs"), ["1: \"common\" says nothing of what \"common\" holds"]);
    assert_eq!(found("src/arena/match_manager.rs").len(), 1);
    assert_eq!(found("src/game/row.rs"), Vec::<String>::new());
}

#[test]
fn a_stiff_phrase_is_found() {
    let phrases = super::Phrases::read(include_str!("phrases.txt"));
    let rule = |path: &Path, text: &str| phrases.find(path, text);
    for text in [
        "/// Matches of which there are at the most ten.",
        "// It waits in\n    // vain.",
        "# Of its\n# own.",
        "Whoever asks is told.",
        "Holds every take against optimal play",
    ] {
        assert!(!found(rule, "src/x.rs", text).is_empty(), "{text}");
        assert!(!found(rule, "docs/x.md", text).is_empty(), "{text}");
    }
    for text in ["// At most ten.", "// None of them stands for a seat.", "// By hand, at a hand-over."] {
        assert_eq!(found(rule, "src/x.rs", text), [""; 0]);
    }
    assert_eq!(found(rule, "tests/tidy/phrases.txt", "in vain"), [""; 0]);
}
