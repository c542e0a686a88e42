//! `lastnim match`.

use crate::server::{PATIENT, PLAYED, Server};

#[test]
fn matches_are_shown() {
    let lines = ["lastnim match show $MATCH", "lastnim match show $MATCH --json"];
    PLAYED.terminal().run_all(&lines).assert_shown("matches", "show");
    let lines = [
        "lastnim match watch $MATCH",
        "lastnim match watch $MATCH --json",
        "lastnim match watch $DECLARED | cut -c 13- | grep declared | sort",
        "lastnim match watch $DECLARED --json | cut -d , -f 2- | grep declared | sort",
    ];
    PLAYED.terminal().run_all(&lines).assert_shown("matches", "watch");
}

#[test]
fn matches_are_listed() {
    let lines = [
        "lastnim match list --tournament $CUP",
        "lastnim match list --tournament $THREE --bot loyal --limit 3",
        "lastnim match list --limit 1 --page-token $MATCH",
        "lastnim match list --tournament $OPEN",
        "lastnim match list --tournament $THREE --limit 2 --csv",
        "lastnim match list --tournament $CUP --limit 1 --json",
        "lastnim match list --tournament $THREE --bot loyal --bot oracle --state over --limit 2",
        "lastnim match list --tournament $THREE --reason ply-limit",
        "lastnim match list --tournament $CUP --state voided",
        "lastnim match list --state open --reason finished",
        "lastnim match list --state ended",
        "lastnim match list --reason timeout",
        "lastnim match list --bot loyal --bot loyall",
        "lastnim record list --state open",
        "lastnim record export --state quarantined --dir none",
        "lastnim match list --limit 0",
        "lastnim match list --page-token x",
    ];
    PLAYED.terminal().run_all(&lines).assert_shown("matches", "list");
}

#[test]
fn exhibitions_are_created_and_followed() {
    let server = Server::start();
    let _bots = ["greedy", "timid"].map(|kind| server.house_bot(kind, &[kind]));
    let mut terminal = server.terminal();
    terminal.quietly("lastnim bot register absent");
    let create = "lastnim match create --bots greedy,timid --piles 2,3 --alliance standard";
    terminal.run(&format!("{create} {PATIENT} --watch"));
    let create = "lastnim match create --bots timid,greedy --piles 3 --first 1 --matrix '0 1; 1 0'";
    // Its progress at creation depends on the bots.
    terminal.run(&format!("{create} {PATIENT} --watch --json | tail -n +2"));
    terminal.run("lastnim match create --bots absent,greedy --piles 3 --json");
    let create = "lastnim match create --bots absent,greedy --piles 2,2 --clock 4s --alliance standard";
    terminal.run(&format!("ID=$({create}) && lastnim match watch $ID && lastnim match show $ID"));
    terminal.assert_shown("matches", "create");
    let lines = ["lastnim match list", "lastnim match list --bot absent --json"];
    server.terminal().run_all(&lines).assert_shown("matches", "list_of_exhibitions");
}

#[test]
fn invalid_exhibitions_are_refused() {
    let refused = [
        "",
        "--bots greedy,timid",
        "--bots greedy --piles 3",
        "--bots greedy,greedy --piles 3",
        "--bots greedy,Timid --piles 3",
        "--bots greedy,tinid --piles 3",
        "--bots greedy,a-stranger-to-all --piles 3",
        "--bots greedy,timid --piles 3,x",
        "--bots greedy,timid --piles 0",
        "--bots greedy,timid --piles 3 --first 2",
        "--bots greedy,timid --piles 3 --matrix '0 1'",
        "--bots greedy,timid --piles 3 --matrix '0 1; 0 0'",
        "--bots greedy,timid --piles 3 --alliance given",
        "--bots greedy,timid --piles 3 --alliance standard --matrix '0 1; 1 0'",
        "--bots greedy,timid --piles 3 --clock 0s",
        "--bots greedy,timid --piles 3 --strikes 0",
        "--bots greedy,timid --piles 3 --token ''",
    ];
    let mut terminal = PLAYED.terminal();
    for settings in refused {
        terminal.run(&format!("lastnim match create {settings}"));
    }
    terminal.assert_shown("matches", "refused");
}
