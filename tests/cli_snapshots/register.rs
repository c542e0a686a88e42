//! `lastnim register` and `lastnim unregister`.

use crate::server::{PLAYED, Server};

#[test]
fn bots_come_and_go() {
    let server = Server::start();
    let mut terminal = server.terminal();
    terminal.run_all(&["lastnim register alice", "lastnim register bob --json", "lastnim unregister alice"]);
    terminal.run_all(&["lastnim unregister alice", "lastnim register alice"]);
    terminal.is_snapshot("register", "bots");
}

#[test]
fn what_is_no_bot_is_named() {
    let lines = [
        "lastnim register",
        "lastnim register Alice",
        "lastnim register -- -alice",
        "lastnim register alice bob",
        "lastnim register greedy",
        "lastnim unregister",
        "lastnim unregister nobody",
        "lastnim unregister greedy",
        "LASTNIM_ADMIN_TOKEN= lastnim register dora",
        "LASTNIM_ADMIN_TOKEN= lastnim unregister greedy",
    ];
    PLAYED.terminal().run_all(&lines).is_snapshot("register", "errors");
}
