//! `lastnim tournament`: created, joined, started, cancelled, shown, listed, watched.

use crate::server::{PLAYED, Server};

#[test]
fn tournaments_are_created_with_every_setting() {
    let server = Server::start();
    let creations = [
        "--seats 2 --piles 3,4,5",
        "--title Spring --seats 3 --piles 1,2,2 --piles '3 4 5' --start-when 3 --concurrency 5 --bot-concurrency 2",
        "--seats 3 --piles 4,3 --matrix '0 2 1; 0 1 2; 0 2 1' --ending last-mover-wins --scoring win",
        "--seats 2 --draw-positions 5 --draw-piles 2,3 --draw-counters 4,9 --alliance random --seed 7 --groups 3",
        "--seats 2 --paper-positions --alliance standard --strikes 5 --max-plies 100 --clock 500ms+0s \
          --lag-quota 10ms --lag-total 20ms --declare-within 700ms --return-within 300ms",
        "--seats 2 --piles 3 --start-at 2999-12-31T18:00:00+01:00 --entries-close-at 2999-12-31T16:30:00Z \
         --allow alice,team-*",
        "--seats 2 --piles 3 --format gauntlet --bot dora --groups 9",
        "--seats 2 --piles 3 --format swiss --rounds 5 --table-groups 2",
        "--seats 3 --piles 3 --format knockout --advance 2 --table-groups 3",
        "--seats 2 --piles 3 --format ladder --suspend-after 3",
        "--seats 2 --piles 3 --format sprt --candidate new --baseline old --measure points --effect-none 0.01 \
         --effect-some 0.1 --alpha 0.1 --beta 0.2 --groups 500",
    ];
    for (form, name) in [("", "created"), (" --json", "created_json")] {
        let mut terminal = server.terminal();
        for settings in creations {
            terminal.run(&format!(
                "ID=$(lastnim tournament create {settings}) && lastnim tournament show $ID{form}"
            ));
        }
        terminal.assert_shown("tournament", name);
    }
    let lines = [
        "lastnim tournament create --seats 2 --piles 3",
        "lastnim tournament create --seats 2 --piles 3 --json",
    ];
    server.terminal().run_all(&lines).assert_shown("tournament", "create");
}

#[test]
fn invalid_settings_are_refused() {
    let server = Server::start();
    let refused = [
        "",
        "--seats 2",
        "--seats 1 --piles 3",
        "--seats 33 --piles 3",
        "--seats two --piles 3",
        "--seats 2 --piles 3,x",
        "--seats 2 --piles 3,0",
        "--seats 2 --piles ''",
        "--seats 2 --piles 3 --title ''",
        "--seats 2 --piles 3 --matrix '0 1; 0 0' --strikes 101",
        "--seats 2 --piles 3 --matrix '0 1; 4294967296 0'",
        "--seats 2 --piles 3 --alliance given",
        "--seats 2 --piles 3 --alliance friendly",
        "--seats 2 --piles 3 --ending misere",
        "--seats 2 --piles 3 --scoring luck",
        "--seats 2 --piles 3 --paper-positions",
        "--seats 2 --piles 3 --draw-counters 1,2",
        "--seats 2 --draw-positions 0",
        "--seats 2 --draw-positions 5 --draw-piles 3",
        "--seats 2 --draw-positions 5 --draw-piles 3,2",
        "--seats 2 --piles 3 --concurrency 20000",
        "--seats 2 --piles 3 --start-when 1",
        "--seats 2 --piles 3 --start-at tomorrow",
        "--seats 2 --piles 3 --entries-close-at 2027-02-29T18:00:00Z",
        "--seats 2 --piles 3 --allow Alice,*-team",
        "--seats 2 --piles 3 --rounds 3",
        "--seats 2 --piles 3 --format swis",
        "--seats 2 --piles 3 --format swiss",
        "--seats 2 --piles 3 --format knockout --advance 2",
        "--seats 2 --piles 3 --format gauntlet",
        "--seats 2 --piles 3 --format gauntlet --bot Nobody",
        "--seats 2 --piles 3 --format sprt --candidate a --baseline a --effect-some 0.1 --groups 9",
        "--seats 2 --piles 3 --format sprt --candidate a --baseline b --effect-some 0 --groups 9",
        "--seats 2 --piles 3 --format sprt --candidate a --baseline b --effect-some 0.1 --alpha 0 --groups 9",
        "--seats 2 --piles 3 --format sprt --candidate a --baseline b --effect-some 0.1",
        "--seats 2 --draw-positions 5 --paper-positions",
        "--seats 2 --piles 3 --strikes 0",
        "--seats 2 --piles 3 --clock 0s",
        "--seats 2 --piles 3 --max-plies 65537",
    ];
    let mut terminal = server.terminal();
    for settings in refused {
        terminal.run(&format!("lastnim tournament create {settings}"));
    }
    terminal.assert_shown("tournament", "refused_settings");
}

#[test]
fn bots_join_and_leave() {
    let server = Server::start();
    let mut terminal = server.terminal();
    for (variable, name) in [("ALICE", "alice"), ("BOB", "bob"), ("CAROL", "carol")] {
        let token = terminal.quietly(&format!("lastnim bot register {name}"));
        terminal.set(variable, &token);
    }
    let id = terminal.quietly("lastnim tournament create --seats 2 --piles 3 --title Field --clock 10m");
    terminal.set("ID", &id);
    let lines = [
        "lastnim tournament join $ID --bot alice",
        "lastnim tournament join $ID --bot alice",
        "lastnim tournament join $ID --token $BOB",
        "lastnim tournament join $ID --bot carol --json",
        "lastnim tournament leave $ID --token $CAROL",
        "lastnim tournament leave $ID --bot carol",
        "lastnim tournament join $ID",
        "lastnim tournament join $ID --bot carla",
        "lastnim tournament join $ID --bot carol --token $BOB",
        "lastnim tournament leave $ID --bot alice --token $BOB",
        "lastnim tournament join $ID --bot Carol",
        "lastnim tournament leave $ID",
        "lastnim tournament start $ID --token $BOB",
        "lastnim tournament leave $ID --bot bob --json",
        "lastnim tournament start $ID",
        "lastnim tournament join $ID --bot bob",
        "lastnim tournament start $ID",
        "lastnim tournament start $ID",
        "lastnim tournament join $ID --bot carol",
        "lastnim tournament leave $ID --bot bob",
        "lastnim bot remove bob",
        "lastnim tournament cancel $ID",
        "lastnim tournament cancel $ID",
        "lastnim tournament start $ID",
        "lastnim tournament show $ID",
    ];
    terminal.run_all(&lines).assert_shown("tournament", "joining");
}

#[test]
fn entry_codes_are_created_used_and_revoked() {
    let server = Server::start();
    let mut terminal = server.terminal();
    let id = terminal.quietly("lastnim tournament create --seats 2 --piles 3 --title Class");
    terminal.set("ID", &id);
    terminal.run_all(&[
        "lastnim tournament entry-code $ID",
        "lastnim tournament entry-code $ID --uses 2",
        "lastnim tournament entry-code $ID --uses 2 --replace --json",
        "lastnim tournament entry-code $ID --uses 0",
        "lastnim tournament entry-code $ID --uses 3 --revoke",
        "lastnim tournament entry-code $ID --revoke",
    ]);
    let code = terminal.quietly("lastnim tournament entry-code $ID --uses 2");
    terminal.set("CODE", &code);
    // A student has no token.
    terminal.unset("LASTNIM_ADMIN_TOKEN");
    terminal.run_all(&[
        "lastnim bot register alice --tournament $ID --code $CODE",
        "lastnim bot register alice --tournament $ID --code $CODE",
        "lastnim bot register bob --tournament $ID --code 0000-0000-0000-0000",
        "lastnim bot register bob --tournament $ID --code 0000",
        "lastnim bot register bob --code $CODE",
        "lastnim bot register bob --tournament $ID",
        "lastnim bot register bob",
        "lastnim tournament entry-code $ID",
        "lastnim tournament show $ID | grep -E '^(bots|entry code)'",
        "lastnim bot register bob --tournament $ID --code $CODE --json",
        "lastnim bot register carol --tournament $ID --code $CODE",
    ]);
    terminal.assert_shown("tournament", "entry_code");
}

#[test]
fn tournaments_are_shown_and_watched() {
    for (id, name) in [
        ("CUP", "show_round_robin"),
        ("THREE", "show_three_seats"),
        ("SWISS", "show_swiss"),
        ("KNOCKOUT", "show_knockout"),
        ("GAUNTLET", "show_gauntlet"),
        ("LADDER", "show_ladder"),
        ("SPRT", "show_sprt"),
        ("OPEN", "show_open"),
        ("CANCELLED", "show_cancelled"),
    ] {
        let lines = ["", " --json"].map(|form| format!("lastnim tournament show ${id}{form}"));
        PLAYED.terminal().run_all(&lines.each_ref().map(String::as_str)).assert_shown("tournament", name);
    }
    let lines = [
        "lastnim tournament watch $CUP",
        "lastnim tournament watch $SPRT",
        "lastnim tournament watch $KNOCKOUT --json",
        "lastnim tournament watch $CANCELLED",
    ];
    PLAYED.terminal().run_all(&lines).assert_shown("tournament", "watch");
}

#[test]
fn a_bot_that_does_not_come_is_suspended() {
    let server = Server::start();
    let _bots = ["greedy", "timid"].map(|kind| server.house_bot(kind, &[kind]));
    let mut terminal = server.terminal();
    terminal.quietly("lastnim bot register absent");
    let create = "lastnim tournament create --format ladder --seats 2 --piles 2 --groups 4 --suspend-after 1 \
                  --concurrency 1 --alliance standard --clock 4s";
    let id = terminal.quietly(create);
    terminal.set("ID", &id);
    for bot in ["greedy", "timid", "absent"] {
        terminal.quietly(&format!("lastnim tournament join $ID --bot {bot}"));
    }
    terminal.quietly("lastnim tournament start $ID");
    let lines = ["lastnim tournament watch $ID", "lastnim tournament show $ID --json"];
    terminal.run_all(&lines).assert_shown("tournament", "suspended");
}

#[test]
fn tournaments_are_listed() {
    let lines = [
        "lastnim tournament list",
        "lastnim tournament list --state finished --limit 2",
        "lastnim tournament list --state finished --limit 2 --page-token $SPRT",
        "lastnim tournament list --state running",
        "lastnim tournament list --state finished --limit 1 --csv",
        "lastnim tournament list --csv --json",
        "lastnim tournament list --state cancelled --json",
        "lastnim tournament list --limit 0",
        "lastnim tournament list --limit 1001",
        "lastnim tournament list --state over",
        "lastnim tournament list --page-token x",
    ];
    PLAYED.terminal().run_all(&lines).assert_shown("tournament", "list");
}
