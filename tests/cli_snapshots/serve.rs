//! `lastnim serve`.

use crate::{
    server::{ADMIN, KEY, Ward, read_lines},
    terminal::{Terminal, assert_all_shown},
};

#[test]
fn settings_are_printed() {
    assert_all_shown("serve", "print_config", &["lastnim serve --print-config"]);
    assert_all_shown("serve", "print_config_json", &["lastnim serve --print-config --json"]);
    let flags = "--private --open-registration --threads 2 --store postgres://me:secret@host/db --durability match \
                 --trusted-proxy 10.0.0.0/8 --trusted-proxy ::1 --key other.key";
    let line = format!("lastnim serve --print-config {flags} | grep -v -e '^# .* ' -e _ms -e _bytes -e '^$'");
    assert_all_shown("serve", "print_config_of_flags", &[&line]);
}

#[test]
fn files_of_settings_are_read() {
    let mut terminal = Terminal::offline();
    terminal.write("serve.toml", "sessions = 7\nprivate = true\nthreads = 2\n");
    terminal.write(
        "wrong.toml",
        "sesions = 7\nbots = 0\nprivate = \"yes\"\n\nstore = \"mysql://me:secret@host/db\"\n",
    );
    let grep = "| grep -e '^sessions' -e '^private' -e '^threads'";
    terminal.run_all(&[
        &format!("lastnim serve --config serve.toml --print-config {grep}"),
        &format!("lastnim serve --config serve.toml --private=false --sessions 8 --print-config {grep}"),
        "cat -n wrong.toml; lastnim serve --config wrong.toml",
        "lastnim serve --config wrong.toml --json",
        "lastnim serve --config no-such-file",
    ]);
    terminal.assert_shown("serve", "config_file");
}

/// Starts a server with a command line, shows the line with the first output, and stops the server.
fn show_opening(terminal: &mut Terminal, line: &str, lines: usize) {
    let args: Vec<&str> = line.split(' ').skip(1).collect();
    let (_server, mut output) = Ward::start(terminal, &args);
    let opening = read_lines(&mut output, lines);
    terminal.show(line, &opening);
}

#[test]
fn a_server_prints_its_address() {
    let mut terminal = Terminal::live();
    terminal.write("lastnim.key", KEY);
    show_opening(&mut terminal, "lastnim serve --listen 127.0.0.1:0 --store memory", 5);
    terminal.set("LASTNIM_ADMIN_TOKEN", ADMIN);
    show_opening(&mut terminal, "lastnim serve --listen 127.0.0.1:0", 3);
    show_opening(&mut terminal, "lastnim serve --listen 127.0.0.1:0 --json", 1);
    terminal.unset("LASTNIM_ADMIN_TOKEN");
    show_opening(&mut terminal, "lastnim serve --listen 127.0.0.1:0 --json", 1);
    terminal.assert_shown("serve", "opening");
}

#[test]
fn invalid_flags_are_refused() {
    let lines = [
        "lastnim serve --listen nowhere",
        "lastnim serve --listen 127.0.0.1",
        "lastnim serve --listen localhost:70000",
        "lastnim serve --store mysql://me:secret@host/db",
        "lastnim serve --store oracle",
        "lastnim serve --store ''",
        "lastnim serve --store memory --new-store",
        "lastnim serve --durability never",
        "lastnim serve --private=maybe",
        "lastnim serve --bots 0",
        "lastnim serve --bots -1",
        "lastnim serve --stranger-share 101",
        "lastnim serve --return-grace 1h1ms",
        "lastnim serve --ping-interval 5ms",
        "lastnim serve --trusted-proxy proxy",
        "lastnim serve --sesions 3",
        "LASTNIM_ADMIN_TOKEN=short lastnim serve",
        "LASTNIM_ADMIN_TOKEN='two words in one token' lastnim serve",
        "LASTNIM_VIEWER_TOKEN= lastnim serve",
        "lastnim serve --admin-token $(printf %064d 0)",
        "t=lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0; lastnim serve --admin-token $t --viewer-token $t",
        "lastnim serve --log loud",
        "LASTNIM_LOG=lastnim=loud lastnim serve",
        "lastnim serve --log-format xml",
    ];
    assert_all_shown("serve", "refused_flags", &lines);
}

#[test]
fn unusable_stores_keys_and_addresses_are_refused() {
    let mut terminal = Terminal::live();
    terminal.write("lastnim.key", KEY);
    terminal.write("text", "no database, and no key\n");
    let flags = ["--listen", "127.0.0.1:0", "--store", "sqlite:held.db", "--json"];
    let (held, mut output) = Ward::start(&terminal, &[&["serve"], &flags[..]].concat());
    let opening: serde_json::Value = serde_json::from_str(&read_lines(&mut output, 1)).unwrap();
    terminal.set("TAKEN", opening["listening"].as_str().unwrap());
    terminal.run_all(&[
        "lastnim serve --listen 127.0.0.1:0 --store sqlite:held.db",
        "lastnim serve --listen $TAKEN --store memory",
    ]);
    drop(held);
    terminal.run_all(&[
        "rm -f held.db held.db-*",
        "lastnim serve --listen 127.0.0.1:0 --store sqlite:held.db",
        "lastnim serve --listen 127.0.0.1:0 --store sqlite:text",
        "lastnim serve --listen 127.0.0.1:0 --store sqlite:no/such/folder/lastnim.db",
        "lastnim serve --listen 127.0.0.1:0 --store sqlite:other.db --key text",
        "lastnim serve --listen 127.0.0.1:0 --store sqlite:other.db --key no/such/folder/lastnim.key",
        "lastnim serve --listen 127.0.0.1:0 --store postgres://nobody@127.0.0.1:1/nothing",
    ]);
    terminal.assert_shown("serve", "unusable");
}
