//! `lastnim store`.

use crate::{
    server::{KEY, Ward, read_lines},
    terminal::{Terminal, assert_all_shown},
};

#[test]
fn a_store_is_measured_checked_and_backed_up() {
    let mut terminal = Terminal::live();
    terminal.write("lastnim.key", KEY);
    terminal.write("text", "no database\n");
    let (_server, mut output) = Ward::start(&terminal, &["serve", "--listen", "127.0.0.1:0", "--json"]);
    read_lines(&mut output, 1);
    // The size of an empty database does not matter here.
    let sized =
        "sed -e 's/[0-9.]* MiB/N MiB/' -e 's/[0-9]* bytes/N bytes/' -e 's/bytes\":[0-9]*/bytes\":0/g'";
    terminal.run_all(&[
        &format!("lastnim store stats | {sized}"),
        &format!("lastnim store stats --json | {sized}"),
        "lastnim store check",
        "lastnim store check --json",
        &format!("lastnim store backup copy.db | {sized}"),
        &format!("lastnim store backup other.db --json | {sized}"),
        "lastnim store check --store sqlite:copy.db",
        "lastnim store backup copy.db",
        "lastnim store backup no/such/folder/copy.db",
        "lastnim store backup copy.db/..",
        "lastnim store check --store sqlite:text",
        "lastnim store backup copy-of-text.db --store sqlite:text; ls copy-of-text.db",
        "ls -a | grep part",
    ]);
    terminal.assert_shown("store", "store");
}

#[test]
fn invalid_stores_are_refused() {
    let lines = [
        "lastnim store stats",
        "lastnim store check --store sqlite:nowhere/lastnim.db --json",
        "lastnim store stats --store memory",
        "lastnim store backup backup.db --store memory",
        "lastnim store check --store oracle",
        "lastnim store check --store postgres://nobody@127.0.0.1:1/nothing",
        "lastnim store backup backup.db --store postgres://me:secret@host/db",
        "LASTNIM_STORE=postgres://me:secret@host/db lastnim store backup \"it's.dump\" --json",
        "lastnim store backup",
        "lastnim store prune",
        "lastnim store prune --keep 0",
        "lastnim store prune --keep 5",
        "lastnim store prune --older-than 30 --store memory",
    ];
    assert_all_shown("store", "refused", &lines);
}
