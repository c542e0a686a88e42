//! `lastnim bots`, `lastnim register` and `lastnim unregister`.

use crate::server::{PATIENT, PLAYED, Server};

#[test]
fn bots_come_and_go() {
    let server = Server::start();
    let mut terminal = server.terminal();
    let lines = [
        "lastnim bots add alice",
        "lastnim bots add bob --json",
        "lastnim bots rotate alice",
        "lastnim bots rotate bob --json",
        "lastnim bots list",
        "lastnim bots list --most 1",
        "lastnim bots list --page-token alice --json",
        "lastnim bots list --csv",
        "lastnim bots show alice",
        "lastnim bots show alice --json",
        "lastnim bots remove alice",
        "lastnim bots remove bob --json",
        "lastnim bots list",
        "lastnim bots list --json",
        "lastnim register alice",
        "lastnim register bob --json",
        "lastnim unregister alice",
        "lastnim unregister alice",
        "lastnim register alice",
    ];
    terminal.run_all(&lines).is_snapshot("bots", "bots");
}

#[test]
fn a_bot_replaces_its_own_token() {
    let server = Server::start();
    let mut terminal = server.terminal();
    let token = terminal.quietly("lastnim bots add alice");
    terminal.set("ALICE", &token);
    let lines = [
        "lastnim bots rotate --token $ALICE > new",
        "lastnim bots rotate --token $ALICE",
        "lastnim bots rotate alice --token $(cat new) | wc -l",
        "lastnim bots rotate",
    ];
    terminal.run_all(&lines).is_snapshot("bots", "rotate");
}

#[test]
fn sessions_and_lost_seats_are_shown() {
    let server = Server::start();
    let _greedy = server.house_bot("greedy", &["greedy", "--bot-version", "1.4"]);
    let mut terminal = server.terminal();
    terminal.quietly("lastnim bots add absent");
    let create = "lastnim match create --bots absent,greedy --piles 3";
    terminal.quietly(&format!("{create} --declaration-ms 2000 --initial-ms 2000 --watch"));
    let open = terminal.quietly(&format!("{create} {PATIENT}"));
    terminal.set("OPEN", &open);
    let lines = [
        "lastnim bots list --csv | cut -d , -f 1-3,5-",
        "lastnim bots show greedy | grep -v ^lag",
        "lastnim bots show absent",
        "lastnim bots show absent --json",
    ];
    terminal.run_all(&lines).is_snapshot("bots", "sessions");
}

#[test]
fn what_is_no_bot_is_named() {
    let lines = [
        "lastnim bots add",
        "lastnim bots add Alice",
        "lastnim register -- -alice",
        "lastnim register alice bob",
        "lastnim register greedy",
        "lastnim bots list --most 0",
        "lastnim bots list --page-token 'x y'",
        "lastnim bots show",
        "lastnim bots show greddy",
        "lastnim bots show nobody",
        "lastnim bots rotate greddy",
        "lastnim unregister",
        "lastnim unregister nobody",
        "lastnim bots remove greedy",
        "LASTNIM_ADMIN_TOKEN= lastnim register dora",
        "LASTNIM_ADMIN_TOKEN= lastnim bots rotate greedy",
        "LASTNIM_ADMIN_TOKEN= lastnim unregister greedy",
    ];
    PLAYED.terminal().run_all(&lines).is_snapshot("bots", "errors");
}
