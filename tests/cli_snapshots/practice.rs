//! House bots that the server hosts, and practice against them.

use crate::{server::Server, terminal::assert_all_shown};

#[test]
fn a_bot_practises() {
    let server = Server::with_flags(&["--house", "oracle,easy=timid"]);
    let mut terminal = server.terminal();
    terminal.quietly("(umask 077; for bot in alice bob; do lastnim bot register $bot > $bot.token; done)");
    for bot in ["easy", "oracle"] {
        terminal.quietly(&format!("until lastnim bot show {bot} | grep -q '^connected *since'; do :; done"));
    }
    let lines = [
        "lastnim bot show easy | grep -v ^lag",
        "lastnim bot list --csv | grep -v ^bob | cut -d , -f 1,5,6",
        "lastnim bot run greedy --token-file alice.token --practice",
        "lastnim bot run oracle --token-file bob.token --practice --against easy --piles 2,7 --rounds 2 --json",
        "lastnim match create --bots oracle,easy --piles 2,2 --alliance standard --watch | wc -l",
        "lastnim match create --bots alice,oracle --piles 3 --token-file alice.token | wc -l",
        "lastnim match create --bots oracle,me --piles 3 --token-file alice.token | wc -l",
        "lastnim match list --bot alice --limit 1 --csv | cut -d , -f 2-",
    ];
    terminal.run_all(&lines).assert_shown("practice", "practice");
}

#[test]
fn invalid_practice_is_refused() {
    let server =
        Server::with_flags(&["--house", "oracle", "--house=easy=timid", "--practice-matches-per-bot", "1"]);
    let mut terminal = server.terminal();
    terminal.quietly("(umask 077; lastnim bot register alice > alice.token); lastnim bot register bob");
    let lines = [
        "lastnim match create --bots alice,bob --piles 3 --token-file alice.token",
        "lastnim match create --bots oracle,easy --piles 3 --token-file alice.token --json",
        "lastnim match create --bots alice,oracle --piles 3 --token-file alice.token > id",
        "lastnim match create --bots alice,oracle --piles 3 --token-file alice.token",
        "lastnim match create --bots me,oracle --piles 3",
        "lastnim match create --bots me,oracle --piles 3 --token ''",
        "lastnim bot register oracle",
        "lastnim bot rotate oracle",
        "lastnim bot remove easy",
        "lastnim bot run greedy --practice --against bob --token-file alice.token > said",
    ];
    terminal.run_all(&lines).assert_shown("practice", "refused");
    let bare = Server::start();
    let mut terminal = bare.terminal();
    terminal.quietly("(umask 077; lastnim bot register alice > alice.token)");
    let lines = [
        "lastnim bot run greedy --practice --token-file alice.token > said",
        "lastnim match create --bots alice,oracle --piles 3 --token-file alice.token",
    ];
    terminal.run_all(&lines).assert_shown("practice", "bare");
}

#[test]
fn unknown_house_bots_are_named() {
    let lines = [
        "lastnim serve --house orakle",
        "lastnim serve --house oracle,No=timid",
        "lastnim serve --house oracle,easy=timid --print-config | grep '^house'",
        "echo 'house = [\"oracle\", \"x\"]' > serve.toml; lastnim serve --config serve.toml",
        "lastnim serve --store memory --listen 127.0.0.1:0 --house oracle,oracle > said",
        "lastnim bot run greedy --token x --practice --tournament x",
        "lastnim bot run greedy --token x --against oracle",
        "lastnim bot run greedy --token x --practice --rounds 0",
        "lastnim bot run greedy --token x --practice --piles x",
    ];
    assert_all_shown("practice", "errors", &lines);
}
