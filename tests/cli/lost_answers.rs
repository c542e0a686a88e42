//! Commands whose call is carried out, but whose answer is lost.

use super::{
    child::{LONG, Process, json, text},
    lossy_proxy::LossyProxy,
    running_server::RunningServer,
};
use std::{
    process::Command,
    thread,
    time::{Duration, Instant},
};

const ADMIN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";

fn command(server: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
    command.args(arguments).envs([("LASTNIM_SERVER", server), ("LASTNIM_ADMIN_TOKEN", ADMIN)]);
    command
}

fn printed(server: &str, arguments: &[&str]) -> String {
    let output = Process::start(&mut command(server, arguments)).finish(b"");
    assert!(output.status.success(), "{arguments:?}: {}", text(output.stderr));
    text(output.stdout).trim().to_owned()
}

/// Returns the members `key` of the items that a command lists.
fn list_ids(server: &str, group: &str, list: &str, key: &str) -> Vec<String> {
    let found = json(&printed(server, &[group, "list", "--json"]));
    let items = found[list].as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item[key].as_str().unwrap().to_owned()).collect()
}

#[test]
fn commands_that_create_something_repeat_their_call_once_the_answer_is_lost() {
    let server = RunningServer::start(ADMIN, |command| {
        command.args(["--house", "oracle,greedy"]);
    });
    let cases: [(&[&str], [&str; 3]); 3] = [
        (&["tournament", "create", "--seats", "2", "--piles", "3,4"], ["tournament", "tournaments", "id"]),
        (&["match", "create", "--bots", "oracle,greedy", "--piles", "3"], ["match", "matches", "id"]),
        (&["bot", "register", "ann"], ["bot", "bots", "name"]),
    ];
    for (arguments, [group, list, key]) in cases {
        let before = list_ids(&server.address, group, list, key);
        let proxy = LossyProxy::start(&server.address);
        let creating = Process::start(&mut command(&proxy.address, arguments));
        let began = Instant::now();
        while list_ids(&server.address, group, list, key).len() == before.len() {
            assert!(began.elapsed() < LONG, "{arguments:?} creates nothing");
            thread::sleep(Duration::from_millis(20));
        }
        proxy.recover();
        let output = creating.finish(b"");
        let (printed_text, notes) = (text(output.stdout), text(output.stderr));
        assert!(output.status.success() && notes.contains("repeating the call"), "{notes}");
        let mut after = list_ids(&server.address, group, list, key);
        assert_eq!(after.len(), before.len() + 1, "{arguments:?} creates one");
        after.retain(|item| !before.contains(item));
        if group == "bot" {
            let token = printed_text.trim();
            printed(&server.address, &["bot", "rotate", "ann", "--token", token]);
        } else {
            assert!(printed_text.contains(&after[0]), "{printed_text}");
        }
    }
}
