//! The order of the source tree, as rules that fail with a file and a line.
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

/// A layer and those that it may use.
type Layer = (&'static str, &'static [&'static str]);

/// The layers of the core and those that each may use.
const CORE_LAYERS: [Layer; 6] = [
    ("game", &[]),
    ("oracle", &["game"]),
    ("drawing", &["game", "oracle"]),
    ("referee", &["game", "oracle"]),
    ("tournament", &["game", "oracle"]),
    ("auditing", &["game", "oracle", "tournament"]),
];
/// The layers of the server and those that each may use; all of them may use the core.
const LAYERS: [Layer; 14] = [
    ("config", &[]),
    ("wire", &[]),
    ("store", &["wire"]),
    ("arena", &["config", "wire", "store"]),
    ("rpc", &["wire", "store", "arena"]),
    ("client", &["wire"]),
    ("bots", &["wire", "client"]),
    ("llm", &["config", "wire", "client", "bots"]),
    ("report", &["wire"]),
    ("web", &["config", "wire", "arena", "rpc", "report"]),
    ("server", &["config", "wire", "store", "arena", "rpc", "web", "client", "bots"]),
    ("conformance", &["wire"]),
    ("history", &["wire"]),
    (
        "cli",
        &[
            "config",
            "wire",
            "store",
            "arena",
            "rpc",
            "server",
            "client",
            "bots",
            "llm",
            "report",
            "conformance",
            "history",
        ],
    ),
];
/// What the core may not name. Its Cargo.toml keeps out runtimes, networks and databases.
const IMPURE: [&str; 4] = ["SystemTime", "Instant", "UNIX_EPOCH", "RandomState"];
/// The modules of the standard library that the core may not use. `std::time` is allowed: a duration is a number.
const IMPURE_MODULES: [&str; 6] = ["env", "fs", "net", "os", "process", "thread"];
/// Files of the core, and the one module each that they may use all the same.
const PURE_EXCEPTIONS: [(&str, &str); 1] = [
    // The library that lays out a graph recurses, and needs a stack as large as the graph. The thread is joined at once, and
    // what it returns depends on the graph alone.
    ("core/src/drawing/layout.rs", "thread"),
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
/// What marks work that is not done; clippy finds the macros.
const UNFINISHED: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
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

/// No code is unsafe but what macros of libraries write.
fn safety(path: &Path, text: &str) -> Vec<Finding> {
    if !has_extension(path, "rs") {
        return Vec::new();
    }
    let code = code_only(text);
    words(&code, "unsafe").map(|at| Finding::new(path, line_of(&code, at), "unsafe code")).collect()
}

/// No layer uses one that is not below it.
fn arrows(path: &Path, text: &str) -> Vec<Finding> {
    let Some((layer, layers)) = layer_of(path) else { return Vec::new() };
    let Some(&(_, allowed)) = layers.iter().find(|(name, _)| *name == layer) else {
        return vec![Finding::new(
            path,
            1,
            format!("the layer {layer:?} has no place in the list of layers"),
        )];
    };
    // The root re-exports the core's layers under their names.
    let below = if path.starts_with("core") { &[][..] } else { &CORE_LAYERS[..] };
    let code = code_only(text);
    crate_paths(&code, depth_of(path), &layers.iter().map(|(name, _)| *name).collect::<Vec<_>>())
        .into_iter()
        .filter(|(_, used)| {
            *used != layer && !allowed.contains(&used.as_str()) && !below.iter().any(|(name, _)| name == used)
        })
        .map(|(at, used)| Finding::new(path, line_of(&code, at), format!("{layer} may not use {used}")))
        .collect()
}

/// The core names no file, no thread, no clock and no random source of the standard library.
fn purity(path: &Path, text: &str) -> Vec<Finding> {
    if !path.starts_with("core/src") || !has_extension(path, "rs") {
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
        .map(|(at, what)| Finding::new(path, line_of(&code, at), format!("the core may not name {what}")))
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

/// No file names a package registry.
fn registries(path: &Path, text: &str) -> Vec<Finding> {
    // Cargo writes its lock files, and the name of its index with them.
    if path.ends_with("Cargo.lock") {
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

/// Returns the layer of a source file and the layers of its crate; none for a crate's root, the binary, and what lies outside.
fn layer_of(path: &Path) -> Option<(String, &'static [Layer])> {
    let is_root = ["core/src/lib.rs", "src/lib.rs", "src/main.rs"].iter().any(|root| path == Path::new(root));
    if !has_extension(path, "rs") || is_root {
        return None;
    }
    if path.starts_with("bots") {
        return Some(("bots".into(), &LAYERS));
    }
    let in_core = path.strip_prefix("core/src").map(|below| (below, &CORE_LAYERS[..]));
    let (below, layers) =
        in_core.or_else(|_| path.strip_prefix("src").map(|below| (below, &LAYERS[..]))).ok()?;
    Some((below.iter().next()?.to_str()?.trim_end_matches(".rs").to_owned(), layers))
}

/// Returns how many modules above a layer's file the crate's root is.
fn depth_of(path: &Path) -> usize {
    let below = path.strip_prefix("core").unwrap_or(path);
    let below = below.strip_prefix("src").unwrap_or(below);
    below.iter().count() - usize::from(below.ends_with("mod.rs"))
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
fn arrows_run_one_way() {
    check(arrows);
}

#[test]
fn the_core_is_pure() {
    check(purity);
}

#[test]
fn no_code_is_unsafe() {
    check(safety);
}

#[test]
fn files_are_short() {
    check(length);
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
