//! The errors of every command that talks to a server, without a server and when the server refuses.

use crate::{
    server::{PLAYED, Server},
    terminal::assert_all_shown,
};

/// An id that does not exist.
const NOBODY: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

#[test]
fn an_unreachable_server_is_reported() {
    let lines = [
        "lastnim record key --server 127.0.0.1:1",
        "lastnim bot register alice --server http://127.0.0.1:1",
        "lastnim audit field --server 127.0.0.1:1",
        "lastnim record key --server nowhere",
        "lastnim record key --server ftp://127.0.0.1:1",
        "LASTNIM_SERVER=nowhere lastnim match list",
        "lastnim record key --server 127.0.0.1:1 --json",
    ];
    assert_all_shown("refusals", "unreachable", &lines);
}

#[test]
fn unusable_certificate_authorities_are_refused() {
    let lines = [
        "lastnim record key --server https://127.0.0.1:1 --ca no-such-file",
        "lastnim record key --server https://127.0.0.1:1 --ca /dev/null",
        "lastnim record key --server 127.0.0.1:1 --ca no-such-file",
    ];
    assert_all_shown("refusals", "authorities", &lines);
}

#[test]
fn insufficient_tokens_are_refused() {
    let server = Server::with_flags(&["--private"]);
    let mut terminal = server.terminal();
    let token = terminal.quietly("lastnim bot register alice");
    terminal.set("ALICE", &token);
    let lines = [
        "lastnim bot register bob --token wrong",
        "lastnim bot register bob --token 'two words'",
        "lastnim bot register bob --token $ALICE",
        "lastnim bot register bob --token ''",
        "lastnim bot remove alice --token $ALICE",
        "lastnim tournament create --seats 2 --piles 3 --token $ALICE",
        "lastnim match list --token $ALICE",
        "lastnim match list --token ''",
        "lastnim record list --token wrong",
        "lastnim bot run greedy",
        "lastnim bot run greedy --token wrong",
        "lastnim bot run greedy --token $LASTNIM_ADMIN_TOKEN",
    ];
    terminal.run_all(&lines).assert_shown("refusals", "tokens");
}

#[test]
fn unknown_ids_and_names_are_reported() {
    let mut terminal = PLAYED.terminal();
    terminal.set("NOBODY", NOBODY);
    let lines = [
        "lastnim tournament show $NOBODY",
        "lastnim tournament show $NOBODY --json",
        "lastnim tournament standings $NOBODY",
        "lastnim tournament watch $NOBODY",
        "lastnim tournament start $NOBODY",
        "lastnim tournament cancel $NOBODY",
        "lastnim tournament join $NOBODY --bot greedy",
        "lastnim tournament leave $NOBODY --bot greedy",
        "lastnim tournament show x",
        "lastnim tournament show x --json",
        "lastnim match show $NOBODY",
        "lastnim match watch $NOBODY",
        "lastnim match show $CUP",
        "lastnim match list --tournament $NOBODY",
        "lastnim match list --bot nobody",
        "lastnim record get $NOBODY",
        "lastnim record get x",
        "lastnim record list --bot nobody",
        "lastnim record export --tournament $NOBODY --dir records",
        "lastnim record tables --format csv --bot nobody --output tables",
        "lastnim audit bot nobody",
        "lastnim audit bot greedy --tournament $NOBODY",
    ];
    terminal.run_all(&lines).assert_shown("refusals", "unknown");
}
