//! Whole tournaments through the proxy.

use super::place::{Place, lastnim};
use lastnim_bots::HouseBot;
use lastnim_client::{CaCertificates, Options, ServerAddress, run};
use serde_json::Value;
use std::process::Stdio;

#[test]
fn house_bots_and_sdk_bots_play_through_a_proxy() {
    let place = Place::new("bots");
    let tokens = ["first", "second"].map(|name| place.printed(&["bot", "register", name]));
    let clocks = ["--clock", "1m", "--declare-within", "1m"];
    let mut create = vec!["tournament", "create", "--title", "tls", "--seats", "2", "--piles", "3,4,5"];
    create.extend(clocks);
    create.extend(["--start-when", "2"]);
    let tournament = place.printed(&create);

    let mut command = lastnim(&["bot", "run", "greedy", "--server", &place.behind("127.0.0.1")]);
    command.args(["--ca", &place.path("ca.pem"), "--tournament", &tournament]);
    let bot = command.env("LASTNIM_TOKEN", &tokens[0]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let bot = bot.spawn().unwrap();
    let ca = CaCertificates::read(place.folder().join("ca.pem")).unwrap();
    let server = ServerAddress::new(place.behind("localhost")).with_ca(ca);
    let options = Options::new(server, &tokens[1]).tournament(&tournament);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let oracle = HouseBot::Oracle.build_bot(0);
    let summary = runtime.block_on(run(oracle, options)).unwrap();
    assert_eq!(summary.matches, 2, "{summary}");
    let output = bot.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let standings = place.json(&["tournament", "standings", &tournament, "--json"]);
    let forfeits = |line: &Value| line["forfeits"].as_u64().unwrap();
    assert_eq!(
        standings["standings"].as_array().unwrap().iter().map(forfeits).sum::<u64>(),
        0,
        "{standings}"
    );
}

/// A relative path of the authority's file is resolved for the bots, even if they run in another folder.
#[test]
fn a_tournament_file_is_played_on_a_server_behind_a_proxy() {
    let place = Place::new("file");
    let program = env!("CARGO_BIN_EXE_lastnim");
    place.write(
        "cup.toml",
        &format!(
            "title = \"Proxy\"\nseats = 2\nclock = \"1m\"\ndeclare_within = \"1m\"\n\
             [positions]\nlist = [[3, 4, 5]]\n\
             [[bot]]\nname = \"first\"\nhouse = \"oracle\"\n\
             [[bot]]\nname = \"second\"\ncommand = [{program:?}, \"bot\", \"run\", \"greedy\"]\n"
        ),
    );
    let parent = place.folder().parent().unwrap();
    let ca = place.folder().strip_prefix(parent).unwrap().join("ca.pem");
    let mut command = lastnim(&["tournament", "run", "--json", &place.path("cup.toml")]);
    command.args(["--server", &place.behind("localhost"), "--ca"]).arg(ca).current_dir(parent);
    command.env("XDG_STATE_HOME", place.path("state"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["tournament"]["matches_played"], 2, "{result}");
}
