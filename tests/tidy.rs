//! The order of the house, as rules that fail with a file and a line.
//!
//! Every rule is a function of a path and a text; the module `made_up` shows for each that it can fail.

#[path = "tidy/made_up.rs"]
mod made_up;
#[path = "tidy/source.rs"]
mod source;

use source::{code_only, crate_paths, first_steps, line_of, numbered, words};
use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

/// Every floor of the crate, and the floors that it may use.
const FLOORS: [(&str, &[&str]); 14] = [
    ("game", &[]),
    ("oracle", &["game"]),
    ("drawing", &["game", "oracle"]),
    ("referee", &["game", "oracle"]),
    ("tournament", &["game", "oracle"]),
    ("auditing", &["game", "oracle", "tournament"]),
    ("wire", &["game", "oracle", "referee", "tournament", "auditing"]),
    ("store", &["game", "oracle", "referee", "tournament", "auditing", "wire"]),
    ("arena", &["game", "oracle", "referee", "tournament", "auditing", "wire", "store"]),
    ("rpc", &["game", "oracle", "referee", "tournament", "auditing", "wire", "store", "arena"]),
    ("server", &["game", "oracle", "referee", "tournament", "auditing", "wire", "store", "arena", "rpc"]),
    ("client", &["game", "oracle", "referee", "tournament", "auditing", "wire"]),
    ("bots", &["game", "oracle", "referee", "tournament", "auditing", "wire", "client"]),
    (
        "cli",
        &[
            "game",
            "oracle",
            "drawing",
            "referee",
            "tournament",
            "auditing",
            "wire",
            "store",
            "arena",
            "rpc",
            "server",
            "client",
            "bots",
        ],
    ),
];
/// The floors that decide and never act: neither network nor clock nor chance.
const PURE_FLOORS: [&str; 6] = ["game", "oracle", "drawing", "referee", "tournament", "auditing"];
/// What a pure floor may not name.
const IMPURE: [&str; 9] =
    ["tokio", "tonic", "sqlx", "SystemTime", "Instant", "UNIX_EPOCH", "getrandom", "rand", "RandomState"];
/// The modules of the standard library that a pure floor may not use. Of `std::time` it may: a duration is a number.
const IMPURE_MODULES: [&str; 6] = ["env", "fs", "net", "os", "process", "thread"];
/// Files of pure floors, and the one module each that they may use all the same.
const PURE_EXCEPTIONS: [(&str, &str); 1] = [
    // The library that lays out a graph recurses, and needs a stack as large as the graph. The thread is joined at once, and
    // what it returns depends on the graph alone.
    ("src/drawing/layout.rs", "thread"),
];
/// The most lines of code of a file; blank lines and comments are free.
const MAX_CODE_LINES: usize = 600;
/// Where packages come from: a machine's own settings say that, not this repository. Put together here, so that
/// this file does not name them either.
const REGISTRY_HOSTS: [&str; 8] = [
    concat!("crates", ".io"),
    concat!("npmjs", ".org"),
    concat!("npmjs", ".com"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("proxy.golang", ".org"),
    concat!("deb.debian", ".org"),
    concat!("yarnpkg", ".com"),
];
/// What marks work that is not done.
const UNFINISHED: [&str; 5] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("to", "do!"),
    concat!("unimpl", "emented!"),
    concat!("db", "g!"),
];
/// Names that say nothing of what a file holds.
const EMPTY_NAMES: [&str; 9] =
    ["util", "utils", "helper", "helpers", "common", "manager", "managers", "misc", "stuff"];

/// A place where a rule is broken.
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

/// No floor uses one that is not above it in the list of arrows.
fn arrows(path: &Path, text: &str) -> Vec<Finding> {
    let Some(floor) = floor_of(path) else { return Vec::new() };
    let Some(&(_, allowed)) = FLOORS.iter().find(|(name, _)| *name == floor) else {
        return vec![Finding::new(
            path,
            1,
            format!("the floor {floor:?} has no place in the list of arrows"),
        )];
    };
    let code = code_only(text);
    crate_paths(&code, depth_of(path), &FLOORS.map(|(name, _)| name))
        .into_iter()
        .filter(|(_, used)| *used != floor && !allowed.contains(&used.as_str()))
        .map(|(at, used)| Finding::new(path, line_of(&code, at), format!("{floor} may not use {used}")))
        .collect()
}

/// Every module that the crate's root declares has a place in the list of arrows.
fn known_floors(path: &Path, text: &str) -> Vec<Finding> {
    if path != Path::new("src/lib.rs") {
        return Vec::new();
    }
    numbered(&code_only(text))
        .filter_map(|(line, code)| {
            let name =
                code.trim().trim_start_matches("pub ").strip_prefix("mod ")?.trim_end_matches(';').trim();
            let known = FLOORS.iter().any(|(floor, _)| *floor == name);
            (!known).then(|| {
                Finding::new(path, line, format!("the floor {name:?} has no place in the list of arrows"))
            })
        })
        .collect()
}

/// The floors that decide name no runtime, no network, no file, no thread, no clock and no random source.
fn purity(path: &Path, text: &str) -> Vec<Finding> {
    let Some(floor) = floor_of(path).filter(|floor| PURE_FLOORS.contains(&floor.as_str())) else {
        return Vec::new();
    };
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
        .map(|(at, what)| Finding::new(path, line_of(&code, at), format!("{floor} may not name {what}")))
        .collect()
}

/// No file has more than 600 lines of code.
fn length(path: &Path, text: &str) -> Vec<Finding> {
    if !has_extension(path, "rs") {
        return Vec::new();
    }
    let code = code_only(text);
    let mut lines = numbered(&code).filter(|(_, line)| !line.trim().is_empty());
    lines.nth(MAX_CODE_LINES).map_or_else(Vec::new, |(line, _)| {
        vec![Finding::new(path, line, format!("more than {MAX_CODE_LINES} lines of code"))]
    })
}

/// Every public item has a doc comment; that of a module may stand in the module's own file.
fn documented(path: &Path, text: &str, has_inner_docs: impl Fn(&Path, &str) -> bool) -> Vec<Finding> {
    const ITEMS: [&str; 11] = [
        "fn",
        "async fn",
        "const fn",
        "struct",
        "enum",
        "trait",
        "const",
        "static",
        "type",
        "mod",
        "macro_rules!",
    ];
    if !has_extension(path, "rs") || !(path.starts_with("src") || path.starts_with("bots")) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let mut documented = false;
    let mut open_brackets = 0;
    for (line, code) in numbered(text) {
        let code = code.trim();
        if open_brackets > 0 || code.starts_with("#[") {
            open_brackets += code.matches('[').count();
            open_brackets = open_brackets.saturating_sub(code.matches(']').count());
        } else if code.starts_with("///") {
            documented = true;
        } else {
            let item = code.strip_prefix("pub ").filter(|rest| {
                ITEMS.iter().any(|item| rest.strip_prefix(item).is_some_and(|rest| rest.starts_with(' ')))
            });
            if let Some(item) = item {
                let module = item.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'));
                // In a macro the name stands for many, and their doc comments come with them.
                let in_macro = item.contains(" $");
                if !documented && !in_macro && !module.is_some_and(|name| has_inner_docs(path, name)) {
                    let name = item.split(['(', '{', '<', ':', '=', ';']).next().unwrap_or(item).trim();
                    findings.push(Finding::new(path, line, format!("no doc comment: pub {name}")));
                }
            }
            documented = false;
        }
    }
    findings
}

/// No file names a package registry.
fn registries(path: &Path, text: &str) -> Vec<Finding> {
    // Cargo writes its lock file, and the name of its index with it.
    if path == Path::new("Cargo.lock") {
        return Vec::new();
    }
    numbered(text)
        .filter_map(|(line, code)| {
            let host = REGISTRY_HOSTS.into_iter().find(|host| code.contains(host))?;
            Some(Finding::new(path, line, format!("names the package registry {host}")))
        })
        .collect()
}

/// Nothing is marked as not done, and no print for debugging is left.
fn finished(path: &Path, text: &str) -> Vec<Finding> {
    numbered(text)
        .filter_map(|(line, code)| {
            let mark = UNFINISHED.into_iter().find(|mark| words(code, mark).next().is_some())?;
            Some(Finding::new(path, line, format!("unfinished: {mark}")))
        })
        .collect()
}

/// No file or folder has a name that says nothing of what it holds.
fn names(path: &Path) -> Vec<Finding> {
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

/// Returns the floor of a source file; none for the crate's root, the binary, and what lies outside the crate.
fn floor_of(path: &Path) -> Option<String> {
    if !has_extension(path, "rs") || path == Path::new("src/lib.rs") || path == Path::new("src/main.rs") {
        return None;
    }
    if path.starts_with("bots") {
        return Some("bots".into());
    }
    let below = path.strip_prefix("src").ok()?;
    Some(below.iter().next()?.to_str()?.trim_end_matches(".rs").to_owned())
}

/// Returns how many modules above a floor's file the crate's root is.
fn depth_of(path: &Path) -> usize {
    let below = path.strip_prefix("src").unwrap_or(path);
    below.iter().count() - usize::from(below.ends_with("mod.rs"))
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// Checks every text file of the repository against a rule.
fn check(rule: impl Fn(&Path, &str) -> Vec<Finding>) {
    let mut files = Vec::new();
    gather(house(), &mut files);
    assert!(files.iter().any(|path| path == Path::new("src/lib.rs")), "the house was not found: {files:?}");
    let findings: Vec<String> = files
        .iter()
        .filter_map(|path| Some((path, fs::read_to_string(house().join(path)).ok()?)))
        .flat_map(|(path, text)| rule(path, &text))
        .map(|finding| finding.to_string())
        .collect();
    assert!(findings.is_empty(), "out of order:\n{}", findings.join("\n"));
}

fn house() -> &'static Path {
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
            files.push(path.strip_prefix(house()).expect("it lies in the house").to_owned());
        }
    }
}

fn module_has_inner_docs(declared_in: &Path, name: &str) -> bool {
    let folder = house().join(declared_in.parent().unwrap_or(Path::new("")));
    let own = declared_in.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    [format!("{name}.rs"), format!("{name}/mod.rs"), format!("{own}/{name}.rs"), format!("../{name}/mod.rs")]
        .iter()
        .filter_map(|place| fs::read_to_string(folder.join(place)).ok())
        .any(|text| text.starts_with("//!"))
}

#[test]
fn arrows_run_one_way() {
    check(arrows);
}

#[test]
fn every_floor_is_known() {
    check(known_floors);
}

#[test]
fn what_decides_is_pure() {
    check(purity);
}

#[test]
fn files_are_short() {
    check(length);
}

#[test]
fn public_items_are_documented() {
    check(|path, text| documented(path, text, module_has_inner_docs));
}

#[test]
fn no_package_registry_is_named() {
    check(registries);
}

#[test]
fn nothing_is_left_unfinished() {
    check(finished);
}

#[test]
fn names_say_what_they_hold() {
    check(|path, _| names(path));
}
