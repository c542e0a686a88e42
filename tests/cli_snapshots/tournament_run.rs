//! `lastnim tournament run`.

use crate::terminal::Terminal;

const CUP: &str = "title = \"Small\"\nseats = 2\nseed = 3\nconcurrency = 1\n\
     clock = \"10m\"\ndeclare_within = \"10m\"\npositions = { list = [[3, 4, 5], [2, 2]] }\n\
     [[bot]]\nname = \"first\"\nhouse = \"oracle\"\n[[bot]]\nname = \"second\"\nhouse = \"random\"\nseed = 7\n";

fn with_cup() -> Terminal {
    let terminal = Terminal::live();
    terminal.write("cup.toml", CUP);
    terminal.write("loud.toml", &(CUP.to_owned() + "[[bot]]\nname = \"mine\"\ncommand = [\"./gone.py\"]\n"));
    terminal
}

#[test]
fn a_tournament_is_run_from_its_file() {
    // On a busy machine it also says which bots it waits for, and its progress.
    let told = "2>&1 | grep -v -e '^waiting for' -e '; 1 '";
    let lines = [
        &format!("lastnim tournament run cup.toml {told}"),
        &format!("lastnim tournament run cup.toml {told}"),
        // The field is in the order in which the bots joined, which varies.
        "lastnim tournament run cup.toml --fresh --json 2> told | sed 's/\"field\":[^]]*/\"field\":[/'",
        "ls cup.run",
        "sed -i 's/seed = 3/seed = 4/' cup.toml",
        "lastnim tournament run cup.toml",
    ];
    with_cup().run_all(&lines).assert_shown("tournament_run", "run");
}

#[test]
fn invalid_runs_are_refused() {
    let lines = [
        "lastnim tournament run no-such-file",
        "lastnim tournament run loud.toml",
        "lastnim tournament run cup.toml --server 127.0.0.1:1",
        "lastnim tournament run cup.toml --server 127.0.0.1:1 --listen 127.0.0.1:0",
        "lastnim tournament run cup.toml --listen nowhere",
        "lastnim tournament run",
        "rm -r cup.run; mkdir cup.run; touch cup.run/lastnim.db",
        "lastnim tournament run cup.toml",
    ];
    with_cup().run_all(&lines).assert_shown("tournament_run", "errors");
}
