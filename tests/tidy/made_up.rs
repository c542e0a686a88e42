//! Made-up sources, which show of every rule that it can fail, and of what it lets pass.

use super::{
    MAX_CODE_LINES, REGISTRY_HOSTS, UNFINISHED, arrows, finished, length, names, purity, registries, safety,
};
use std::path::Path;

/// Applies a rule to a text under a path, and returns `line: what` of each finding.
fn found(rule: impl Fn(&Path, &str) -> Vec<super::Finding>, path: &str, text: &str) -> Vec<String> {
    rule(Path::new(path), text).into_iter().map(|found| format!("{}: {}", found.line, found.what)).collect()
}

#[test]
fn an_arrow_that_runs_up_is_found() {
    let cases = [
        ("core/src/game/row.rs", "use std::fmt;\nuse crate::oracle::Winners;", "2: game may not use oracle"),
        (
            "core/src/referee/clock.rs",
            "use crate::{\n    game::{Seat, Row},\n    tournament::Draw,\n};",
            "3: referee may not use tournament",
        ),
        ("core/src/tournament/draw.rs", "use crate::referee as x;", "1: tournament may not use referee"),
        ("core/src/game/seat.rs", "use crate::Shortcut;", "1: game may not use Shortcut"),
        ("src/client/bot.rs", "use super::super::arena::Session;", "1: client may not use arena"),
        ("src/client/mod.rs", "use super::{wire, store};", "1: client may not use store"),
        ("src/arena/mod.rs", "mod tests { use super::super::server::run; }", "1: arena may not use server"),
        ("src/server.rs", "use crate::cli::Serve;", "1: server may not use cli"),
        ("bots/greedy.rs", "use lastnim::server::run;", "1: bots may not use server"),
        ("bots/greedy.rs", "use crate::rpc::Play;", "1: bots may not use rpc"),
        (
            "src/cellar/mod.rs",
            "use crate::game::Row;",
            "1: the layer \"cellar\" has no place in the list of layers",
        ),
        ("core/src/cellar.rs", "", "1: the layer \"cellar\" has no place in the list of layers"),
    ];
    for (path, text, expected) in cases {
        assert_eq!(found(arrows, path, text), [expected], "{path}: {text}");
    }
}

#[test]
fn an_arrow_that_runs_down_passes() {
    let passing = [
        ("src/cli/demo.rs", "use crate::{bots::Greedy, client::run, server::Server, game::Row};"),
        ("core/src/game/row.rs", "use super::Seat;\nmod tests { use super::*; use super::super::Seat; }"),
        (
            "core/src/game/row.rs",
            "/// See [`crate::oracle`].\n// crate::wire\nconst A: &str = \"crate::wire\";",
        ),
        (
            "core/src/game/row.rs",
            "const A: &str = r#\"crate::\"wire\"#; const B: char = '\"'; /* crate::wire */",
        ),
        ("core/src/game/row.rs", "fn f<'a>(x: &'a str) {} // crate::wire"),
        ("src/main.rs", "fn main() { lastnim::cli::main() }"),
        ("tests/tidy.rs", "use lastnim::cli;"),
    ];
    for (path, text) in passing {
        assert_eq!(found(arrows, path, text), Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn an_impure_core_is_found() {
    for (path, text, expected) in [
        ("core/src/oracle/mod.rs", "\nlet now = Instant::now();", "2: the core may not name Instant"),
        (
            "core/src/drawing/dot.rs",
            "use std::time::{Duration, Instant};",
            "1: the core may not name Instant",
        ),
        ("core/src/game/row.rs", "use std::net::TcpStream;", "1: the core may not name std::net"),
        (
            "core/src/oracle/mod.rs",
            "use std::{\n    fmt,\n    fs::{self, File},\n};",
            "3: the core may not name std::fs",
        ),
        (
            "core/src/referee/mod.rs",
            "fn f() -> bool { ::std::env::var(A).is_ok() }",
            "1: the core may not name std::env",
        ),
        ("core/src/drawing/dot.rs", "std::thread::spawn(f)", "1: the core may not name std::thread"),
        ("core/src/drawing/layout.rs", "use std::{fs, thread};", "1: the core may not name std::fs"),
        (
            "core/src/referee/clock.rs",
            "fn f(at: std::time::SystemTime) {}",
            "1: the core may not name SystemTime",
        ),
    ] {
        assert_eq!(found(purity, path, text), [expected], "{path}: {text}");
    }
    for (path, text) in [
        ("src/arena/mod.rs", "use std::{fs, thread, time::Instant};"),
        (
            "core/src/game/row.rs",
            "use std::{fmt, time::Duration};\n/// See `std::fs`.\nfn thread(env: u8) {}",
        ),
        ("core/src/drawing/layout.rs", "use std::{io, iter, thread};"),
    ] {
        assert_eq!(found(purity, path, text), Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn unsafe_code_is_found() {
    assert_eq!(found(safety, "python/src/lib.rs", "\nunsafe { f() }"), ["2: unsafe code"]);
    assert_eq!(
        found(safety, "src/lib.rs", "#![forbid(unsafe_code)] // unsafe\nlet a = \"unsafe\";"),
        [""; 0]
    );
}

#[test]
fn a_long_file_is_found() {
    let (code, comment) = ("let x = 1;\n", "// Why.\n\n");
    let full = format!("{}{}", code.repeat(MAX_CODE_LINES), comment.repeat(9));
    assert_eq!(found(length, "src/game/row.rs", &full), Vec::<String>::new());
    assert_eq!(
        found(length, "benches/arena/main.rs", &format!("{full}{code}")),
        ["619: more than 600 lines of code"]
    );
}

#[test]
fn a_registry_is_found() {
    for host in REGISTRY_HOSTS {
        let text = format!("a\nsee https://{host}/x\n");
        assert_eq!(found(registries, "README.md", &text), [format!("2: names the package registry {host}")]);
        assert_eq!(found(registries, "Cargo.lock", &text), Vec::<String>::new());
    }
}

#[test]
fn unfinished_work_is_found() {
    for mark in UNFINISHED {
        assert_eq!(
            found(finished, "src/x.rs", &format!("a\n    {mark}\n")),
            [format!("2: unfinished: {mark}")]
        );
        assert_eq!(
            found(finished, "src/x.rs", &format!("A{mark}")),
            Vec::<String>::new(),
            "part of a longer word"
        );
    }
}

#[test]
fn an_empty_name_is_found() {
    let found = |path: &str| found(|path, _| names(path), path, "");
    assert_eq!(found("src/game/utils.rs"), ["1: \"utils\" says nothing of what \"utils.rs\" holds"]);
    assert_eq!(found("src/common/row.rs"), ["1: \"common\" says nothing of what \"common\" holds"]);
    assert_eq!(found("src/arena/match_manager.rs").len(), 1);
    assert_eq!(found("src/game/row.rs"), Vec::<String>::new());
}
