//! `lastnim bot register`, `list`, `show`, `rotate` and `remove`.

use crate::server::{PATIENT, PLAYED, Server};

#[test]
fn bots_are_registered_listed_and_removed() {
    let server = Server::start();
    let mut terminal = server.terminal();
    let lines = [
        "lastnim bot register alice --link 'javascript:alert(1)'",
        "lastnim bot register alice --team Nimbers --author 'Ada L.' --link https://example.org/alice",
        "lastnim bot register bob --json",
        "lastnim bot rotate alice",
        "lastnim bot rotate bob --json",
        "lastnim bot list",
        "lastnim bot list --limit 1",
        "lastnim bot list --page-token alice --json",
        "lastnim bot list --csv",
        "lastnim bot show alice",
        "lastnim bot show alice --json",
        "lastnim bot remove alice",
        "lastnim bot remove bob --json",
        "lastnim bot list",
        "lastnim bot list --json",
        "lastnim bot register alice",
        "lastnim bot register bob --json",
        "lastnim bot remove alice",
        "lastnim bot remove alice",
        "lastnim bot register alice",
    ];
    terminal.run_all(&lines).assert_shown("bots", "bots");
}

#[test]
fn a_bot_replaces_its_own_token() {
    let server = Server::start();
    let mut terminal = server.terminal();
    let token = terminal.quietly("lastnim bot register alice");
    terminal.set("ALICE", &token);
    let lines = [
        "lastnim bot rotate --token $ALICE > new",
        "lastnim bot rotate --token $ALICE",
        "lastnim bot rotate alice --token $(cat new) | wc -l",
        "lastnim bot rotate",
    ];
    terminal.run_all(&lines).assert_shown("bots", "rotate");
}

#[test]
fn sessions_and_lost_seats_are_shown() {
    let server = Server::start();
    let _greedy = server.house_bot("greedy", &["greedy", "--bot-version", "1.4"]);
    let mut terminal = server.terminal();
    terminal.quietly("lastnim bot register absent");
    let create = "lastnim match create --bots absent,greedy --piles 3";
    terminal.quietly(&format!("{create} --declare-within 2s --clock 2s --watch"));
    let open = terminal.quietly(&format!("{create} {PATIENT}"));
    terminal.set("OPEN", &open);
    let lines = [
        "lastnim bot list --csv | cut -d , -f 1-3,5-",
        "lastnim bot show greedy | grep -v ^lag",
        "lastnim bot show absent",
        "lastnim bot show absent --json",
    ];
    terminal.run_all(&lines).assert_shown("bots", "sessions");
}

#[test]
fn unknown_bots_are_named() {
    let lines = [
        "lastnim bot register",
        "lastnim bot register Alice",
        "lastnim bot register -- -alice",
        "lastnim bot register alice bob",
        "lastnim bot register greedy",
        "lastnim bot list --limit 0",
        "lastnim bot list --page-token 'x y'",
        "lastnim bot show",
        "lastnim bot show greddy",
        "lastnim bot show nobody",
        "lastnim bot rotate greddy",
        "lastnim bot remove",
        "lastnim bot remove nobody",
        "lastnim bot remove greedy",
        "LASTNIM_ADMIN_TOKEN= lastnim bot register dora",
        "LASTNIM_ADMIN_TOKEN= lastnim bot rotate greedy",
        "LASTNIM_ADMIN_TOKEN= lastnim bot remove greedy",
    ];
    PLAYED.terminal().run_all(&lines).assert_shown("bots", "errors");
}
