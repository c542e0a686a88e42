//! Rules for the source tree, which fail with a file and a line.
//!
//! Every rule is a function of a path and a text; the module `made_up` shows that each can fail.

#[path = "tidy/made_up.rs"]
mod made_up;
#[path = "tidy/phrases.rs"]
mod phrases;
#[path = "tidy/source.rs"]
mod source;

use phrases::Phrases;
use source::{code_only, first_steps, line_of, numbered, words};
use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

/// The crates with the decision logic. Their Cargo.toml excludes runtimes, networks and databases; what the standard
/// library has of these is found here.
const PURE_CRATES: [&str; 5] =
    ["crates/analysis", "crates/auditing", "crates/core", "crates/drawing", "crates/tournament"];
/// Names that they may not use.
const IMPURE: [&str; 4] = ["SystemTime", "Instant", "UNIX_EPOCH", "RandomState"];
/// Modules of the standard library that they may not use. `std::time` is allowed, since a duration is a number.
const IMPURE_MODULES: [&str; 6] = ["env", "fs", "net", "os", "process", "thread"];
/// Exceptions: files of these crates and the module that each may use.
const PURE_EXCEPTIONS: [(&str, &str); 1] = [
    // The layout library recurses and needs a stack proportional to the graph. The thread is joined at once, and its result
    // depends only on the graph.
    ("crates/drawing/src/layout.rs", "thread"),
];
/// The maximum lines of code per file, without blank lines and comments.
const MAX_CODE_LINES: usize = 600;
/// Marks of unfinished work; clippy finds the macros.
const UNFINISHED: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
/// Names that say nothing about the contents of a file.
const EMPTY_NAMES: [&str; 9] =
    ["util", "utils", "helper", "helpers", "common", "manager", "managers", "misc", "stuff"];

/// A violation of a rule.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: PathBuf,
    line: usize,
    what: String,
}

impl Finding {
    fn new(path: &Path, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.what)
    }
}

/// Crates of pure logic use no files, threads, clocks or random sources of the standard library.
fn find_impure_names(path: &Path, text: &str) -> Vec<Finding> {
    let is_pure = PURE_CRATES.iter().any(|pure| path.starts_with(Path::new(pure).join("src")));
    if !is_pure || !has_extension(path, "rs") {
        return Vec::new();
    }
    let code = code_only(text);
    let named = IMPURE.into_iter().flat_map(|word| words(&code, word).map(move |at| (at, word.to_owned())));
    let is_excepted = |module: &str| {
        PURE_EXCEPTIONS.iter().any(|&(file, excepted)| path == Path::new(file) && module == excepted)
    };
    let modules = first_steps(&code, "std::")
        .filter(|(_, module)| IMPURE_MODULES.contains(&module.as_str()) && !is_excepted(module))
        .map(|(at, module)| (at, format!("std::{module}")));
    named
        .chain(modules)
        .map(|(at, what)| {
            Finding::new(path, line_of(&code, at), format!("a crate that decides may not name {what}"))
        })
        .collect()
}

/// No file has more than 600 lines of code.
fn find_long_files(path: &Path, text: &str) -> Vec<Finding> {
    if !has_extension(path, "rs") {
        return Vec::new();
    }
    let code = code_only(text);
    let mut lines = numbered(&code).filter(|(_, line)| !line.trim().is_empty());
    lines.nth(MAX_CODE_LINES).map_or_else(Vec::new, |(line, _)| {
        vec![Finding::new(path, line, format!("more than {MAX_CODE_LINES} lines of code"))]
    })
}

/// There are no marks of unfinished work.
fn find_unfinished_work(path: &Path, text: &str) -> Vec<Finding> {
    numbered(text)
        .filter_map(|(line, code)| {
            let mark = UNFINISHED.into_iter().find(|mark| words(code, mark).next().is_some())?;
            Some(Finding::new(path, line, format!("unfinished: {mark}")))
        })
        .collect()
}

/// The program prints only through `src/screen.rs`, which escapes what could control a terminal.
fn find_direct_output(path: &Path, text: &str) -> Vec<Finding> {
    if !path.starts_with("src") || path == Path::new("src/screen.rs") || !has_extension(path, "rs") {
        return Vec::new();
    }
    let code = code_only(text);
    let is_direct = |line: &str| {
        let asked = [".is_terminal()", ".flush()", ".as_fd()"];
        let after = ["io::stdout()", "io::stderr()"].into_iter().find_map(|output| line.split_once(output));
        line.contains("print!(")
            || line.contains("println!(")
            || after.is_some_and(|(_, after)| !asked.iter().any(|asked| after.starts_with(asked)))
    };
    let found = numbered(&code).filter(|(_, line)| is_direct(line));
    found.map(|(line, _)| Finding::new(path, line, "prints without src/screen.rs")).collect()
}

/// No file or folder has a name that says nothing about its contents.
fn find_empty_names(path: &Path) -> Vec<Finding> {
    path.iter()
        .filter_map(|part| {
            let part = part.to_str()?;
            let empty = part
                .split(['.', '_', '-'])
                .find(|word| EMPTY_NAMES.contains(&word.to_lowercase().as_str()))?;
            Some(Finding::new(path, 1, format!("{empty:?} says nothing of what {part:?} holds")))
        })
        .collect()
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// Checks every text file of the repository against a rule.
fn check(rule: impl Fn(&Path, &str) -> Vec<Finding>) {
    let mut files = Vec::new();
    gather(repository(), &mut files);
    assert!(
        files.iter().any(|path| path == Path::new("src/lib.rs")),
        "the repository was not found: {files:?}"
    );
    let findings: Vec<String> = files
        .iter()
        .filter_map(|path| Some((path, fs::read_to_string(repository().join(path)).ok()?)))
        .flat_map(|(path, text)| rule(path, &text))
        .map(|finding| finding.to_string())
        .collect();
    assert!(findings.is_empty(), "out of order:\n{}", findings.join("\n"));
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository is readable") {
        let path = entry.expect("an entry is readable").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if [".git", "target", "node_modules", "__pycache__"].contains(&name) {
            continue;
        }
        if path.is_dir() {
            gather(&path, files);
        } else {
            files.push(path.strip_prefix(repository()).expect("it lies in the repository").to_owned());
        }
    }
}

#[test]
fn crates_that_decide_use_no_clock_or_io() {
    check(find_impure_names);
}

#[test]
fn files_are_short() {
    check(find_long_files);
}

#[test]
fn no_unfinished_work_is_left() {
    check(find_unfinished_work);
}

#[test]
fn printed_text_is_escaped() {
    check(find_direct_output);
}

#[test]
fn text_is_plain() {
    let phrases = Phrases::read(include_str!("tidy/phrases.txt"));
    check(|path, text| phrases.find(path, text));
}

#[test]
fn file_names_describe_their_contents() {
    check(|path, _| find_empty_names(path));
}
