//! Runs the examples of the help in order on a server.

use super::super::child::Process;
use super::{LASTNIM, Server};
use std::{env, fs, io::Write as _, os::unix::fs::OpenOptionsExt as _, path::Path, process::Command};

/// Runs the examples of help pages, and returns those that it leaves out because they would not end.
fn run_examples(pages: &[&[&str]]) -> Vec<String> {
    let server = Server::with_flags(&["--house", "oracle,traitor"]);
    let played = server.play_out(["random", "greedy"]);
    let (game, _) = server.matches(&played)[0].clone();
    let partner = server.word(&["bot", "register", "partner"]);
    server.word(&["bot", "register", "dave"]);
    let directory = Path::new(LASTNIM).parent().unwrap();
    let path = env::split_paths(&env::var_os("PATH").unwrap()).collect::<Vec<_>>();
    let path = env::join_paths([directory.to_owned()].into_iter().chain(path)).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples");
    // An earlier run may have left one, with records of another server.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    // Help pages that register no bot refer to bots that other pages register.
    let alice = (!pages.contains(&&["bot", "register"][..]) && pages.len() > 1).then(|| {
        server.word(&["bot", "register", "bob"]);
        server.word(&["bot", "register", "alice"])
    });
    if let Some(alice) = &alice {
        let mut options = fs::File::options();
        let mut file =
            options.write(true).create_new(true).mode(0o600).open(folder.join("alice.token")).unwrap();
        writeln!(file, "{alice}").unwrap();
    }
    let mut left_out = Vec::new();
    for page in pages {
        let help = server.printed(&[page, &["--help"][..]].concat());
        let (_, examples) = help.split_once("Example").unwrap_or_else(|| panic!("no example in {help}"));
        let examples = examples.lines().skip(1).take_while(|line| line.starts_with("  ")).map(str::trim);
        for example in examples {
            if example.contains("lastnim serve") {
                left_out.push(example.to_owned());
                continue;
            }
            if ["tournament run", ".toml", "mine.py", "--model", "--transcript", "http.server"]
                .iter()
                .any(|word| example.contains(word))
            {
                // It needs a file or a language model, starts a server, or refers to a run that did.
                continue;
            }
            // Commands that end or start a tournament need one that has not ended or started; bots need one that
            // starts when they join.
            let fresh = || {
                server.word(&["tournament", "create", "--seats", "2", "--piles", "2", "--start-when", "2"])
            };
            let mut opponent = None;
            let id = if ["cancel", "join", "leave", "--code", "entry-code"]
                .iter()
                .any(|word| example.contains(word))
            {
                fresh()
            } else if example.contains("lastnim bot run ") && !example.contains("--practice") {
                let id = fresh();
                opponent =
                    Some(server.begin(&["bot", "run", "timid", "--token", &partner, "--tournament", &id]));
                id
            } else {
                played.clone()
            };
            let mut command = Command::new("sh");
            // On a busy machine, a server reports that it stood still; the example is not at fault.
            command.env("LASTNIM_LOG", "error");
            server.set_server_variables(command.args(["-c", example]));
            if example.contains("--practice") {
                command.env("LASTNIM_TOKEN", alice.as_deref().unwrap());
            }
            if example.contains("$TOKEN") {
                let name = format!("player-{}", &id[id.len() - 12..]);
                command.env("TOKEN", server.word(&["bot", "register", &name]));
            }
            if example.contains("$CODE") {
                command.env("CODE", server.word(&["tournament", "entry-code", &id, "--replace"]));
            }
            command.env("PATH", &path).env("ID", &id).env("MATCH", &game);
            command.current_dir(&folder);
            let output = Process::start(&mut command).finish(b"");
            assert!(output.status.success() && output.stderr.is_empty(), "{example}: {output:?}");
            let silent =
                example.contains("=$(") || example.contains('>') || example.contains("--output record");
            assert!(silent || !output.stdout.is_empty(), "{example}");
            if let Some(opponent) = opponent {
                assert!(opponent.finish(b"").status.success(), "{example}");
            }
        }
    }
    left_out
}

#[test]
fn the_examples_of_the_help_work() {
    let left_out = run_examples(&[&[]]);
    assert!(left_out.is_empty(), "{left_out:?}");
    assert_eq!(run_examples(&[&["bot", "register"]]).len(), 0);
    let left_out = run_examples(&[
        &["bot", "run"],
        &["bot", "list"],
        &["bot", "show"],
        &["tournament"],
        &["tournament", "create"],
        &["tournament", "join"],
        &["tournament", "leave"],
        &["tournament", "cancel"],
        &["tournament", "show"],
        &["tournament", "list"],
        &["tournament", "standings"],
        &["tournament", "watch"],
        &["match"],
        &["match", "create"],
        &["match", "show"],
        &["match", "watch"],
        &["match", "list"],
        &["record", "get"],
        &["record"],
        &["record", "list"],
        &["record", "export"],
        &["record", "key"],
        // A later page verifies this card and this site.
        &["check", "benchmark"],
        &["tournament", "export-site"],
        &["record", "verify"],
        &["record", "replay"],
        &["record", "tables"],
        &["audit", "match"],
        &["record", "standings"],
    ]);
    assert!(left_out.is_empty(), "{left_out:?}");
}
