//! `lastnim login` and `lastnim logout`, and how commands find a server and a token.

use crate::{
    server::Server,
    terminal::{Terminal, assert_all_shown},
};

/// The file of credentials, in a terminal's folder.
const FILE: &str = ".config/lastnim/credentials.json";

/// Opens a terminal in which the admin has logged in; no flag or variable names the server.
fn logged_in(server: &Server) -> Terminal {
    let mut terminal = server.terminal();
    let token = terminal.quietly("lastnim bot register alice");
    terminal.quietly(&format!(
        "(umask 077; echo {token} > alice.token; echo $LASTNIM_ADMIN_TOKEN > admin.token)"
    ));
    terminal.set("FILE", FILE);
    terminal.run("lastnim login < admin.token");
    terminal.unset("LASTNIM_SERVER");
    terminal.unset("LASTNIM_ADMIN_TOKEN");
    terminal
}

#[test]
fn a_login_is_kept() {
    let server = Server::start();
    let mut terminal = logged_in(&server);
    let lines = [
        "stat -c '%a %n' .config/lastnim $FILE",
        "grep -c form $FILE",
        "lastnim bot register bob",
        "lastnim login --token-file alice.token",
        "lastnim bot register carol",
        "lastnim bot register carol --token-file admin.token",
        "LASTNIM_ADMIN_TOKEN_FILE=admin.token lastnim bot register dora",
        "LASTNIM_ADMIN_TOKEN=$(cat admin.token) lastnim bot register erin --token-file alice.token",
        "lastnim bot register erin --token ''",
        "lastnim bot register erin --token $(cat alice.token)",
        "lastnim record key --server 127.0.0.1:1",
        "lastnim bot rotate | lastnim login --json",
        "lastnim bot rotate alice > alice.token",
        "lastnim bot list",
        "lastnim logout --server 127.0.0.1:1",
        "lastnim logout",
        "ls $FILE",
        "lastnim logout --json",
        "lastnim login --server $SERVER --token-file alice.token > said",
        "lastnim logout --server $SERVER --json",
    ];
    terminal.set("SERVER", server.address());
    terminal.run_all(&lines).assert_shown("login", "kept");
}

#[test]
fn a_bot_plays_with_a_kept_token() {
    let server = Server::start();
    let mut terminal = logged_in(&server);
    let id = terminal.quietly("lastnim tournament create --seats 2 --piles 3");
    terminal.set("ID", &id);
    terminal.quietly("lastnim tournament cancel $ID");
    // Whether it is still listed as connected depends on timing.
    let lines = [
        "lastnim bot run greedy --tournament $ID > said",
        "lastnim bot run greedy --token-file alice.token --tournament $ID > said",
        "LASTNIM_TOKEN_FILE=alice.token lastnim bot run greedy --tournament $ID > said",
        "lastnim login --token-file alice.token",
        "lastnim bot run greedy --tournament $ID > said",
    ];
    terminal.run_all(&lines).assert_shown("login", "bot");
}

#[test]
fn credentials_that_cannot_be_used_are_named() {
    let server = Server::start();
    let mut terminal = logged_in(&server);
    let lines = [
        "chmod 644 $FILE; lastnim bot list",
        "chmod 600 $FILE; echo '{}' > $FILE; lastnim bot list",
        "lastnim login --token-file admin.token",
        "lastnim logout",
        "lastnim bot register bob --server 127.0.0.1:1 --token-file admin.token",
        "sed -i 's/.*/{\"form\":2,\"default_server\":null,\"servers\":{}}/' $FILE; lastnim bot list --json",
        "rm $FILE; mkdir $FILE; lastnim bot list",
        "HOME= lastnim login --token-file admin.token",
    ];
    terminal.run_all(&lines).assert_shown("login", "broken");
}

#[test]
fn malformed_tokens_are_named() {
    let server = Server::start();
    let mut terminal = server.terminal();
    let lines = [
        "lastnim login --token-file no-such-file",
        "echo one two > two; lastnim login --token-file two",
        "lastnim login < /dev/null",
        "lastnim login --token wrong",
        "lastnim login --token x --token-file y",
        "lastnim bot list --token-file /dev/null",
        "lastnim serve --admin-token-file no-such-file",
        "lastnim serve --admin-token-file two",
        "unset LASTNIM_ADMIN_TOKEN; echo short > short; lastnim serve --admin-token-file short",
        "ls .config",
    ];
    terminal.run_all(&lines).assert_shown("login", "tokens");
    assert_all_shown("login", "offline", &["lastnim login --server 127.0.0.1:1 --token x", "lastnim logout"]);
}
