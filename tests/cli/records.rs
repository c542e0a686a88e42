//! Records fetched, listed and exported from a server, with the real binary.

use super::record_fixture::{FROZEN_KEY, Folder, NOBODY, Server, frozen, json, offline, printed, run};
use serde_json::{Value, json};
use sqlx::Connection as _;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::Stdio,
};

#[test]
fn records_are_fetched_listed_exported_and_verified() {
    let (server, folder) = (Server::start(), Folder::new("cli-records"));
    let key = server.word(&["record", "key"]);
    assert_eq!(server.json(&["record", "key"]), json!({ "public_key": key }));
    let listed = server.json(&["record", "list", "--tournament", &server.tournament])["records"].clone();
    let listed = listed.as_array().unwrap();
    assert_eq!(listed.len(), 4);
    assert!(listed.iter().all(|record| record["signer"] == json!(key)));
    let id = listed[0]["match_id"].as_str().unwrap();
    let table = server.printed(&["record", "list", "--limit", "2", "--bot", "oracle"]);
    assert!(table.lines().count() == 3 && table.contains(listed[0]["head"].as_str().unwrap()), "{table}");

    for (file, form) in [("a.json", &[][..]), ("b.json", &["--pretty"]), ("c.txt", &["--format", "text"])] {
        let record = server.printed(&[&["record", "get", id], form].concat());
        let file = folder.path(file);
        assert_eq!(server.printed(&[&["record", "get", id, "--output", &file], form].concat()), "");
        assert_eq!(fs::read_to_string(&file).unwrap(), record);
        if form == ["--format", "text"] {
            let (code, verdict, _) = offline(&["record", "verify", &file], "");
            assert_eq!(
                (code, verdict.contains(": this is a record as text, for people")),
                (1, true),
                "{verdict}"
            );
            continue;
        }
        let verdict = printed(&["record", "verify", "--key", &key, &file], "");
        assert_eq!(
            verdict,
            format!("{file}: match {id}: intact, {} events, signed by the given key\n", listed[0]["events"])
        );
        let verdict = json(&printed(&["record", "verify", "--json", "-"], &record));
        assert_eq!((&verdict["head"], &verdict["signer"]), (&listed[0]["head"], &json!(key)));
        assert_eq!((&verdict["verified"], &verdict["signed_by_key"]), (&json!(true), &Value::Null));
        let other = offline(&["record", "verify", "--key", FROZEN_KEY, &file], "");
        assert_eq!(other.1, format!("{file}: match {id}: it is intact, but signed by another key: {key}\n"));
        assert_eq!((other.0, other.2.as_str()), (1, "error: the record does not verify\n"));
        let audit = printed(&["audit", "match", "--json", &file], "");
        assert_eq!(json(&audit)["winner"], server.json(&["match", "show", id])["match"]["winner"]);
    }

    let dir = folder.path("records");
    let export = ["record", "export", "--tournament", &server.tournament, "--dir", &dir];
    assert_eq!(server.json(&export)["written"], 4);
    fs::remove_file(Path::new(&dir).join(format!("{id}.json"))).unwrap();
    let other = listed[1]["match_id"].as_str().unwrap();
    let damaged = Path::new(&dir).join(format!("{other}.json"));
    fs::write(&damaged, fs::read_to_string(&damaged).unwrap().replacen("\"take\":\"", "\"take\":\"1", 1))
        .unwrap();
    let again = server.json(&export);
    assert_eq!((&again["written"], &again["replaced"], &again["kept"]), (&json!(2), &json!(1), &json!(2)));
    let files = folder.files("records");
    assert!(
        files.len() == 4
            && files.iter().all(|file| Path::new(file).extension().is_some_and(|form| form == "json")),
        "{files:?}"
    );
    let lines: String =
        files.iter().map(|file| fs::read_to_string(Path::new(&dir).join(file)).unwrap()).collect();
    assert_eq!(printed(&["record", "verify", "--key", &key, "-"], &lines).lines().count(), 4);
    let changed = lines.replacen("\"seat\":1", "\"seat\":0", 1);
    let (code, verdicts, error) = offline(&["record", "verify", "--key", &key, "-"], &changed);
    assert_eq!((code, error.as_str()), (1, "error: 1 of 4 records does not verify\n"));
    assert!(
        verdicts.starts_with(&format!("standard input:1: match {}: event ", &files[0][..36])),
        "{verdicts}"
    );
    assert_eq!(verdicts.matches("intact, ").count(), 3, "{verdicts}");
}

/// Runs a statement on a database that no server has open.
fn execute(database: &str, statement: &str) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut client = sqlx::SqliteConnection::connect(&format!("sqlite:{database}")).await.unwrap();
        sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&mut client).await.unwrap().rows_affected()
    })
}

#[test]
fn a_damaged_match_or_another_key_does_not_stop_other_records() {
    let folder = Folder::new("cli-damaged");
    let (database, dir) = (folder.path("lastnim.db"), folder.path("records"));
    let store = format!("sqlite:{database}");
    let mut server = Server::on(&store);
    server.play();
    let old_key = server.word(&["record", "key"]);
    let listed = server.json(&["record", "list"])["records"].clone();
    let [damaged, whole] = [0, 1].map(|at: usize| listed[at]["match_id"].as_str().unwrap().to_owned());
    drop(server);

    fs::remove_file(folder.path("lastnim.key")).unwrap();
    let server = Server::on(&store);
    let export = ["record", "export", "--dir", &dir];
    for written in ["4 written", "0 written, 4 already there"] {
        let (code, output, note) = run(&mut server.command(&export), "");
        assert_eq!((code, output), (0, format!("{dir}: {written}\n")), "{note}");
        assert_eq!(
            note,
            format!("note: 4 records are signed by a different key than the server's: {old_key}\n")
        );
    }
    let table = server.printed(&["record", "list"]);
    assert_eq!(table.matches("by another key").count(), 4, "{table}");
    drop(server);

    let cut_off = format!(
        "UPDATE record_parts SET events = substr(events, 1, length(events) / 2) WHERE match_id = '{damaged}'"
    );
    assert_eq!(execute(&database, &cut_off), 1);
    let server = Server::on(&store);
    fs::remove_dir_all(&dir).unwrap();
    let tables = folder.path("tables");
    for (args, words) in [
        (&export[..], "3 written"),
        (&["record", "tables", "--format", "csv", "--output", &tables], "3 matches"),
        (&["record", "list"], whole.as_str()),
    ] {
        let (code, output, errors) = run(&mut server.command(args), "");
        assert!(code == 1 && output.contains(words), "{args:?}: {output}{errors}");
        assert!(errors.contains(&format!("left out: match {damaged}: ")), "{args:?}: {errors}");
        let last = "error: 1 match was left out: the server's record of it cannot be used";
        assert_eq!(errors.lines().last(), Some(last), "{args:?}");
    }
    assert_eq!(folder.files("records").len(), 3);
    assert_eq!(fs::read_to_string(folder.path("tables/matches.csv")).unwrap().lines().count(), 4);
}

#[test]
fn unknown_ids_and_names_are_refused() {
    let (server, folder) = (Server::on("memory"), Folder::new("cli-unknown"));
    let (dir, file) = (folder.path("out"), folder.write("file", ""));
    let tables = ["record", "tables", "--format", "csv", "--output", &dir];
    let records = ["record", "export", "--dir", &dir];
    for command in [&tables[..], &records, &["record", "list"], &["match", "list"]] {
        for (which, unknown, words) in
            [("--tournament", NOBODY, NOBODY), ("--bot", "nope", "no bot named nope")]
        {
            let args = [command, &[which, unknown]].concat();
            let (code, output, error) = run(&mut server.command(&args), "");
            assert_eq!((code, output.as_str(), error.lines().count()), (1, "", 1), "{args:?}: {error}");
            assert!(error.contains(words), "{args:?}: {error}");
        }
    }
    assert_eq!(folder.files(""), ["file"], "no folder is made for nothing");
    for args in [
        &["record", "tables", "--format", "csv", "--output", &file][..],
        &["record", "export", "--dir", &file],
    ] {
        let (code, _, error) = run(&mut server.command(args), "");
        assert_eq!((code, error), (2, format!("error: {file}: not a folder\n")));
    }
}

#[test]
fn all_tables_are_exported() {
    let (server, folder) = (Server::start(), Folder::new("cli-tables"));
    let dir = folder.path("tables");
    let counts = json!({"dir": dir, "matches": 4, "seats": 8, "plies": 0, "standings": 2, "still_open": 0,
                  "quarantined": 0, "pruned": 0, "damaged": 0});
    for format in ["csv", "jsonl"] {
        let mut exported = server.json(&["record", "tables", "--format", format, "--output", &dir]);
        let plies = exported["plies"].take().as_u64().unwrap();
        exported["plies"] = json!(0);
        assert_eq!(exported, counts);
        for (table, rows) in [("matches", 4), ("seats", 8), ("plies", plies), ("standings", 2)] {
            let text = fs::read_to_string(Path::new(&dir).join(format!("{table}.{format}"))).unwrap();
            let header = u64::from(format == "csv");
            assert_eq!(text.lines().count() as u64, rows + header, "{table}.{format}");
        }
    }
    let names = ["matches", "plies", "seats", "standings"];
    let files: Vec<_> =
        names.iter().flat_map(|name| [format!("{name}.csv"), format!("{name}.jsonl")]).collect();
    assert_eq!(folder.files("tables"), files, "nothing half-written is left");

    let rows = |table: &str| -> Vec<Value> {
        fs::read_to_string(Path::new(&dir).join(format!("{table}.jsonl")))
            .unwrap()
            .lines()
            .map(json)
            .collect()
    };
    let (matches, seats, plies) = (rows("matches"), rows("seats"), rows("plies"));
    let sum_for = |rows: &[Value], bot: &str, key: &str| -> u64 {
        rows.iter().filter(|row| row["bot"] == bot).map(|row| row[key].as_u64().unwrap()).sum()
    };
    for standing in rows("standings") {
        let bot = standing["bot"].as_str().unwrap();
        let won = seats.iter().filter(|seat| seat["bot"] == bot && seat["won"] == true).count();
        assert_eq!(standing["wins"], won, "{bot}");
        let regret = sum_for(&seats, bot, "regret");
        assert_eq!(
            standing["regret_per_match"].as_f64().map(|ranks| ranks * 4.0),
            json!(regret).as_f64(),
            "{bot}"
        );
        assert_eq!(sum_for(&plies, bot, "regret"), regret, "{bot}");
        assert_eq!(
            sum_for(&seats, bot, "own_plies"),
            plies.iter().filter(|ply| ply["bot"] == bot).count() as u64
        );
    }
    for game in &matches {
        let match_plies = plies.iter().filter(|ply| ply["match_id"] == game["match_id"]);
        assert_eq!(game["plies"], match_plies.clone().count());
        assert_eq!(game["errors"], match_plies.filter(|ply| ply["optimal"] == false).count());
    }
    server.word(&["bot", "register", "idle"]);
    let none = server.json(&[
        "record",
        "tables",
        "--format",
        "csv",
        "--bot",
        "idle",
        "--output",
        &folder.path("none"),
    ]);
    assert_eq!((&none["matches"], &none["standings"]), (&json!(0), &json!(0)));
    let header = fs::read_to_string(folder.path("none/plies.csv")).unwrap();
    assert!(
        header.starts_with("match_id,tournament_id,ply,at_us,") && header.lines().count() == 1,
        "{header}"
    );
}

#[test]
fn every_refusal_is_one_line_with_an_exit_code() {
    let folder = Folder::new("cli-refused");
    let file = folder.write("record.json", &frozen("record.json"));
    let lines = folder.write("lines.jsonl", &frozen("record.json").repeat(2));
    let cases: [(&[&str], i32, &str); 12] = [
        (&["record", "verify"], 2, "required"),
        (
            &["record", "verify", "--key", "AAAA", &file],
            2,
            "public key \"AAAA\" has 4 characters: expected 32 bytes in base64",
        ),
        (
            &["record", "verify", "--key", &file, &file],
            2,
            "; this is a file: give the key in it with --key \"$(cat ",
        ),
        (&["record", "replay", "nowhere.json"], 1, "nowhere.json: "),
        (&["record", "replay", &lines], 2, "this file has one record per line: give a single record"),
        (&["record", "replay", "--take", "4", &file], 2, "--take 4: the match has the takes 1 to 3"),
        (
            &["record", "replay", "--from", "2", "--to", "1", &file],
            2,
            "--from 2 --to 1: the first take is after the last: exchange them",
        ),
        (&["record", "replay", "--step", "-"], 2, "--step: the record is read from standard input"),
        (&["record", "replay", "--step", "--all", &file], 2, "cannot be used with"),
        (&["record", "get", "x"], 2, "match id \"x\": expected a UUID"),
        (&["record", "get", NOBODY, "--format", "text", "--pretty"], 2, "--pretty: only JSON"),
        (&["record", "tables", "--format", "parquet", "--output", "x"], 2, "parquet"),
    ];
    for (args, code, words) in cases {
        let (given, output, error) = offline(args, "");
        assert_eq!((given, output.as_str(), error.lines().count()), (code, "", 1), "{args:?}: {error}");
        assert!(error.starts_with("error: ") && error.contains(words), "{args:?}: {error}");
    }
}

#[test]
fn a_watcher_reports_a_lost_connection() {
    let mut server = Server::on("memory");
    let create = ["tournament", "create", "--seats", "2", "--piles", "3,4", "--declare-within", "1m"];
    let tournament = server.word(&create);
    let mut bots: Vec<_> = ["alice", "bob"]
        .map(|name| {
            let token = server.word(&["bot", "register", name]);
            let args = ["bot", "run", "random", "--token", &token, "--tournament", &tournament];
            server.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .into();
    let show = ["tournament", "show", &tournament];
    while server.json(&show)["tournament"]["field"].as_array().unwrap().len() < 2 {}
    for bot in &mut bots {
        bot.kill().unwrap();
        bot.wait().unwrap();
    }
    server.word(&["tournament", "start", &tournament]);
    let matches = ["match", "list", "--tournament", &tournament];
    let id = server.json(&matches)["matches"][0]["id"].as_str().unwrap().to_owned();
    let mut command = server.command(&["match", "watch", &id]);
    let mut watcher = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(watcher.stdout.take().unwrap());
    output.read_line(&mut String::new()).unwrap();
    server.process.kill().unwrap();
    let mut errors = BufReader::new(watcher.stderr.take().unwrap());
    let mut message = String::new();
    errors.read_line(&mut message).unwrap();
    let lost = format!("the connection to {} was lost: ", server.address);
    assert!(message.starts_with(&lost) && message.ends_with(": trying again\n"), "{message}");
    assert!(watcher.try_wait().unwrap().is_none(), "it goes on when the server is back");
    watcher.kill().unwrap();
    watcher.wait().unwrap();
}
