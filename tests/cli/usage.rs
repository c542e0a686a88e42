//! How commands are called: arguments that are refused at once, and the help texts.

use lastnim_bots::HouseBot;
use serde_json::Value;
use std::{
    env, fs,
    process::{self, Command, Output, Stdio},
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");
const ADMIN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";

fn lastnim(args: &[&str]) -> Command {
    let mut command = Command::new(LASTNIM);
    for variable in
        ["LASTNIM_ADMIN_TOKEN", "LASTNIM_VIEWER_TOKEN", "LASTNIM_TOKEN", "LASTNIM_SERVER", "LASTNIM_STORE"]
    {
        command.env_remove(variable);
    }
    command.args(args).stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

/// Returns the one-line error of an invalid command line.
fn refusal(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let error = text(&stderr);
    assert_eq!((status.code(), text(&stdout), error.lines().count()), (Some(2), "", 1), "{error}");
    error.trim_end().strip_prefix("error: ").unwrap().to_owned()
}

#[test]
fn unsafe_tokens_are_refused() {
    let serve = || lastnim(&["serve", "--listen", "127.0.0.1:0", "--private", "--store", "memory"]);
    let cases = [
        (Some(""), None, "LASTNIM_ADMIN_TOKEN: a token of 0 characters has at most 0 bits"),
        (Some("short"), None, "LASTNIM_ADMIN_TOKEN: a token of 5 characters has at most 25 bits"),
        (None, Some(""), "LASTNIM_VIEWER_TOKEN: a token of 0 characters has at most 0 bits"),
        (Some(ADMIN), Some("  \n"), "LASTNIM_VIEWER_TOKEN: a token of 0 characters has at most 0 bits"),
        (Some("two words in one token"), None, "only visible ASCII characters are allowed"),
        (Some(ADMIN), Some(ADMIN), "the admin and the viewer have the same token"),
        (Some(ADMIN), Some(&format!(" {ADMIN} ")), "the admin and the viewer have the same token"),
    ];
    for (admin, viewer, expected) in cases {
        let mut serve = serve();
        let given = [("LASTNIM_ADMIN_TOKEN", admin), ("LASTNIM_VIEWER_TOKEN", viewer)];
        serve.envs(given.into_iter().filter_map(|(name, token)| Some((name, token?))));
        let why = refusal(&mut serve);
        assert!(why.contains(expected), "{why:?} does not contain {expected:?}");
        assert!(!why.contains("short") && !why.contains("two words"), "{why:?} repeats a token");
    }
}

#[test]
fn the_password_of_a_store_is_never_repeated() {
    let wrong = [
        "mysql://me:secret@host/db",
        "postgres://me:secret@host:port/db",
        "postgres://host/db?password=secret",
    ];
    for wrong in wrong {
        for mut serve in [lastnim(&["serve", "--store", wrong]), {
            let mut serve = lastnim(&["serve"]);
            serve.env("LASTNIM_STORE", wrong);
            serve
        }] {
            let why = refusal(&mut serve);
            assert!(why.starts_with("--store or LASTNIM_STORE: unknown store"), "{why}");
            assert!(!why.contains("secret"), "{why}");
        }
    }
    let arguments = ["serve", "--print-config", "--store", "postgres://me:secret@host/db"];
    let file = printed(&arguments);
    assert!(!file.contains("secret") && file.contains("\n# store =\n"), "{file}");
    let json: Value = serde_json::from_str(&printed(&[&arguments[..], &["--json"]].concat())).unwrap();
    assert_eq!(json["store"], Value::Null);
    let file = printed(&["serve", "--print-config", "--store", "postgres://me@host/db"]);
    assert!(file.contains("\nstore = \"postgres://me@host/db\"\n"), "{file}");
}

fn printed(args: &[&str]) -> String {
    let output = lastnim(args).output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{args:?}");
    text(&output.stdout).to_owned()
}

#[test]
fn printed_settings_can_be_read_back() {
    let file = env::temp_dir().join(format!("lastnim-settings-{}.toml", process::id()));
    let path = file.to_str().unwrap();
    let print = |flags: &[&str]| printed(&[&["serve", "--print-config"], flags].concat());
    for given in
        [&[][..], &["--private", "--threads", "2", "--sessions", "7", "--idle-messages-per-second", "0"]]
    {
        let settings = print(given);
        fs::write(&file, &settings).unwrap();
        assert_eq!(print(&["--config", path]), settings);
        let has = |line: &str| settings.lines().any(|other| other == line);
        let is_given = !given.is_empty();
        assert_eq!([has("private = true"), has("private = false")], [is_given, !is_given]);
        assert_eq!([has("threads = 2"), has("# threads =")], [is_given, !is_given]);
        assert_eq!(has("idle_messages_per_second = 0"), is_given);
    }
    let overridden = print(&["--config", path, "--private=false", "--sessions", "8"]);
    assert!(overridden.contains("\nprivate = false\n") && overridden.contains("\nsessions = 8\n"));
    assert!(overridden.contains("\nthreads = 2\n"), "{overridden}");
    let mut serve = lastnim(&["serve", "--print-config", "--config", path]);
    let output = serve.env("LASTNIM_STORE", "memory").output().unwrap();
    assert!(text(&output.stdout).contains("\nstore = \"memory\"\n"), "the environment overrides the file");
    fs::remove_file(file).unwrap();
}

#[test]
fn unusable_server_settings_are_refused() {
    let flags =
        ["sessions", "bots", "open-matches", "tournaments", "connections", "idle-message-burst", "threads"];
    for flag in flags {
        let why = refusal(&mut lastnim(&["serve", "--print-config", &format!("--{flag}"), "0"]));
        assert!(why.contains(flag) && why.contains("0 is not a whole number from 1 to "), "{why}");
    }
}

#[test]
fn without_a_command_the_help_is_shown() {
    let output = lastnim(&[]).output().unwrap();
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
    assert_eq!(text(&output.stderr), printed(&["--help"]));
}

/// Returns the commands that a help page lists.
fn commands(help: &str) -> Vec<&str> {
    let (lists, _) = help.split_once("\nExamples:").unwrap_or((help, ""));
    let sections = lists.split("\n\n").filter(|section| {
        ["Commands:\n", "Play:\n", "Organise:\n", "Study:\n", "Set up:\n"]
            .iter()
            .any(|heading| section.starts_with(heading))
    });
    let lines = sections.flat_map(|section| section.lines().skip(1)).filter(|line| !line.starts_with("   "));
    lines.filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn every_help_page_follows_the_same_form() {
    let mut pages = vec![Vec::<String>::new()];
    let mut seen = 0;
    while let Some(path) = pages.pop() {
        let page: Vec<_> = path.iter().map(String::as_str).collect();
        let help = printed(&[&page[..], &["--help"]].concat());
        for line in help.lines().take_while(|line| !line.starts_with("Example")) {
            let text = line.trim_start();
            assert!(!text.starts_with("Print ") && !line.contains("  Print "), "{page:?}: {line}");
        }
        let summary = printed(&[&page[..], &["-h"]].concat());
        for line in summary.lines().take_while(|line| !line.starts_with("Example")) {
            assert!(!line.ends_with('.') || line.ends_with("..."), "{page:?}: {line}");
        }
        let first = help.lines().next().unwrap();
        let verb = first.split(' ').next().unwrap();
        assert!(page.is_empty() || verb.trim_end_matches([',', ':']).ends_with('s'), "{page:?}: {first}");
        assert!(!first.ends_with('.'), "{page:?}: {first}");
        if help.contains("--server <") {
            let (_, last) = help.split_once("\nServer and output:\n").unwrap_or_else(|| panic!("{help}"));
            assert!(last.contains("--server <") && last.contains("--token <"), "{page:?}: {last}");
        }
        for command in commands(&help) {
            pages.push([&path[..], &[command.to_owned()]].concat());
        }
        seen += 1;
    }
    assert!(seen > 40, "{seen} pages");
}

/// Returns text without line breaks and without the parts in brackets.
fn plain_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.split(" (")
        .enumerate()
        .map(|(index, part)| match part.split_once(')') {
            Some((_, rest)) if index > 0 => rest,
            _ => part,
        })
        .collect()
}

#[test]
fn help_and_manual_list_all_house_bots() {
    let patterns = HouseBot::EXAMPLES.map(HouseBot::name_pattern);
    let [before @ .., last] = patterns;
    let known = format!("{} or {last}", before.join(", "));
    for command in [&["bot", "run"][..], &["serve"]] {
        let output = lastnim(&[command, &["--help"]].concat()).output().unwrap();
        let help = plain_line(text(&output.stdout));
        assert!(help.contains(&known), "{command} --help does not list {known}", command = command.join(" "));
    }
    let page = include_str!("../../docs/reference/settings.md").replace('`', "");
    assert!(
        page.contains(&format!(": {known}, such as")),
        "docs/reference/settings.md does not list {known}"
    );
}

#[test]
fn flags_that_a_house_bot_does_not_use_are_refused() {
    let bot = ["bot", "run", "greedy", "--token", "unused"];
    let why = refusal(&mut lastnim(&[&bot[..], &["--seed", "3"]].concat()));
    assert_eq!(why, "--seed: greedy makes no random choices: leave out --seed");
}
