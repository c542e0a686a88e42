//! Tournament files: a whole tournament in one file, checked with the real binary.

use serde_json::{Value, json};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{self, Command, Output},
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");
const FORMATS: [&str; 6] = ["round-robin", "gauntlet", "swiss", "knockout", "ladder", "sprt"];

/// A folder for this test, removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("lastnim-cup-{name}-{}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn example(format: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(format!("{format}.toml"))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn check(file: &Path, more: &[&str]) -> Output {
    Command::new(LASTNIM).args(["tournament", "check"]).arg(file).args(more).output().unwrap()
}

/// Returns the mistakes in a file's text, as `LINE: what`.
fn mistakes(name: &str, file: &str) -> Vec<String> {
    let folder = Folder::new(name);
    let file = folder.write("cup.toml", file);
    let output = check(&file, &[]);
    assert_eq!((output.status.code(), text(output.stdout).as_str()), (Some(2), ""));
    let prefix = format!("{}:", file.display());
    text(output.stderr).lines().map(|line| line.strip_prefix(&prefix).unwrap().to_owned()).collect()
}

#[test]
fn every_format_has_a_valid_example() {
    let printed_format = |format: &str| {
        let output = check(&example(format), &["--json"]);
        assert_eq!((output.status.code(), text(output.stderr).as_str()), (Some(0), ""), "{format}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let matches = FORMATS.map(|format| {
        let said = &printed_format(format)["matches"];
        (said["bound"].as_str().unwrap().to_owned(), said["matches"].as_u64().unwrap())
    });
    let expected = [
        ("exactly", 24),
        ("exactly", 24),
        ("exactly", 24),
        ("exactly", 12),
        ("at_most", 80),
        ("at_most", 800),
    ];
    assert_eq!(matches, expected.map(|(bound, matches)| (bound.to_owned(), matches)));
    let files = fs::read_dir(example("x").parent().unwrap()).unwrap().map(|file| file.unwrap().path());
    // A run leaves a folder next to its file.
    let files = files.filter(|file| file.extension().is_some_and(|ending| ending == "toml"));
    assert_eq!(
        files.count(),
        FORMATS.len() + 2,
        "every file of examples/ is an example of a format or of models, or measures house bots"
    );
}

#[test]
fn the_file_that_measures_the_house_bots_is_valid() {
    let printed = text(check(&example("house-bots"), &[]).stdout);
    let line = |label: &str| printed.lines().find_map(|line| line.strip_prefix(label)).unwrap().trim();
    assert_eq!(line("matches"), "12000");
    assert!(line("bots").starts_with("17: oracle (house bot oracle), "), "{printed}");
    assert!(!printed.contains("note"), "each group draws new rows: {printed}");
    let page = include_str!("../../docs/reference/house-bots.md");
    let (_, measured) = page.split_once("| bot | regret a match |").unwrap();
    let measured = measured.lines().skip(2).map_while(|row| row.strip_prefix("| `")?.split('`').next());
    let mut measured: Vec<_> = measured.collect();
    let file = fs::read_to_string(example("house-bots")).unwrap();
    let mut named: Vec<_> = file.lines().filter_map(|line| line.strip_prefix("house = ")).collect();
    measured.sort_unstable();
    named.sort_unstable();
    assert_eq!(measured.iter().map(|bot| format!("{bot:?}")).collect::<Vec<_>>(), named);
}

#[test]
fn a_tournament_file_is_described_in_words() {
    let printed = text(check(&example("round-robin"), &[]).stdout);
    let line = |label: &str| printed.lines().find_map(|line| line.strip_prefix(label)).unwrap().trim();
    assert_eq!(line("format"), "round robin");
    assert_eq!(
        line("bots"),
        "4: oracle (house bot oracle), greedy (house bot greedy), timid (house bot timid), mine (lastnim bot run loyal)"
    );
    assert_eq!((line("positions"), line("matches"), line("seed")), ("2: 3,4,5; 2,2", "24", "1"));
    assert!(!printed.contains("note"), "each table comes to each position once: {printed}");
}

#[test]
fn repeated_groups_are_noted() {
    let with_random_rows = fs::read_to_string(example("sprt")).unwrap();
    assert!(!text(check(&example("sprt"), &[]).stdout).contains("note"), "each group draws new rows");
    let file = with_random_rows.replace("alliance = \"random\"", "alliance = \"standard\"");
    let folder = Folder::new("repetition");
    let file = folder.write("cup.toml", &file);
    let printed = text(check(&file, &[]).stdout);
    assert!(printed.contains("note       only 50 of 400 groups can be different: "), "{printed}");
    let json: Value = serde_json::from_slice(&check(&file, &["--json"]).stdout).unwrap();
    assert_eq!(json["repetition"], json!({ "groups": 400, "different": 50 }));
}

#[test]
fn check_says_how_often_the_best_bot_finishes_first() {
    let printed_format = |format: &str| {
        let json: Value = serde_json::from_slice(&check(&example(format), &["--json"]).stdout).unwrap();
        json["resolution"].clone()
    };
    let swiss = printed_format("swiss");
    let first = &swiss["best_first"];
    let [chance, low, high] = ["chance", "low", "high"].map(|key| first[key].as_f64().unwrap());
    assert!(0.2 < low && low < chance && chance < high && high < 0.9, "{swiss}");
    assert_eq!(
        (&first["tournaments"], &swiss["unit"], &swiss["enough"]),
        (&json!(400), &json!("rounds"), &json!(false))
    );
    let needed = swiss["needed"].as_u64().unwrap();
    assert!((4..100).contains(&needed), "{swiss}");
    let printed = text(check(&example("swiss"), &[]).stdout);
    let line = printed.lines().find_map(|line| line.strip_prefix("best bot")).unwrap().trim();
    let begin = format!("finishes first in {:.0}% of 400 simulated tournaments (", 100.0 * chance);
    assert!(
        line.starts_with(&begin)
            && line.ends_with(&format!("; to reach 90%, the tournament needs about {needed} rounds")),
        "{line}"
    );
    let sprt = printed_format("sprt");
    assert_eq!(
        sprt,
        json!({ "unknown": "a sequential test compares two named bots and plays until it has an answer" })
    );
    let printed = text(check(&example("sprt"), &[]).stdout);
    assert!(
        printed.contains("best bot   finishes first with an unknown probability: a sequential test "),
        "{printed}"
    );
}

#[test]
fn every_mistake_is_found_at_once() {
    let file = r#"title = " "
seat = 3
seats = "3"
seed = -1
ending = "draw"
strikes = 0
[format]
kind = "swis"
[positions]
list = [[3, 4, 5],
  [2, 0],
  ["x"]]
paper = true
[retention]
match = 7
[[bot]]
name = "A"
house = "gready"
[[bot]]
name = "a"
command = []
"#;
    let found = mistakes("every", file);
    let expected = [
        "1: title: a blank title: expected 1 to 100 characters",
        "2: seat: unknown key: did you mean `seats`? expected one of title, seats,",
        "3: seats: \"3\" is not a whole number",
        "4: seed: -1 is out of range: ",
        "5: ending: \"draw\": expected one of to-move-wins, last-mover-wins",
        "6: strikes: 0 is not a whole number from 1 to 100",
        "8: format.kind: \"swis\": did you mean \"swiss\"? expected one of round-robin, gauntlet, swiss",
        "9: positions: list and paper: expected exactly one of `list`, `drawn` and `paper = true`",
        "11: positions.list[1]: pile 1 has 0 counters",
        "12: positions.list[2]: \"x\" is not a whole number",
        "15: retention.match: unknown key: did you mean `matches`? expected one of matches,",
        "17: bot[0].name: bot name \"A\": expected 1 to 32",
        "18: bot[0].house: house bot \"gready\": expected one of random,",
        "21: bot[1].command: []: expected a list of strings",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found} is not {expected}");
    }
}

#[test]
fn variables_that_no_program_may_have_are_found() {
    let bots = "[[bot]]\nname = \"first\"\nhouse = \"oracle\"\nenv = { A = \"1\" }\n\
         [[bot]]\nname = \"second\"\ncommand = [\"./a\"]\n\
         env = { \"A B\" = \"1\", LASTNIM_TOKEN = \"x\", C = \"\\u0000\" }\n\
         pass_env = [\"C\", \"LASTNIM_ADMIN_TOKEN\"]\n\
         [[bot]]\nname = \"third\"\ncommand = [\"./a\"]\nenv = { A = 1 }\n\
         [[bot]]\nname = \"fourth\"\ncommand = [\"./a\"]\npass_env = \"A\"\n";
    let settings = "seats = 2\n[positions]\nlist = [[3, 4]]\n";
    let found = mistakes("variables", &(settings.to_owned() + bots));
    let expected = [
        "7: bot[0].env: only a bot with `command` can have this key",
        "11: bot[1].env: \"A B\": expected the name of a variable, such as \"OPENAI_API_KEY\"",
        "11: bot[1].env: C: the value contains a NUL character",
        "11: bot[1].env: LASTNIM_TOKEN: lastnim sets this variable for each bot",
        "12: bot[1].pass_env: C: `env` also has a value for this variable: use only one of the two",
        "12: bot[1].pass_env: LASTNIM_ADMIN_TOKEN: this is the organiser's secret, and bots never get it",
        "16: bot[2].env: {\"A\":1}: expected a table of strings, such as { MODE = \"fast\" }",
        "20: bot[3].pass_env: \"A\": expected a list of strings, such as [\"OPENAI_API_KEY\"]",
    ];
    assert_eq!(found, expected);

    let folder = Folder::new("passed");
    let bots =
        bots.replace("env = { A = \"1\" }", "").split("[[bot]]").take(2).collect::<Vec<_>>().join("[[bot]]");
    let passed = "[[bot]]\nname = \"second\"\ncommand = [\"./a\"]\npass_env = [\"NOT_SET\"]\n";
    let file = folder.write("cup.toml", &(settings.to_owned() + &bots + passed));
    let output = check(&file, &[]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(output.stderr);
    assert!(said.contains("bot second: pass_env: NOT_SET is not set: set it, or leave it out"), "{said}");
}

#[test]
fn conflicting_settings_are_found_with_their_line() {
    let file = r#"seats = 3
alliance = [[0, 1],
  [0, 0]]
concurrency = 20000
positions = { list = [[3, 4],
  [2, 0]] }
[format]
kind = "sprt"
candidate = "orcle"
baseline = "timid"
effect_some = 40
alpha = 0
groups = 5
rounds = 3
[[bot]]
name = "oracle"
house = "oracle"
seed = 3
[[bot]]
name = "timid"
house = "timid"
remote = true
"#;
    let found = mistakes("together", file);
    let expected = [
        "3: alliance[1]: offset 0 appears twice in the row",
        "4: concurrency: 20000 concurrent matches",
        "6: positions.list[1]: pile 1 has 0 counters",
        "9: format.candidate: no bot named \"orcle\" plays: did you mean \"oracle\"? expected one of oracle, timid",
        "11: format.effect_some: a gain of 40 as better and 0 as no better",
        "12: format.alpha: 0 is not a number from 0.0001 to 0.5",
        "14: format.rounds: unknown key: ",
        "18: bot[0].seed: only language models and the house bots random",
        "19: bot: expected one of `command`, `house`, `llm` and `remote = true`",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found} is not {expected}");
    }
    let bots = "[[bot]]\nname = \"a\"\nhouse = \"oracle\"\n";
    let few = format!("seats = 2\npositions = {{ paper = true }}\n{bots}");
    assert_eq!(mistakes("few", &few), ["3: bot: a field of 1 bot: expected at least 2, one per seat"]);
    let named = format!(
        "{few}[[bot]]\nname = \"a\"\nhouse = \"timid\"\n[format]\nkind = \"gauntlet\"\nbot = \"b\"\n"
    );
    assert_eq!(
        mistakes("named", &named),
        [
            "6: bot: two bots are called a: use different names",
            "11: format.bot: no bot named \"b\" plays: did you mean \"a\"? expected one of a, a"
        ]
    );
    let named = named.replacen("\"a\"", "\"c\"", 1);
    assert_eq!(
        mistakes("named", &named),
        ["11: format.bot: no bot named \"b\" plays: did you mean \"c\"? expected one of c, a"]
    );
    assert_eq!(mistakes("toml", "seats = 3\nseats = 4\n")[0].split(' ').next(), Some("2:"));
}
