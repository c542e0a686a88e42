//! Made-up sources, which show of every rule that it can fail, and of what it lets pass.

use super::{
    MAX_CODE_LINES, REGISTRY_HOSTS, UNFINISHED, arrows, documented, finished, known_floors, length, names,
    purity, registries,
};
use std::path::Path;

/// Applies a rule to a text under a path, and returns `line: what` of each finding.
fn found(rule: impl Fn(&Path, &str) -> Vec<super::Finding>, path: &str, text: &str) -> Vec<String> {
    rule(Path::new(path), text).into_iter().map(|found| format!("{}: {}", found.line, found.what)).collect()
}

#[test]
fn an_arrow_that_runs_up_is_found() {
    let cases = [
        ("src/game/row.rs", "use std::fmt;\nuse crate::oracle::Winners;", "2: game may not use oracle"),
        ("src/oracle/mod.rs", "fn f(x: crate::wire::pb::Row) {}", "1: oracle may not use wire"),
        (
            "src/referee/clock.rs",
            "use crate::{\n    game::{Seat, Row},\n    tournament::Draw,\n};",
            "3: referee may not use tournament",
        ),
        ("src/tournament/draw.rs", "use crate::referee as x;", "1: tournament may not use referee"),
        ("src/client/bot.rs", "use super::super::arena::Session;", "1: client may not use arena"),
        ("src/client/mod.rs", "use super::{game, store};", "1: client may not use store"),
        ("src/arena/mod.rs", "mod tests { use super::super::server::run; }", "1: arena may not use server"),
        ("src/server.rs", "use crate::cli::Serve;", "1: server may not use cli"),
        ("bots/greedy.rs", "use lastnim::server::run;", "1: bots may not use server"),
        ("bots/greedy.rs", "use crate::rpc::Play;", "1: bots may not use rpc"),
        ("src/game/seat.rs", "use crate::Shortcut;", "1: game may not use Shortcut"),
        (
            "src/cellar/mod.rs",
            "use crate::game::Row;",
            "1: the floor \"cellar\" has no place in the list of arrows",
        ),
        ("src/cellar.rs", "", "1: the floor \"cellar\" has no place in the list of arrows"),
    ];
    for (path, text, expected) in cases {
        assert_eq!(found(arrows, path, text), [expected], "{path}: {text}");
    }
}

#[test]
fn an_arrow_that_runs_down_passes() {
    let passing = [
        ("src/cli/demo.rs", "use crate::{bots::Greedy, client::run, server::Server, game::Row};"),
        ("src/game/row.rs", "use super::Seat;\nmod tests { use super::*; use super::super::Seat; }"),
        ("src/game/row.rs", "/// See [`crate::oracle`].\n// crate::wire\nconst A: &str = \"crate::wire\";"),
        ("src/game/row.rs", "const A: &str = r#\"crate::\"wire\"#; const B: char = '\"'; /* crate::wire */"),
        ("src/game/row.rs", "fn f<'a>(x: &'a str) {} // crate::wire"),
        ("src/main.rs", "fn main() { lastnim::cli::main() }"),
        ("tests/tidy.rs", "use lastnim::cli;"),
    ];
    for (path, text) in passing {
        assert_eq!(found(arrows, path, text), Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn an_unknown_floor_is_found() {
    let root = "//! The house.\n\npub mod game;\nmod attic;\n";
    assert_eq!(
        found(known_floors, "src/lib.rs", root),
        ["4: the floor \"attic\" has no place in the list of arrows"]
    );
    assert_eq!(found(known_floors, "src/game/mod.rs", "mod attic;"), Vec::<String>::new());
}

#[test]
fn an_impure_floor_is_found() {
    for (path, text, expected) in [
        ("src/game/row.rs", "use tokio::sync::mpsc;", "1: game may not name tokio"),
        ("src/oracle/mod.rs", "\nlet now = Instant::now();", "2: oracle may not name Instant"),
        ("src/drawing/dot.rs", "use std::time::{Duration, Instant};", "1: drawing may not name Instant"),
        ("src/drawing/dot.rs", "use tokio::fs;", "1: drawing may not name tokio"),
        ("src/game/row.rs", "use std::net::TcpStream;", "1: game may not name std::net"),
        (
            "src/oracle/mod.rs",
            "use std::{\n    fmt,\n    fs::{self, File},\n};",
            "3: oracle may not name std::fs",
        ),
        (
            "src/referee/mod.rs",
            "fn f() -> bool { ::std::env::var(A).is_ok() }",
            "1: referee may not name std::env",
        ),
        ("src/auditing/mod.rs", "use std::{process, fmt};", "1: auditing may not name std::process"),
        ("src/tournament/draw.rs", "use std::os::fd::OwnedFd;", "1: tournament may not name std::os"),
        ("src/drawing/dot.rs", "std::thread::spawn(f)", "1: drawing may not name std::thread"),
        ("src/drawing/layout.rs", "use std::{fs, thread};", "1: drawing may not name std::fs"),
        ("src/referee/clock.rs", "fn f(at: std::time::SystemTime) {}", "1: referee may not name SystemTime"),
        ("src/tournament/draw.rs", "rand::random()", "1: tournament may not name rand"),
    ] {
        assert_eq!(found(purity, path, text), [expected], "{path}: {text}");
    }
    for (path, text) in [
        ("src/arena/mod.rs", "use tokio::sync::mpsc;\nuse std::{fs, thread};"),
        ("src/game/row.rs", "fn random(operand: Row) {} // no tokio"),
        ("src/game/row.rs", "use std::{fmt, time::Duration};\n/// See `std::fs`.\nfn thread(env: u8) {}"),
        ("src/drawing/layout.rs", "use std::{io, iter, thread};"),
    ] {
        assert_eq!(found(purity, path, text), Vec::<String>::new(), "{path}: {text}");
    }
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
fn an_undocumented_item_is_found() {
    let found = |path: &str, text: &str| {
        found(|path, text| documented(path, text, |_, module| module == "told"), path, text)
    };
    let nothing = Vec::<String>::new();
    for item in ["fn a()", "struct A", "enum A", "trait A", "const A", "type A", "async fn a()", "mod silent"]
    {
        let text = format!("/// Is told of.\npub fn b() {{}}\n\npub {item};\n");
        assert_eq!(
            found("src/game/row.rs", &text),
            [format!("4: no doc comment: pub {}", item.trim_end_matches("()"))]
        );
        let text = format!("/// Is told of.\n#[derive(\n    Debug,\n)]\n#[must_use]\npub {item};\n");
        assert_eq!(found("bots/greedy.rs", &text), nothing);
        assert_eq!(found("tests/tidy.rs", &format!("pub {item};\n")), nothing);
    }
    assert_eq!(found("src/lib.rs", "pub mod told;\npub(crate) fn a() {}\npub use a::B;\n"), nothing);
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
