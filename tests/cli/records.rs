//! Records from a server to a file, and what is found in files that somebody changed, all with the real binary.

use serde_json::{Value, json};
use sqlx::Connection as _;
use std::{
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");
const FROZEN: [&str; 3] = ["record.json", "record.pretty.json", "record.txt"];
/// The key of the seed 0, 1, .., 31, which signed the frozen records.
const FROZEN_KEY: &str = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";
const NOBODY: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Runs a program on an input to its end.
fn run(command: &mut Command, input: &str) -> (i32, String, String) {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    // A program that does not read its input may have closed it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

fn offline(args: &[&str], input: &str) -> (i32, String, String) {
    run(Command::new(LASTNIM).args(args).env_remove("LASTNIM_SERVER"), input)
}

/// Runs a command that is to succeed without a word of complaint, and returns what it prints.
fn printed(args: &[&str], input: &str) -> String {
    let (code, output, errors) = offline(args, input);
    assert_eq!((code, errors.as_str()), (0, ""), "{args:?}: {output}");
    output
}

fn frozen(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // One may be left of a run that was interrupted.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn files(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(name)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A server of the test's own on a free port, on which two bots have played four matches.
struct Server {
    process: Child,
    address: String,
    admin: String,
    tournament: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    fn start() -> Self {
        let mut server = Self::on("memory");
        server.play();
        server
    }

    /// Starts a server on a store, on which nothing is played yet.
    fn on(store: &str) -> Self {
        let mut command = Command::new(LASTNIM);
        command.args(["serve", "--store", store, "--listen", "127.0.0.1:0", "--json"]);
        command.env_remove("LASTNIM_ADMIN_TOKEN").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let word = |key: &str| json(&line)[key].as_str().unwrap().to_owned();
        let (address, admin) = (word("listening"), word("admin_token"));
        Self { process, address, admin, tournament: String::new() }
    }

    fn play(&mut self) {
        let server = self;
        let create = ["tournament", "create", "--seats", "2", "--piles", "3,4,5", "--piles", "2,2"];
        server.tournament = server.word(&[&create[..], &["--start-at", "2"]].concat());
        let bots = ["random", "oracle"].map(|kind| {
            let token = server.word(&["register", kind]);
            let args = ["bot", kind, "--token", &token, "--tournament", &server.tournament, "--json"];
            server.command(&args).stdout(Stdio::null()).spawn().unwrap()
        });
        for mut bot in bots {
            assert!(bot.wait().unwrap().success());
        }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(LASTNIM);
        command.args(args).env("LASTNIM_SERVER", &self.address).env("LASTNIM_ADMIN_TOKEN", &self.admin);
        command.env_remove("LASTNIM_TOKEN");
        command
    }

    fn printed(&self, args: &[&str]) -> String {
        let (code, output, errors) = run(&mut self.command(args), "");
        assert_eq!((code, errors.as_str()), (0, ""), "{args:?}");
        output
    }

    fn word(&self, args: &[&str]) -> String {
        self.printed(args).trim_end().to_owned()
    }

    fn json(&self, args: &[&str]) -> Value {
        json(&self.printed(&[args, &["--json"]].concat()))
    }
}

#[test]
fn records_are_fetched_listed_exported_and_verified() {
    let (server, folder) = (Server::start(), Folder::new("cli-records"));
    let key = server.word(&["key"]);
    assert_eq!(server.json(&["key"]), json!({ "public_key": key }));
    let listed = server.json(&["record", "list", "--tournament", &server.tournament])["records"].clone();
    let listed = listed.as_array().unwrap();
    assert_eq!(listed.len(), 4);
    assert!(listed.iter().all(|record| record["signer"] == json!(key)));
    let id = listed[0]["match_id"].as_str().unwrap();
    let table = server.printed(&["record", "list", "--most", "2", "--bot", "oracle"]);
    assert!(table.lines().count() == 3 && table.contains(listed[0]["head"].as_str().unwrap()), "{table}");

    for (file, form) in [("a.json", &[][..]), ("b.json", &["--pretty"]), ("c.txt", &["--format", "text"])] {
        let record = server.printed(&[&["record", "get", id], form].concat());
        let file = folder.path(file);
        assert_eq!(server.printed(&[&["record", "get", id, "--output", &file], form].concat()), "");
        assert_eq!(fs::read_to_string(&file).unwrap(), record);
        let verdict = printed(&["verify", "--key", &key, &file], "");
        assert_eq!(
            verdict,
            format!("{file}: match {id}: whole, {} events, signed by the given key\n", listed[0]["events"])
        );
        let verdict = json(&printed(&["verify", "--json", "-"], &record));
        assert_eq!((&verdict["head"], &verdict["signer"]), (&listed[0]["head"], &json!(key)));
        assert_eq!((&verdict["verified"], &verdict["signed_by_key"]), (&json!(true), &Value::Null));
        let other = offline(&["verify", "--key", FROZEN_KEY, &file], "");
        assert_eq!(other.1, format!("{file}: match {id}: it is whole, but signed by another key: {key}\n"));
        assert_eq!((other.0, other.2.as_str()), (1, "error: the record does not verify\n"));
        let audit = printed(&["audit", "--json", &file], "");
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
    assert_eq!(printed(&["verify", "--key", &key, "-"], &lines).lines().count(), 4);
    let changed = lines.replacen("\"seat\":1", "\"seat\":0", 1);
    let (code, verdicts, error) = offline(&["verify", "--key", &key, "-"], &changed);
    assert_eq!((code, error.as_str()), (1, "error: 1 of 4 records do not verify\n"));
    assert!(
        verdicts.starts_with(&format!("standard input:1: match {}: event ", &files[0][..36])),
        "{verdicts}"
    );
    assert_eq!(verdicts.matches("whole, ").count(), 3, "{verdicts}");
}

/// Runs a statement on a database that no server holds.
fn execute(database: &str, statement: &str) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut client = sqlx::SqliteConnection::connect(&format!("sqlite:{database}")).await.unwrap();
        sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&mut client).await.unwrap().rows_affected()
    })
}

#[test]
fn a_damaged_match_and_another_key_keep_no_other_record_back() {
    let folder = Folder::new("cli-damaged");
    let (database, dir) = (folder.path("lastnim.db"), folder.path("records"));
    let store = format!("sqlite:{database}");
    let mut server = Server::on(&store);
    server.play();
    let old_key = server.word(&["key"]);
    let listed = server.json(&["record", "list"])["records"].clone();
    let [damaged, whole] = [0, 1].map(|at: usize| listed[at]["match_id"].as_str().unwrap().to_owned());
    drop(server);

    fs::remove_file(folder.path("lastnim.key")).unwrap();
    let server = Server::on(&store);
    let export = ["record", "export", "--dir", &dir];
    for written in ["4 written", "0 written, 4 there already"] {
        let (code, output, note) = run(&mut server.command(&export), "");
        assert_eq!((code, output), (0, format!("{dir}: {written}\n")), "{note}");
        assert_eq!(note, format!("note: 4 records are signed by another key than the server's, {old_key}\n"));
    }
    let table = server.printed(&["record", "list"]);
    assert_eq!(table.matches("by another key").count(), 4, "{table}");
    drop(server);

    let of_match = format!("match_key = (SELECT key FROM matches WHERE id = '{damaged}')");
    assert_eq!(execute(&database, &format!("DELETE FROM event_log WHERE {of_match} AND seq = 3")), 1);
    let server = Server::on(&store);
    fs::remove_dir_all(&dir).unwrap();
    let tables = folder.path("tables");
    for (args, words) in [
        (&export[..], "3 written"),
        (&["export", "--format", "csv", "--output", &tables], "3 matches"),
        (&["record", "list"], whole.as_str()),
    ] {
        let (code, output, errors) = run(&mut server.command(args), "");
        assert!(code == 1 && output.contains(words), "{args:?}: {output}{errors}");
        assert!(errors.contains(&format!("left out: match {damaged}: ")), "{args:?}: {errors}");
        let last = "error: 1 match was left out: the server's record of it is damaged";
        assert_eq!(errors.lines().last(), Some(last), "{args:?}");
    }
    assert_eq!(folder.files("records").len(), 3);
    assert_eq!(fs::read_to_string(folder.path("tables/matches.csv")).unwrap().lines().count(), 4);
}

#[test]
fn what_the_server_does_not_know_is_refused() {
    let (server, folder) = (Server::on("memory"), Folder::new("cli-unknown"));
    let (dir, file) = (folder.path("out"), folder.write("file", ""));
    let tables = ["export", "--format", "csv", "--output", &dir];
    let records = ["record", "export", "--dir", &dir];
    for command in [&tables[..], &records, &["record", "list"], &["match", "list"]] {
        for (which, unknown, words) in
            [("--tournament", NOBODY, NOBODY), ("--bot", "nope", "no bot is called nope")]
        {
            let args = [command, &[which, unknown]].concat();
            let (code, output, error) = run(&mut server.command(&args), "");
            assert_eq!((code, output.as_str(), error.lines().count()), (1, "", 1), "{args:?}: {error}");
            assert!(error.contains(words), "{args:?}: {error}");
        }
    }
    assert_eq!(folder.files(""), ["file"], "no folder is made for nothing");
    for args in [&["export", "--format", "csv", "--output", &file][..], &["record", "export", "--dir", &file]]
    {
        let (code, _, error) = run(&mut server.command(args), "");
        assert_eq!((code, error), (2, format!("error: {file}: not a folder\n")));
    }
}

#[test]
fn tables_are_exported_whole() {
    let (server, folder) = (Server::start(), Folder::new("cli-tables"));
    let dir = folder.path("tables");
    let counts = json!({"dir": dir, "matches": 4, "seats": 8, "plies": 0, "standings": 2, "still_open": 0,
                  "quarantined": 0, "damaged": 0});
    for format in ["csv", "jsonl"] {
        let mut exported = server.json(&["export", "--format", format, "--output", &dir]);
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
    let of = |rows: &[Value], bot: &str, key: &str| -> u64 {
        rows.iter().filter(|row| row["bot"] == bot).map(|row| row[key].as_u64().unwrap()).sum()
    };
    for standing in rows("standings") {
        let bot = standing["bot"].as_str().unwrap();
        let won = seats.iter().filter(|seat| seat["bot"] == bot && seat["won"] == true).count();
        assert_eq!(standing["wins"], won, "{bot}");
        let regret = of(&seats, bot, "regret");
        assert_eq!(
            standing["regret_per_match"].as_f64().map(|ranks| ranks * 4.0),
            json!(regret).as_f64(),
            "{bot}"
        );
        assert_eq!(of(&plies, bot, "regret"), regret, "{bot}");
        assert_eq!(of(&seats, bot, "own_plies"), plies.iter().filter(|ply| ply["bot"] == bot).count() as u64);
    }
    for game in &matches {
        let of_match = plies.iter().filter(|ply| ply["match_id"] == game["match_id"]);
        assert_eq!(game["plies"], of_match.clone().count());
        assert_eq!(game["errors"], of_match.filter(|ply| ply["optimal"] == false).count());
    }
    server.word(&["register", "idle"]);
    let none = server.json(&["export", "--format", "csv", "--bot", "idle", "--output", &folder.path("none")]);
    assert_eq!((&none["matches"], &none["standings"]), (&json!(0), &json!(0)));
    let header = fs::read_to_string(folder.path("none/plies.csv")).unwrap();
    assert!(
        header.starts_with("match_id,tournament_id,ply,at_us,") && header.lines().count() == 1,
        "{header}"
    );
}

#[test]
fn frozen_records_verify_in_every_form() {
    for name in FROZEN {
        let verdict = printed(&["verify", "-"], &frozen(name));
        let first = verdict.lines().next().unwrap();
        assert_eq!(
            first,
            format!("standard input: match {NOBODY}: whole, 11 events, signed by {FROZEN_KEY}")
        );
        assert!(verdict.contains("not that this is the key of the server you"), "{verdict}");
        assert!(!printed(&["verify", "--key", FROZEN_KEY, "-"], &frozen(name)).contains("This shows"));
    }
}

#[test]
fn what_was_done_to_a_record_is_said_in_one_line() {
    let [line, pretty, text] = FROZEN.map(frozen);
    let cases = [
        (text.replacen("take 2 by bot", "take 1 by bot", 1), "event 5 was changed, or "),
        (
            text.replacen("seat 1 bob\n", "seat 1 rob\n", 1).replace(" bob ", " rob "),
            "event 0 or the match's id was changed",
        ),
        (text.replacen("alice resigned", "alice timed_out", 1), "event 8 was changed, or "),
        (
            text.replacen("take 2 by bot", "take two by bot", 1),
            "line 22: take \"two\": expected a whole number",
        ),
        (
            line.replacen("\"signature\":\"5mN", "\"signature\":\"AAA", 1),
            "the signature is not the signer's on this record",
        ),
        (
            line[..line.find(",\"signer\"").unwrap()].to_owned() + "}\n",
            "it is not signed: its signature was taken away",
        ),
        (line.replacen("\"take\":\"2\"", "\"take\":\"many\"", 1), "events[5]: "),
        (
            line.replacen("{\"", "{ \"", 1),
            "only its layout differs from what lastnim writes, from line 1, column 2 on; --any-layout",
        ),
        (
            line.trim_end().to_owned(),
            "only its layout differs from what lastnim writes, from line 1, column ",
        ),
        (line[..200].to_owned(), "the record is cut off: its text ends at line 1, column 200\n"),
        (
            pretty.lines().take(30).collect::<Vec<_>>().join("\n"),
            "the record is cut off: its text ends at line 30, column ",
        ),
        (
            text[..text.find("take 2 by b").unwrap() + 11].to_owned(),
            "the record is cut off: its text ends at line 22, column ",
        ),
        (
            pretty.replacen("\": ", "\":", 1),
            "only its layout differs from what lastnim writes, from line 2, column 14 on",
        ),
        (
            text.replacen("\nevents", "\r\nevents", 1),
            "only its layout differs from what lastnim writes, from line 15, column ",
        ),
        (
            String::new(),
            "not a record: JSON begins with `{`, and the text form with the line `lastnim record 1`",
        ),
    ];
    for (changed, words) in cases {
        assert!(![&line, &pretty, &text].contains(&&changed), "{words}");
        let (code, verdict, error) = offline(&["verify", "-"], &changed);
        assert_eq!(
            (code, error.as_str(), verdict.lines().count()),
            (1, "error: the record does not verify\n", 1)
        );
        let verdict = verdict.strip_prefix("standard input: ").unwrap();
        let verdict = verdict.strip_prefix(&format!("match {NOBODY}: ")).unwrap_or(verdict);
        assert!(verdict.starts_with(words), "{words:?}: {verdict}");
        if words.contains("layout") {
            assert!(
                printed(&["verify", "--any-layout", "--key", FROZEN_KEY, "-"], &changed).contains("whole")
            );
        }
    }
    // An event that was taken out leaves a gap in the plies.
    let mut lines: Vec<_> = text.lines().collect();
    lines.retain(|line| !line.contains(" took ply 1 "));
    let removed = lines.join("\n").replacen("events 11", "events 10", 1) + "\n";
    let verdict = json(&offline(&["verify", "--json", "-"], &removed).1);
    assert_eq!(
        (&verdict["flaw"], &verdict["event"], &verdict["verified"]),
        (&json!("removed"), &json!(7), &json!(false))
    );
    let twice = line.trim_end().to_owned() + "\n" + &line + "\n" + &line;
    let (code, verdicts, _) = offline(&["verify", "-"], &twice);
    assert!(code == 1 && verdicts.contains("standard input:3: not a record"), "{verdicts}");
    assert_eq!(printed(&["verify", "--any-layout", "--key", FROZEN_KEY, "-"], &twice).lines().count(), 3);
}

#[test]
fn a_record_is_replayed_step_by_step() {
    let folder = Folder::new("cli-replay");
    let file = folder.write("record.txt", &frozen("record.txt"));
    let all = printed(&["replay", &file], "");
    assert_eq!(printed(&["replay", "-"], &frozen("record.json")), all);
    assert_eq!(printed(&["replay", "--step", &file], "\n\n\n"), all);
    for words in [
        "\nply 1: seat 2 (carol) to move, 10.000 s on the clock\n",
        "  optimal    1 of 1; then seat 0 (alice) wins\n",
        "\naudit      as under optimal play; every take was optimal\n",
    ] {
        assert!(all.contains(words), "{words:?} is not in {all}");
    }
    let left = printed(&["replay", "--step", &file], "\nq\n");
    assert!(all.starts_with(&left) && left.contains("\nply 1: ") && !left.contains("\nply 2: "), "{left}");
    let steps: Vec<_> = printed(&["replay", "--json", "--from", "1", &file], "").lines().map(json).collect();
    assert_eq!(steps.iter().map(|step| step["audit"]["ply"].clone()).collect::<Vec<_>>(), [1, 2]);
    let audit = &steps[1]["audit"];
    assert_eq!((&audit["steward"], &audit["optimal_takes"]), (&json!(true), &json!([{"lo": 2, "hi": 2}])));
    let one = printed(&["replay", "--ply", "0", &file], "");
    assert!(one.contains("\nply 0: ") && !one.contains("\nply 1: ") && !one.contains("audit"), "{one}");
}

#[test]
fn what_is_refused_is_one_line_and_a_code() {
    let folder = Folder::new("cli-refused");
    let file = folder.write("record.json", &frozen("record.json"));
    let lines = folder.write("lines.jsonl", &frozen("record.json").repeat(2));
    let cases: [(&[&str], i32, &str); 12] = [
        (&["verify"], 2, "required"),
        (
            &["verify", "--key", "AAAA", &file],
            2,
            "public key \"AAAA\", of 4 characters: expected 32 bytes in base64",
        ),
        (&["verify", "--key", &file, &file], 2, "; that is a file: give the key in it with --key \"$(cat "),
        (&["replay", "nowhere.json"], 1, "nowhere.json: "),
        (&["replay", &lines], 2, "a record in each line: give one record"),
        (&["replay", "--ply", "3", &file], 2, "--ply: ply 3: the match has the plies 0 to 2"),
        (
            &["replay", "--from", "2", "--to", "1", &file],
            2,
            "--from 2 --to 1: the first ply comes before the last",
        ),
        (&["replay", "--step", "-"], 2, "--step: standard input holds the record"),
        (&["replay", "--step", "--all", &file], 2, "cannot be used with"),
        (&["record", "get", "x"], 2, "match id \"x\": expected a UUID"),
        (&["record", "get", NOBODY, "--format", "text", "--pretty"], 2, "--pretty: it is for JSON"),
        (&["export", "--format", "parquet", "--output", "x"], 2, "parquet"),
    ];
    for (args, code, words) in cases {
        let (given, output, error) = offline(args, "");
        assert_eq!((given, output.as_str(), error.lines().count()), (code, "", 1), "{args:?}: {error}");
        assert!(error.starts_with("error: ") && error.contains(words), "{args:?}: {error}");
    }
}

#[test]
fn a_difference_at_the_ends_of_lines_is_named() {
    let [line, pretty, text] = FROZEN.map(frozen);
    let (crlf, newline) = ("lines end with CR LF instead of LF", "the newline at the end is missing");
    for (changed, cause) in [
        (text.replace('\n', "\r\n"), crlf.to_owned()),
        (pretty.replace('\n', "\r\n"), crlf.to_owned()),
        (line.trim_end().to_owned(), newline.to_owned()),
        (pretty.trim_end().replace('\n', "\r\n"), format!("{crlf}, and {newline}")),
    ] {
        let (code, verdict, _) = offline(&["verify", "-"], &changed);
        assert_eq!(code, 1);
        assert!(verdict.ends_with(&format!(" on: {cause}; --any-layout accepts that\n")), "{verdict}");
    }
}

#[test]
fn what_cannot_be_read_stops_no_other_record() {
    let folder = Folder::new("cli-unreadable");
    let line = frozen("record.json");
    let whole = folder.write("whole.json", &line);
    let (lines, missing) = (folder.path("lines.jsonl"), folder.path("missing.json"));
    let torn =
        [line.as_bytes(), b"{\xff}\n", &line.as_bytes()[..90], b"\n{\"match_id\"1}\n", line.as_bytes()]
            .concat();
    fs::write(&lines, torn).unwrap();
    let (code, verdicts, error) = offline(&["verify", "--key", FROZEN_KEY, &missing, &lines, &whole], "");
    assert_eq!((code, error.as_str()), (1, "error: 4 of 7 records do not verify\n"), "{verdicts}");
    let verdicts: Vec<_> = verdicts.lines().collect();
    assert!(verdicts[0].starts_with(&format!("{missing}: No such file")), "{verdicts:?}");
    assert_eq!(verdicts[2], format!("{lines}:2: byte 2 of the record is no UTF-8"));
    assert_eq!(verdicts[3], format!("{lines}:3: the record is cut off: its text ends at line 3, column 90"));
    assert_eq!(verdicts[4], format!("{lines}:4: expected `:` at column 12"));
    for (at, place) in [(1, format!("{lines}:1: ")), (5, format!("{lines}:5: ")), (6, format!("{whole}: "))] {
        assert!(verdicts[at].starts_with(&place) && verdicts[at].contains("whole, "), "{verdicts:?}");
    }
}

#[test]
fn a_damaged_record_is_replayed_up_to_its_flaw() {
    let folder = Folder::new("cli-replay-damaged");
    let text = frozen("record.txt");
    let short = |flaw: &str| {
        let mut lines: Vec<_> = text.lines().filter(|line| !line.contains(flaw)).collect();
        let ended = lines.pop().unwrap();
        assert!(ended.contains(" ended "), "{ended}");
        lines.join("\n").replace("events 11", "events 10") + "\n"
    };
    for (name, record, plies, words) in [
        ("short.txt", short("nothing"), 3, "events were removed from the end: the record is signed"),
        (
            "changed.txt",
            text.replacen(" took ply 1 ", " took ply 2 ", 1),
            1,
            "events were removed before event ",
        ),
    ] {
        assert_ne!(record, text);
        let file = folder.write(name, &record);
        let (code, steps, error) = offline(&["replay", &file], "");
        assert_eq!((code, steps.matches("\nply ").count()), (1, plies), "{name}: {steps}{error}");
        assert!(error.starts_with(&format!("error: {file}: {words}")), "{error}");
        let (code, steps, _) = offline(&["replay", "--json", &file], "");
        assert_eq!((code, steps.lines().count()), (1, plies), "{name}: {steps}");
    }
}

#[test]
fn a_watcher_says_that_the_connection_was_lost() {
    let mut server = Server::on("memory");
    let create = ["tournament", "create", "--seats", "2", "--piles", "3,4", "--declaration-ms", "60000"];
    let tournament = server.word(&create);
    let mut bots: Vec<_> = ["alice", "bob"]
        .map(|name| {
            let token = server.word(&["register", name]);
            let args = ["bot", "random", "--token", &token, "--tournament", &tournament];
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
    let Output { status, stderr, .. } = watcher.wait_with_output().unwrap();
    let lost = format!(
        "error: the connection to {} was lost: run the command again once `lastnim serve` runs there\n",
        server.address
    );
    assert_eq!((status.code(), text(stderr)), (Some(1), lost));
}
