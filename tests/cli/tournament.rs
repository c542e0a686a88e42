//! A tournament organised by hand: a server, bots, a tournament and its matches, all with the real binary.

use super::child::{LONG, json, text};
use super::standings_progress::without_progress;
mod examples;
mod interventions;
mod manifest;
mod server;

use serde_json::{Value, json};
use server::Server;
use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _},
    net::TcpListener,
    path::Path,
    time::Instant,
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");
const NOBODY: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

#[test]
fn two_bots_play_a_tournament_to_its_end_and_its_records_are_audited() {
    let server = Server::start();
    let id = server.play_out(["random", "oracle"]);

    let standings = server.json(&["tournament", "standings", &id])["standings"].clone();
    let standing = |bot: &str| {
        let standings = standings.as_array().unwrap();
        standings.iter().find(|standing| standing["bot"] == bot).unwrap_or_else(|| panic!("{bot}")).clone()
    };
    let (oracle, random) = (standing("oracle"), standing("random"));
    assert_eq!((&oracle["matches"], &random["matches"]), (&json!(4), &json!(4)));
    assert_eq!((&oracle["accuracy"], &oracle["regret_per_match"]), (&json!(1.0), &json!(0.0)));
    let wins = |bot: &Value| bot["wins"].as_u64().unwrap();
    assert_eq!(wins(&oracle) + wins(&random), 4);
    let table = server.printed(&["tournament", "standings", &id]);
    let rows: Vec<Vec<_>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [13, 14, 14], "{table}");
    assert_eq!(rows[0][..6], ["place", "places", "bot", "points", "matches", "wins"]);

    let shown = server.json(&["tournament", "show", &id]);
    let shown_parts = (&shown["verdict"], &shown["field_history"]);
    assert_eq!(shown_parts, (&json!({}), &Value::Null), "the standings and the field say all");
    let shown = shown["tournament"].clone();
    // The bots are in the order in which they joined, which varies.
    let mut field: Vec<_> =
        shown["field"].as_array().unwrap().iter().map(|bot| bot.as_str().unwrap()).collect();
    field.sort_unstable();
    assert_eq!((&shown["state"], &field[..]), (&json!("finished"), &["oracle", "random"][..]));
    let positions = json!([{ "counters": [3, 4, 5] }, { "counters": [2, 2] }]);
    assert_eq!(shown["settings"]["positions"], positions);
    let watched = server.json(&["tournament", "watch", &id]);
    assert_eq!((&watched["tournament"], &watched["standings"]), (&shown, &standings));
    for bot in [&oracle, &random] {
        let rating = ["low", "points", "high"].map(|end| bot["rating"][end].as_f64().unwrap());
        assert!(rating[0] < rating[1] && rating[1] < rating[2], "{bot}");
        assert_eq!(bot["skill"]["regret_per_match"], bot["regret_per_match"], "{bot}");
    }

    let matches = server.matches(&id);
    assert_eq!(matches.len(), 4);
    let mut records = String::new();
    let mut regret = json!({"random": 0, "oracle": 0});
    let mut won = json!({"random": 0, "oracle": 0});
    for (id, game) in &matches {
        let record = server.printed(&["record", "get", id]);
        assert_eq!(record.lines().count(), 1);
        let audit = json(&server.audit(&record, &["--json"]));
        assert_eq!((&audit["winner"], &game["phase"]), (&game["winner"], &json!("ended")));
        let shown = server.json(&["match", "show", id])["audit"].clone();
        assert_eq!(shown["predicted_winner"], audit["predicted_winner"]);
        for (seat, shown) in audit["seats"].as_array().unwrap().iter().zip(shown["seats"].as_array().unwrap())
        {
            let figures = seat.as_object().unwrap();
            assert!(figures.iter().all(|(figure, value)| shown[figure] == *value), "{shown} and {seat}");
            let bot = game["setup"]["bots"][seat["seat"].as_u64().unwrap() as usize].as_str().unwrap();
            regret[bot] = json!(regret[bot].as_u64().unwrap() + seat["regret"].as_u64().unwrap());
            won[bot] = json!(won[bot].as_u64().unwrap() + u64::from(seat["seat"] == audit["winner"]));
        }
        let pretty = server.printed(&["record", "get", id, "--pretty"]);
        let wrapped = json!({ "record": json(&pretty) }).to_string();
        assert!(pretty.lines().count() > 10);
        assert_eq!(json(&server.audit(&wrapped, &["--json"])), audit);
        assert!(server.audit(&record, &[]).starts_with("Seat "));
        records.push_str(&record);
    }
    for bot in [&random, &oracle] {
        let name = bot["bot"].as_str().unwrap();
        assert_eq!(bot["regret_per_match"], json!(regret[name].as_f64().unwrap() / 4.0), "{name}");
        assert_eq!(bot["wins"], won[name], "{name}");
    }
    let audits = server.audit(&records, &["--batch"]);
    assert_eq!(audits.lines().count(), 4);
    assert!(
        audits.lines().map(json).zip(&matches).all(|(audit, (_, game))| audit["winner"] == game["winner"])
    );
}

#[test]
fn standings_follow_from_the_records_alone() {
    let server = Server::start();
    let id = server.play_out(["random", "greedy"]);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("standings-from-records");
    // An earlier run may have left a file with records of another server.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).into_os_string().into_string().unwrap();
    let (settings, records) = (path("cup.json"), path("records"));
    fs::write(&settings, server.printed(&["tournament", "show", &id, "--json"])).unwrap();
    server.printed(&["record", "export", "--tournament", &id, "--dir", &records]);
    let key = server.word(&["record", "key"]);
    let told = ["record", "standings", "--settings", &settings, "--key", &key, &records];
    for form in [&[][..], &["--json"], &["--cross-table"], &["--cross-table", "--json"]] {
        let shown_standings = server.printed(&[&["tournament", "standings", &id], form].concat());
        let recorded_standings = server.printed(&[&told[..], form].concat());
        assert_eq!(without_progress(&recorded_standings), without_progress(&shown_standings));
    }
    let cross_table = server.json(&["tournament", "standings", &id, "--cross-table"])["cross_table"].clone();
    assert_eq!((&cross_table[0]["bot"], &cross_table[0]["matches"]), (&json!("greedy"), &json!(4)));
    assert_eq!(cross_table[0]["wins"].as_u64().unwrap() + cross_table[0]["other_wins"].as_u64().unwrap(), 4);
    let better = cross_table[0]["probability_better"].as_f64();
    assert!(better.is_some_and(|better| (0.0..=1.0).contains(&better)), "{better:?}");

    fs::write(path("records/none.json"), "{}").unwrap();
    let output = server.begin(&told).finish(b"");
    let why = text(output.stderr);
    assert!(output.status.code() == Some(3) && why.contains("none.json: "), "{why}");
    assert!(!output.stdout.is_empty(), "the others count");

    fs::remove_file(path("records/none.json")).unwrap();
    let one = fs::read_dir(&records).unwrap().next().unwrap().unwrap();
    fs::remove_file(one.path()).unwrap();
    let output = server.begin(&told).finish(b"");
    let why = text(output.stderr);
    assert!(output.status.success() && why.starts_with("missing records: 1;"), "{why}");
}

#[test]
fn bots_join_and_leave_a_running_ladder_and_its_standings_follow_from_the_records() {
    let server = Server::start();
    let ladder = ["--format", "ladder", "--groups", "300", "--title", "Ladder", "--seed", "3"];
    let create = ["tournament", "create", "--seats", "2", "--piles", "2,3"];
    let id = server.word(&[&create[..], &ladder].concat());
    let mut playing = Vec::new();
    let tokens = ["greedy", "timid", "loyal"].map(|kind| {
        let token = server.word(&["bot", "register", kind]);
        playing.push(server.begin(&["bot", "run", kind, "--token", &token]));
        token
    });
    let field = |shown: &Value| shown["field"].as_array().unwrap().len();
    let line = format!("tournament {id}: open\n");
    assert_eq!(server.printed(&["tournament", "join", &id, "--bot", "greedy"]), line);
    assert_eq!(field(&server.json(&["tournament", "join", &id, "--token", &tokens[1]])), 2);
    assert_eq!(field(&server.json(&["tournament", "leave", &id, "--token", &tokens[1]])), 1);
    assert_eq!(field(&server.json(&["tournament", "join", &id, "--bot", "timid"])), 2);
    let (code, why) = server.refused(&["tournament", "join", &id]);
    assert!(code == 2 && why.contains("bot: the admin must name a bot"), "{why}");

    assert!(server.printed(&["tournament", "start", &id]).contains(": running"));
    assert_eq!(field(&server.json(&["tournament", "join", &id, "--bot", "loyal"])), 3);
    let left = server.json(&["tournament", "leave", &id, "--token", &tokens[0]]);
    assert_eq!((&left["field"], &left["awaits_bots"]), (&json!(["timid", "loyal"]), &json!(false)));
    let watched = server.json(&["tournament", "watch", &id]);
    assert_eq!(watched["tournament"]["state"], "finished");
    assert_eq!(watched["standings"].as_array().unwrap().len(), 3, "who left has a line as well");
    let (code, why) = server.refused(&["tournament", "leave", &id, "--bot", "timid"]);
    assert!(code == 1 && why.contains("is finished"), "{why}");

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ladder-from-records");
    // An earlier run may have left a file with records of another server.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).into_os_string().into_string().unwrap();
    let (settings, records) = (path("ladder.json"), path("records"));
    let shown = server.printed(&["tournament", "show", &id, "--json"]);
    let changes = json(&shown)["field_history"]["changes"].clone();
    assert_eq!((&changes[0]["bot"], &changes[0]["movement"]), (&json!("loyal"), &json!("enters")));
    fs::write(&settings, shown).unwrap();
    server.printed(&["record", "export", "--tournament", &id, "--dir", &records]);
    let key = server.word(&["record", "key"]);
    let told = ["record", "standings", "--settings", &settings, "--key", &key, &records];
    assert_eq!(server.printed(&told), server.printed(&["tournament", "standings", &id]));
}

#[test]
fn a_tournament_is_followed_from_its_creation_to_its_end() {
    let server = Server::start();
    let id = server.word(&["tournament", "create", "--seats", "2", "--piles", "2", "--title", "Spring"]);
    let listed = server.json(&["tournament", "list"])["tournaments"].clone();
    assert_eq!((&listed[0]["id"], &listed[0]["state"]), (&json!(id), &json!("open")));
    assert!(server.printed(&["tournament", "list"]).contains("Spring"));

    let watcher = server.begin(&["tournament", "watch", &id]);
    let bots = ["greedy", "timid"].map(|kind| {
        let token = server.word(&["bot", "register", kind]);
        let mut bot = server.begin(&["bot", "run", kind, "--token", &token, "--tournament", &id, "--json"]);
        let mut connected = String::new();
        let mut lines = BufReader::new(bot.0.stdout.take().unwrap());
        lines.read_line(&mut connected).unwrap();
        assert_eq!(json(&connected)["event"], "connected");
        (bot, lines)
    });
    // A bot joins just after it connects; the tournament cannot start until both have joined.
    let asked_since = Instant::now();
    let started = loop {
        assert!(asked_since.elapsed() < LONG, "the bots do not join");
        let output = server.begin(&["tournament", "start", &id]).finish(b"");
        if output.status.success() {
            break text(output.stdout);
        }
        let why = text(output.stderr);
        assert!(why.contains("a match has 2 seats"), "{why}");
    };
    assert!(started.starts_with(&format!("tournament {id}: running, ")), "{started}");

    let output = watcher.finish(b"");
    assert_eq!((output.status.code(), text(output.stderr).as_str()), (Some(0), ""));
    let followed = text(output.stdout);
    assert!(
        followed.starts_with(&format!("tournament {id}: finished, 2 of 2 matches played\n")),
        "{followed}"
    );
    assert!(followed.contains("greedy") && followed.contains("timid"), "{followed}");
    for (mut bot, mut lines) in bots {
        let mut rest = String::new();
        lines.read_to_string(&mut rest).unwrap();
        assert!(
            rest.lines().last().unwrap().contains("summary") && bot.0.wait().unwrap().success(),
            "{rest}"
        );
    }

    let (game, _) = &server.matches(&id)[0];
    let events = server.printed(&["match", "watch", game]);
    for expected in ["play on piles 2;", "the rows are 0 1; 0 1\n", "take 1: seat 0 (", " won\n"] {
        assert!(events.contains(expected), "{expected:?} in {events}");
    }
    let told: Vec<_> = server.printed(&["match", "watch", game, "--json"]).lines().map(json).collect();
    let mut recorded = json(&server.printed(&["record", "get", game]))["events"].clone();
    for event in recorded.as_array_mut().unwrap() {
        assert!(event.as_object_mut().unwrap().remove("hash").is_some(), "{event}");
    }
    assert_eq!(json!(told), recorded);
    let shown = server.printed(&["match", "show", game]);
    assert!(shown.contains(&format!("match 1, group 1, of {id}")) || shown.contains("match 2, "), "{shown}");
    let table = server.printed(&["match", "list", "--bot", "timid"]);
    assert!(table.lines().count() == 3 && table.contains(" won"), "{table}");

    let (code, why) = server.refused(&["tournament", "start", &id]);
    assert!(code == 1 && why.contains("is finished"), "{why}");
}

/// The arguments for a match that does not wait for absent bots.
fn create<'a>(bots: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let quick = ["--piles", "2,7", "--clock", "50ms+0s", "--declare-within", "50ms"];
    [&["match", "create", "--bots", bots], &quick[..], more].concat()
}

#[test]
fn an_exhibition_is_created_listed_and_followed() {
    let server = Server::start();
    for name in ["greedy", "timid", "absent"] {
        server.word(&["bot", "register", name]);
    }
    let followed = server.printed(&create("greedy,timid", &["--watch"]));
    let (id, events) = followed.split_once('\n').unwrap();
    assert!(events.contains("greedy, timid play on piles 2,7") && events.contains("no show"), "{events}");
    let id = id.to_owned();
    let other = server.word(&create("timid,greedy", &["--alliance", "standard", "--first", "1"]));
    let lines = server.printed(&create("greedy,timid", &["--watch", "--json"]));
    assert!(lines.lines().count() > 3 && lines.lines().all(|line| json(line).is_object()), "{lines}");
    let third = json(lines.lines().next().unwrap())["id"].as_str().unwrap().to_owned();

    let shown = server.json(&["match", "show", &other]);
    let setup = &shown["match"]["setup"];
    let rows = json!({ "rows": [{ "offsets": [0, 1] }, { "offsets": [0, 1] }] });
    assert_eq!((&setup["assigned"], &setup["first"]), (&rows, &json!(1)));
    assert_eq!((&setup["clock"]["initial_ms"], &setup["tournament_id"]), (&json!(50), &json!("")));
    let text = server.printed(&["match", "show", &other]);
    assert!(text.contains("given: 0 1; 0 1") && text.contains("50ms for all takes"), "{text}");

    let mut listed = Vec::new();
    let mut token = String::new();
    loop {
        let page = server.json(&["match", "list", "--limit", "2", "--page-token", &token]);
        listed.extend(page["matches"].as_array().unwrap().iter().map(|game| game["id"].clone()));
        page["next_page_token"].as_str().unwrap().clone_into(&mut token);
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(listed, [&third, &other, &id].map(|id| json!(id)));
    let table = server.printed(&["match", "list", "--limit", "2"]);
    assert_eq!(table.lines().last().unwrap(), format!("more: --page-token {other}"));

    for (words, code, why) in [
        (create("greedy,tinid", &[]), 1, "no bot named tinid: register it first; did you mean timid?"),
        (create("greedy,a-stranger-to-all", &[]), 1, "no bot named a-stranger-to-all: register it first"),
        (create("greedy", &[]), 2, "bots: 1 seat: expected 2 to 32"),
        (create("greedy,greedy", &[]), 2, "bots: "),
        (create("greedy,timid", &["--matrix", "0 1"]), 2, "assigned"),
        (
            create("greedy,timid", &["--alliance", "given"]),
            2,
            "--matrix and `--alliance given` go together: use both or neither",
        ),
    ] {
        let (given, said) = server.refused(&words);
        assert!(given == code && said.starts_with(why), "{code} and {why:?}, not {given} and {said:?}");
    }
}

#[test]
fn tournaments_are_listed_by_state_and_in_pages() {
    let server = Server::start();
    let create =
        ["tournament", "create", "--seats", "2", "--piles", "2", "--format", "swiss", "--rounds", "1"];
    let ids: Vec<String> = (0..3).map(|_| server.word(&create)).collect();
    server.printed(&["tournament", "cancel", &ids[1]]);
    let list = |more: &[&str]| -> Vec<String> {
        let listed = server.json(&[&["tournament", "list"], more].concat());
        let ids = listed["tournaments"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap());
        ids.map(str::to_owned).collect()
    };
    assert_eq!(list(&["--state", "open"]), [ids[2].as_str(), &ids[0]]);
    assert_eq!(list(&["--state", "open", "--limit", "1"]), [ids[2].as_str()]);
    assert_eq!(list(&["--state", "cancelled"]), [ids[1].as_str()]);
    assert!(list(&["--state", "finished"]).is_empty());
    let table = server.printed(&["tournament", "list", "--limit", "2"]);
    let lines: Vec<_> = table.lines().collect();
    assert_eq!((lines.len(), lines[3]), (4, format!("more: --page-token {}", ids[1]).as_str()));
    assert!(lines[1].contains(" open ") && lines[1].contains(" Swiss "), "{table}");
    assert_eq!(list(&["--page-token", &ids[1]]), [ids[0].as_str()]);
}

#[test]
fn a_cancelled_tournament_has_ended() {
    let server = Server::start();
    let id = server.word(&["tournament", "create", "--seats", "2", "--piles", "2"]);
    assert_eq!(server.json(&["tournament", "cancel", &id])["state"], "cancelled");
    let watched = server.json(&["tournament", "watch", &id]);
    assert_eq!((&watched["tournament"]["state"], &watched["standings"]), (&json!("cancelled"), &json!([])));
    assert_eq!(server.refused(&["tournament", "cancel", &id]).0, 1);
}

#[test]
fn every_refusal_is_one_line_with_an_exit_code() {
    let server = Server::start();
    let bot = server.word(&["bot", "register", "alice"]);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let create = ["tournament", "create", "--seats", "2", "--piles"];
    let refusals: [(&[&str], i32, &[&str]); 14] = [
        (&["tournament", "show", NOBODY], 1, &["no tournament", NOBODY]),
        (&["match", "show", NOBODY], 1, &["no match", NOBODY]),
        (&["record", "get", "x"], 2, &["match id \"x\"", "UUID"]),
        (&["bot", "register", "alice"], 1, &["alice", "choose another"]),
        (&["bot", "register", "Alice"], 2, &["bot name \"Alice\"", "1 to 32"]),
        (&["bot", "register", "bob", "--token", "wrong"], 1, &["unknown token"]),
        (&["bot", "register", "bob", "--token", &bot], 1, &["admin's token"]),
        (&["bot", "register", "bob", "--token", ""], 1, &["--token, LASTNIM_ADMIN_TOKEN"]),
        (&["bot", "register", "bob", "--server", &free], 1, &[&free, "is `lastnim serve` running?"]),
        (&["bot", "register", "bob", "--server", "nowhere"], 2, &["server \"nowhere\"", "host:port"]),
        (&[&create[..], &["3,x"]].concat(), 2, &["piles: \"x\""]),
        (&[&create[..], &["3,0"]].concat(), 2, &["settings.positions[0].counters: pile 1 has 0 counters"]),
        (
            &[&create[..], &["3", "--matrix", "0 1; 0 0", "--strikes", "101"]].concat(),
            2,
            &["settings.alliance_matrix.rows[1].offsets: ", "; settings.strikes: "],
        ),
        (&["tournament"], 2, &["subcommand"]),
    ];
    for (args, code, words) in refusals {
        let (given, why) = server.refused(args);
        assert_eq!(given, code, "{args:?}: {why}");
        for word in words {
            assert!(why.contains(word), "{word:?} in {why:?}, of {args:?}");
        }
    }

    let (code, why) = server.refused(&["bot", "run", "timid", "--token", "wrong"]);
    assert!(code == 1 && why.contains("unknown token"), "{why}");
    let output = server.begin(&["bot", "run", "timid", "--token", &bot, "--tournament", NOBODY]).finish(b"");
    let why = text(output.stderr);
    assert!(
        output.status.code() == Some(1) && why.contains("no tournament") && why.contains(NOBODY),
        "{why}"
    );
}

#[test]
fn an_audit_names_the_event_that_was_tampered_with() {
    let server = Server::start();
    let id = server.play_out(["greedy", "timid"]);
    let (game, _) = &server.matches(&id)[0];
    let mut record = json(&server.printed(&["record", "get", game]));
    let events = record["events"].as_array_mut().unwrap();
    let took = events.iter().position(|event| event.get("took").is_some()).unwrap();
    events[took]["took"]["take"] = json!("99");
    let output = server.begin(&["audit", "match", "-"]).finish(record.to_string().as_bytes());
    let why = text(output.stderr);
    assert_eq!(output.status.code(), Some(2), "{why}");
    assert!(why.starts_with(&format!("error: standard input: event {took}: ")), "{why}");
}
