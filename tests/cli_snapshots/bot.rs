//! `lastnim bot`: what each house bot prints about its matches.

use crate::{
    server::{PATIENT, Server},
    terminal::assert_all_shown,
};

/// The basic house bots, with their flags.
const HOUSE_BOTS: [(&str, &str); 6] =
    [("random", " --seed 7"), ("greedy", ""), ("timid", ""), ("oracle", ""), ("loyal", ""), ("traitor", "")];

#[test]
fn every_house_bot_reports_its_matches() {
    let server = Server::start();
    // It joins first, so each tournament begins once the other bot is connected.
    let _rival = server.house_bot("rival", &["timid"]);
    for (kind, flags) in HOUSE_BOTS {
        let mut terminal = server.terminal();
        for (name, form) in [(kind.to_owned(), ""), (format!("{kind}-2"), " --json")] {
            let token = terminal.quietly(&format!("lastnim bot register {name}"));
            terminal.set("LASTNIM_TOKEN", &token);
            let create = "lastnim tournament create --seats 2 --piles 3,4 --start-when 2 --concurrency 1";
            let id = terminal.quietly(&format!("{create} {PATIENT}"));
            terminal.set("ID", &id);
            terminal.quietly("lastnim tournament join $ID --bot rival");
            terminal.run(&format!("lastnim bot run {kind} --tournament $ID{flags}{form}"));
        }
        terminal.assert_shown("bot", kind);
    }
}

#[test]
fn a_bot_says_its_version() {
    let server = Server::start();
    let _rival = server.house_bot("rival", &["timid"]);
    let mut terminal = server.terminal();
    let token = terminal.quietly("lastnim bot register alice");
    terminal.set("LASTNIM_TOKEN", &token);
    let create = "lastnim tournament create --seats 2 --piles 3,4 --start-when 2 --concurrency 1";
    for version in ["1.4", "1.5"] {
        let id = terminal.quietly(&format!("{create} {PATIENT}"));
        terminal.set("ID", &id);
        terminal.quietly("lastnim tournament join $ID --bot rival");
        let hash = "07".repeat(32);
        let said = format!("--bot-version {version} --config-hash {hash}");
        terminal.quietly(&format!("lastnim bot run greedy --tournament $ID {said}"));
    }
    let found = terminal.quietly("lastnim match list --tournament $ID --limit 1 --json");
    let (_, found) = found.split_once("\"id\":\"").unwrap();
    terminal.set("MATCH", found.split_once('"').unwrap().0);
    let lines = [
        "lastnim match show $MATCH",
        "lastnim tournament standings $ID",
        "lastnim audit bot alice | head -n 4",
        "lastnim audit bot alice --bot-version 1.4 | head -n 4",
        "lastnim audit bot alice --bot-version 1.3",
        "lastnim audit bot alice --bot-version 1.4 records.json",
        "lastnim audit field --bot-version 1.4",
    ];
    terminal.run_all(&lines).assert_shown("bot", "version");
}

#[test]
fn unknown_house_bots_are_named() {
    let lines = [
        "lastnim bot run",
        "lastnim bot run gready --token x",
        "lastnim bot run minimax-9 --token x",
        "lastnim bot run epsilon-2 --token x",
        "lastnim bot run mcts-0 --token x",
        "lastnim bot run greedy",
        "lastnim bot run greedy --token x --seed 3",
        "lastnim bot run greedy --token x --bot-version 'one two'",
        "lastnim bot run greedy --token x --config-hash 07",
        "lastnim bot run random --token x --seed x",
        "lastnim bot run random --token x --server nowhere",
    ];
    assert_all_shown("bot", "errors", &lines);
}

#[test]
fn a_bot_reports_tournaments_that_it_cannot_join() {
    let server = Server::start();
    let mut terminal = server.terminal();
    let token = terminal.quietly("lastnim bot register alice");
    terminal.set("LASTNIM_TOKEN", &token);
    terminal.set("NOBODY", "01890a5d-ac96-774b-bcce-b302099a8057");
    let id = terminal.quietly("lastnim tournament create --seats 2 --piles 3");
    terminal.set("ID", &id);
    // Whether it is still listed as connected depends on timing.
    let lines = [
        "lastnim tournament cancel $ID",
        "lastnim bot run greedy --tournament $ID > said",
        "lastnim bot run greedy --tournament $NOBODY > said",
        "lastnim bot run greedy --tournament x > said",
        "lastnim bot run random --tournament $NOBODY > said",
    ];
    terminal.run_all(&lines).assert_shown("bot", "refused");
}
