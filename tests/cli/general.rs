//! `lastnim oracle solve --game`, by running the real binary.

use serde_json::{Value, json};
use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");

fn solve(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(LASTNIM)
        .args(["oracle", "solve"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that rejects its arguments does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Solves a game, and returns the output.
fn printed(args: &str) -> String {
    let output = solve(&args.split(' ').collect::<Vec<_>>(), "");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{args}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must be refused with a code, and returns the line that says why.
fn refusal(args: &str, code: i32) -> String {
    let output = solve(&args.split(' ').collect::<Vec<_>>(), "");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(code), &b""[..]), "{args}: {error}");
    assert_eq!(error.lines().count(), 1, "{args}: {error}");
    error.trim_end().strip_prefix("error: ").unwrap().to_owned()
}

fn json(args: &str) -> Value {
    serde_json::from_str(&printed(&format!("{args} --json"))).unwrap()
}

#[test]
fn a_game_of_three_is_solved_as_text() {
    assert_eq!(
        printed("--game kayles --piles 3 --players 3 --ending to-move-wins"),
        "kayles 3: remove one stone or two adjacent stones from a row; this can split the row.\n\
         Ending: to_move_wins (the seat to move wins when no counter is left).\n\
         Seat 0 wins under optimal play (value 0), with seat 0 to move.\n\
         Winner by the seat that moves first: 0 -> 0, 1 -> 1, 2 -> 2\n\
         Optimal moves, 1 of 5:\n\
         \x20 remove 1 stone from row 0, with 1 before it and 1 after -> 1,1\n\
         Solved by backward induction; states solved: 5.\n"
    );
    let solved = printed("--game nim --piles 0,0 --players 3 --first 1 --ending last-mover-wins");
    assert!(solved.contains("\nSeat 1 has no move: seat 0 wins (value 2).\n"), "{solved}");
}

#[test]
fn a_game_of_two_has_an_outcome_and_a_grundy_value() {
    let two = "--players 2";
    let text = printed(&format!("--game nim --piles 13,12,8 {two}"));
    for expected in [
        "\nWinning moves, 3 of 33:\n  take 9 from pile 0 -> 4,12,8\n  take 7 from pile 1 -> 13,5,8\n",
        "\nOutcome: N, the seat to move wins.\n",
        "\nGrundy value (under last_mover_wins play): 9, the exclusive or of 13 of 13, 12 of 12, 8 of 8.\n",
        "\nSolved by Grundy values; states solved: ",
    ] {
        assert!(text.contains(expected), "{expected:?} in {text}");
    }
    let ends = printed(&format!("--game end-nim --piles 2,1,1 {two}"));
    assert!(
        ends.contains(
            "\nGrundy value (under last_mover_wins play): none, because the moves depend on the seat.\n"
        ),
        "{ends}"
    );
    let many = printed(&format!("--game nim --piles 60,60 {two}"));
    assert!(
        many.contains("\nOptimal moves, 120 of 120:\n")
            && many.contains("\n  and 100 more, which --json lists\n")
    );
}

#[test]
fn every_game_is_solved_as_json() {
    let two = "--players 2 --ending last-mover-wins";
    let cases = [
        ("--game nim --piles 1,2,3", "p", json!(0)),
        ("--game small-nim --piles 2,1", "p", json!(0)),
        ("--game circular-nim --window 2 --piles 3,3,3", "p", json!(0)),
        ("--game fibonacci-nim --piles 13", "p", json!(0)),
        ("--game fibonacci-nim --piles 13 --most 13", "n", json!(1)),
        ("--game graph-nim --edges 0-1:1,1-2:1 --vertex 0", "p", json!(0)),
        ("--game kayles --piles 5", "n", json!(4)),
        ("--game subtraction --set 1,3,4 --piles 21", "p", json!(0)),
        ("--game digits --piles 20", "p", json!(0)),
        ("--game stone-piles --piles 8", "p", json!(0)),
        ("--game end-nim --piles 1", "n", json!(null)),
    ];
    for (args, outcome, grundy) in cases {
        let answer = json(&format!("{args} {two}"));
        let two = &answer["two_players"];
        assert_eq!((&two["outcome"], two["grundy"].is_null()), (&json!(outcome), grundy.is_null()), "{args}");
        assert!(answer["options"].as_array().is_some_and(|options| !options.is_empty()), "{args}");
        if outcome == "p" {
            assert_eq!(two["grundy"]["value"], grundy, "{args}");
        }
    }
    assert_eq!(
        json("--game subtraction --set 3 --piles 4 --players 3 --first 2 --ending to-move-wins"),
        json!({
            "ruleset": "subtraction", "winner": 0, "value": 1, "winner_by_first": [1, 2, 0],
            "options": [{"play": "take 3 from pile 0", "position": "1", "winner": 0, "optimal": true, "regret": 0}],
            "options_left_out": 0, "method": "backward_induction", "states": 2, "two_players": null, "ending": "to_move_wins", "robustness": null
        })
    );
}

#[test]
fn invalid_games_are_refused_in_one_line() {
    let cases = [
        (
            "--game kayle --piles 3 --players 2",
            "unknown game \"kayle\": did you mean kayles? expected one of last-nim, nim,",
        ),
        ("--game kayles --piles 3 --window 2 --players 2", "kayles does not use --window: leave it out"),
        ("--piles 3 --set 1 --players 2", "last-nim does not use --set: leave it out"),
        ("--game circular-nim --piles 3,3 --players 2", "circular-nim needs --window"),
        ("--game circular-nim --piles 3,3 --window 3 --players 2", "a window of 3 piles in a circle of 2"),
        ("--game subtraction --piles 3 --set 0 --players 2", "0 in the set"),
        ("--game fibonacci-nim --piles 3,4 --players 2", "2 piles: expected 1 pile in fibonacci-nim"),
        (
            "--game nim --piles 1000001 --players 2",
            "pile 0 has size 1000001: expected at most 1000000 in this game",
        ),
        ("--game graph-nim --edges 0-1 --vertex 0 --players 2", "edges: \"0-1\" is not an edge"),
        ("--game graph-nim --edges 0-64:1 --vertex 0 --players 2", "edge 0 ends at vertex 64"),
        ("--game graph-nim --edges 0-1:1 --players 2", "graph-nim needs --vertex"),
        (
            "--game graph-nim --edges 0-1:1,1-2:3 --vertex 5 --players 2",
            "the token is on vertex 5, which no edge touches: the edges are 0-1:1, 1-2:3",
        ),
        ("--game foo --piles 3 --players 2", "unknown game \"foo\": expected one of last-nim, nim,"),
        ("--piles 3 --players 2 --max-states 9", "--max-states limits a search"),
        ("--game kayles --piles 3", "the standard matrix needs the number of seats: give --players"),
        ("--game kayles --piles 3 --players 2 --first 2", "first: seat 2: expected 0 to 1"),
        ("--game kayles --players 2", "required arguments were not provided: --piles"),
        ("--batch --game kayles", "cannot be used with"),
    ];
    for (args, expected) in cases {
        let error = refusal(args, 2);
        assert!(error.contains(expected), "{args}: {error}");
    }
}

#[test]
fn reached_limits_are_named() {
    let error = refusal("--game nim --piles 40,40,40 --players 3 --max-states 1000", 2);
    assert!(
        error.starts_with(
            "nim 40,40,40 with 3 seats: the search needs more than 1000 states (--max-states); states solved so far: "
        ),
        "{error}"
    );
    let error = refusal("--game digits --piles 100000 --players 3 --max-memory 1", 2);
    assert!(
        error.contains("the search needs more than 1 MiB (--max-memory); states solved so far: "),
        "{error}"
    );
    let error = refusal("--game nim --piles 900,900,900,900 --players 5 --max-time 0s", 2);
    assert!(
        error.contains("the search was stopped after 0s (--max-time); states solved so far: 0")
            && error.contains("allow more time"),
        "{error}"
    );
}

#[test]
fn a_batch_may_name_games() {
    let lines = [
        r#"{"game":"kayles","piles":[5],"alliance_matrix":[[0,1],[0,1]],"ending":"last_mover_wins"}"#,
        r#"{"game":"last-nim","piles":[4,3],"alliance_matrix":[[0,1],[0,1]]}"#,
        r#"{"game":"graph-nim","edges":[[0,1,2]],"vertex":0,"alliance_matrix":[[0,1,2],[0,1,2],[0,1,2]],"first":1}"#,
        r#"{"game":"chess","alliance_matrix":[[0,1],[0,1]]}"#,
        r#"{"game":"nim","piles":[90,90,90],"alliance_matrix":[[0,1,2],[0,1,2],[0,1,2]]}"#,
    ];
    let output = solve(&["--batch", "--max-states", "100"], &lines.join("\n"));
    assert_eq!(output.status.code(), Some(3));
    let answers: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 5);
    assert_eq!(
        (&answers[0]["game"], &answers[0]["grundy"]),
        (&json!("kayles"), &json!({"value": 4, "ending": "last_mover_wins"}))
    );
    assert_eq!(answers[1]["method"], json!("cap_theorem"));
    assert_eq!(answers[2]["options"].as_array().unwrap().len(), 2);
    assert_eq!((&answers[3]["line"], &answers[4]["line"]), (&json!(4), &json!(5)));
    assert!(answers[3]["error"].as_str().unwrap().starts_with("unknown game \"chess\""));
    assert!(
        answers[4]["error"]
            .as_str()
            .unwrap()
            .contains("the search needs more than 100 states (--max-states)")
    );
}

#[test]
fn the_default_ending_depends_on_the_game() {
    // One counter is left, and the seat to move takes it: the last mover is seat 0, and then seat 1 is to move.
    for (game, winner) in [("last-nim", 1), ("nim", 0), ("kayles", 0), ("digits", 0), ("end-nim", 0)] {
        let asked = format!("--game {game} --piles 1 --players 2");
        assert_eq!(json(&asked)["winner"], winner, "{asked}");
        assert_eq!(json(&format!("{asked} --ending to-move-wins"))["winner"], 1, "{asked}");
        assert_eq!(json(&format!("{asked} --ending last-mover-wins"))["winner"], 0, "{asked}");
        let line = format!(r#"{{"game":"{game}","piles":[1],"players":2}}"#);
        let output = solve(&["--batch"], &line);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["winner"], winner, "{line}");
    }
    assert_eq!(json("--piles 1 --players 2")["winner"], 1, "Last Nim without its name");
}

#[test]
fn misere_play_does_not_use_the_grundy_value_of_normal_play() {
    let misere = "--game nim --piles 1 --players 2 --ending to-move-wins";
    let text = printed(misere);
    assert!(
        text.contains("Outcome: P") && text.contains("Grundy value (under last_mover_wins play): 1."),
        "{text}"
    );
    let answer = json(misere);
    let grundy = &answer["two_players"]["grundy"];
    assert_eq!((&grundy["value"], &grundy["ending"]), (&json!(1), &json!("last_mover_wins")));
}

#[test]
fn last_nim_can_be_named_like_other_games() {
    let two = "--piles 3,4 --players 2";
    let answer = json(&format!("--game last-nim {two}"));
    let keys = ["ruleset", "winner", "value", "winner_by_first", "options", "method"];
    assert!(keys.iter().all(|key| !answer[key].is_null()), "{answer}");
    assert!(["outcome", "grundy"].iter().all(|key| !answer["two_players"][key].is_null()), "{answer}");
    let text = printed(&format!("--game last-nim {two}"));
    let short = printed(two);
    for text in [&text, &short] {
        assert!(text.contains("\nOutcome: N, the seat to move wins.\n"), "{text}");
    }
    assert!(text.contains("Winning moves, ") && text.contains("Grundy value (under "), "{text}");
    assert!(!printed("--piles 3,4 --players 3").contains("Outcome"));
}

#[test]
fn every_move_of_a_game_is_explained() {
    let text = printed("--game kayles --piles 3 --players 3 --ending to-move-wins --explain");
    assert!(text.contains("Seat 0 has 5 moves:\n"), "{text}");
    let moves: Vec<_> = text.lines().filter(|line| line.starts_with("  ")).collect();
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!((moves.len(), words(moves[0])), (6, words("move leads to winner regret")), "{text}");
    assert!(words(moves[1]).ends_with(&words("1,1 seat 0 0")), "{text}");
    assert!(moves[2..].iter().all(|line| !line.ends_with(" 0")), "{text}");
    let many = printed("--game nim --piles 60,60 --players 3 --explain");
    assert!(many.contains("\n  and 100 more, which --json lists\n"), "{many}");
}
