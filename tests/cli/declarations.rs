//! `lastnim oracle declarations` and `lastnim audit rationalise`, by running the real binary.

use serde_json::{Value, json};
use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");
const FIGURE_1: [&str; 4] = ["--piles", "1,2,2", "--matrix", "0 2 1; 0 1 2; 0 2 1"];

fn lastnim(args: &[&str], input: &str) -> (i32, String, String) {
    let mut command = Command::new(LASTNIM);
    let piped = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    // A program that does not read its input may have closed it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (status.code().unwrap(), stdout, stderr)
}

fn printed(args: &[&str], input: &str) -> String {
    let (code, output, errors) = lastnim(args, input);
    assert_eq!((code, errors.as_str()), (0, ""), "{args:?}");
    output
}

fn refusal(args: &[&str], input: &str) -> String {
    let (code, output, errors) = lastnim(args, input);
    assert_eq!((code, output.as_str(), errors.lines().count()), (2, "", 1), "{args:?}: {errors}");
    errors.trim_end().strip_prefix("error: ").unwrap().to_owned()
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of_figure_1(question: &'static str, flags: &[&'static str]) -> Vec<&'static str> {
    [&["oracle", "declarations", question][..], &FIGURE_1, flags].concat()
}

#[test]
fn the_best_declarations_are_printed_as_text_and_json() {
    assert_eq!(
        printed(&of_figure_1("best", &["--seat", "0", "--examples", "2"]), ""),
        "Seat 0: with its true row 0 2 1, seat 2 wins (rank 1 for seat 0).\n\
         No row does better: the truth is a best declaration.\n\
         Rows that lead to this winner: 3 of 6.\n  for example 0 2 1; 2 0 1\n  all rows with 2 > 1\n"
    );
    let lines = json_lines(&printed(&of_figure_1("best", &["--json", "--examples", "1"]), ""));
    assert_eq!(lines.len(), 3, "one for each seat");
    let here = json!({"winner": 2, "rank": 1});
    assert_eq!(
        lines[1],
        json!({
            "seat": 1, "truthful": here, "best": here, "truth_is_best": true, "best_is_certain": true,
            "rows": {
                "count": {"number": "3", "exact": true}, "share": 0.5, "examples": [{"offsets": [0, 1, 2]}],
                "leaves": [{"pairs": [{"preferred": 0, "other": 2}]}], "leaves_left_out": 0,
            },
            "settled": {"complete": true, "settled": "", "all": "", "reason": ""},
        })
    );
    let huge = ["oracle", "declarations", "best", "--piles", "9", "--players", "32", "--seat", "1", "--json"];
    let all = &json_lines(&printed(&huge, ""))[0]["rows"]["count"]["number"];
    assert_eq!(all, "263130836933693530167218012160000000", "no row matters behind one pile: 32! of them");
}

#[test]
fn the_equilibria_are_printed_as_text_and_json() {
    let text = printed(&of_figure_1("equilibria", &[]), "");
    assert!(
        text.starts_with("The truth is an equilibrium: no seat alone gains by declaring another row.\n"),
        "{text}"
    );
    assert!(text.contains("\nPure Nash equilibria: 54 of 216 profiles of declared rows.\n"), "{text}");
    assert!(text.contains("\n  for example 0 2 1; 0 1 2; 0 2 1 (the truth): seat 2 wins\n"), "{text}");
    let answer = &json_lines(&printed(&of_figure_1("equilibria", &["--json"]), ""))[0];
    assert_eq!(
        (&answer["truth"]["equilibrium"], &answer["truth"]["deviation"]),
        (&json!(true), &Value::Null)
    );
    let by_winner = answer["by_winner"].as_array().unwrap().iter().map(|count| &count["number"]);
    assert_eq!(by_winner.collect::<Vec<_>>(), ["0", "27", "27"]);
    assert_eq!(answer["count"], json!({"number": "54", "exact": true}));
    assert_eq!(answer["settled"]["complete"], true);
    assert_eq!(answer["examples"].as_array().unwrap().len(), 3);
}

#[test]
fn undecided_answers_are_reported() {
    let five = [
        "oracle",
        "declarations",
        "equilibria",
        "--piles",
        "5,4,11,2,7,6",
        "--players",
        "5",
        "--max-time",
        "0s",
    ];
    let text = printed(&five, "");
    assert!(text.starts_with("It is not known whether the truth is an equilibrium"), "{text}");
    assert!(
        text.contains(
            "\nThis is incomplete: only 0 of 24883200000 profiles were examined, because the calculation was stopped"
        ),
        "{text}"
    );
    let answer = &json_lines(&printed(&[&five[..], &["--json"]].concat(), ""))[0];
    assert_eq!((&answer["truth"]["equilibrium"], &answer["count"]["exact"]), (&json!(null), &json!(false)));
    assert_eq!(answer["settled"]["complete"], json!(false));
    for reason in [&answer["settled"]["reason"], &answer["truth"]["unsettled_reason"]] {
        assert!(reason.as_str().unwrap().starts_with("the calculation was stopped"), "{answer}");
    }
    let nine = ["oracle", "declarations", "equilibria", "--piles", "3", "--players", "9"];
    assert_eq!(refusal(&nine, ""), "9 seats: expected at most 8 in a search for all equilibria");
    assert_eq!(refusal(&of_figure_1("best", &["--seat", "3"]), ""), "--seat: seat 3: expected 0 to 2");
}

#[test]
fn a_bots_rows_are_found_in_records() {
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/record.json");
    let record = record.to_str().unwrap();
    assert_eq!(
        printed(&["audit", "rationalise", "--bot", "bob", "--examples", "1", record], ""),
        "1 match with 3 seats, 1 take; the declared row is 2 0 1.\n\
         If every seat knows the row: 3 of 6 rows explain every take (50.000%), the declared one among them\n  \
         for example 2 0 1\n  all rows with 2 > 1\n\
         If the others believe the declared row: 3 of 6 rows explain every take (50.000%), the declared one among them\n  \
         for example 2 0 1\n  all rows with 2 > 1\n"
    );
    // The steward's takes say nothing about the bot.
    let alice = &json_lines(&printed(&["audit", "rationalise", "--bot", "alice", "--json", record], ""))[0];
    let alice = &alice["readings"][0];
    assert_eq!((&alice["takes"], &alice["rows"]["count"]["number"]), (&json!(0), &json!("6")));
    let nobody = refusal(&["audit", "rationalise", "--bot", "nobody", record], "");
    assert_eq!(nobody, "nobody did not play in the only match read");
}

#[test]
fn a_contradiction_names_its_takes() {
    let game =
        |takes: &str| format!("{{\"piles\":[3],\"alliance_matrix\":[[0,1],[0,1]],\"takes\":{takes}}}\n");
    let games = [game("[2,1]"), game("[1,2]"), game("[2]")].concat();
    let text = printed(&["audit", "rationalise", "--seat", "0", "-"], &games);
    let contradiction = "no row explains every take. These takes contradict each other; no smaller set does:\n  \
                         standard input:1, take 1, by seat 0: took 2 of 3, piles 3\n  \
                         standard input:2, take 1, by seat 0: took 1 of 3, piles 3\n";
    assert_eq!(
        text,
        format!(
            "3 matches with 2 seats, 3 takes; the declared row is 0 1.\nIf every seat knows the row: {contradiction}\
             If the others believe the declared row: {contradiction}"
        )
    );
    let answer = &json_lines(&printed(&["audit", "rationalise", "--seat", "0", "--json", "-"], &games))[0];
    let takes = [0, 1].map(|game| {
        let name = format!("standard input:{}", game + 1);
        json!({"game": game, "ply": 0, "seat": 0, "name": name, "piles": [3], "take": 2 - game})
    });
    let expected = json!({"takes": takes, "shortest": true, "minimality": "proved", "of_takes": null});
    for (reading, word) in
        answer["readings"].as_array().unwrap().iter().zip(["common_knowledge", "declared_believed"])
    {
        assert_eq!((&reading["contradiction"], &reading["reading"]), (&expected, &json!(word)));
        assert_eq!(reading["rows"]["count"], json!({"number": "0", "exact": true}));
    }
}

#[test]
fn unsuitable_documents_are_refused_by_name() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("games.jsonl");
    let game = r#"{"piles":[3],"alliance_matrix":[[0,1],[0,1]],"takes":[2,2]}"#;
    fs::write(&file, format!("{}\n{game}\n", game.replace("[2,2]", "[2,1]"))).unwrap();
    let file = file.to_str().unwrap();
    let left_out = |args: &[&str]| {
        let (code, output, errors) = lastnim(&[&["audit", "rationalise"], args].concat(), "");
        (code, output.lines().next().map(str::to_owned), errors)
    };
    // The valid game still counts.
    let illegal = "take 2: a take of 2 from pile 0, which has 1 left: take 1 to 1";
    let expected =
        format!("left out: {file}:2: {illegal}\nerror: 1 document was left out; see the messages above\n");
    let counted = "1 match with 2 seats, 1 take; the declared row is 0 1.".to_owned();
    assert_eq!(left_out(&["--seat", "1", file]), (1, Some(counted), expected));
    let nameless = "--bot bob: a game has no bot names: use --seat instead";
    let expected = format!(
        "left out: {file}:1: {nameless}\nleft out: {file}:2: {nameless}\nerror: 2 documents were left out; see the messages above\n"
    );
    assert_eq!(left_out(&["--bot", "bob", file]), (1, None, expected));
    assert!(refusal(&["audit", "rationalise", file], "").contains("required"));
    refusal(&["audit", "rationalise", "--seat", "0", "--bot", "bob", file], "");
}
