//! `lastnim oracle solve` and `lastnim audit`, by running the real binary.

use serde_json::{Value, json};
use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Command, Output, Stdio},
    thread,
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");

fn lastnim(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(LASTNIM)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = thread::spawn(move || {
        // A program that does not read its input may have closed it.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Runs a command that must succeed, and returns its output.
fn printed(args: &[&str], input: &str) -> String {
    let output = lastnim(args, input.as_bytes());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must fail with a code, and returns the line that says why.
fn refusal(args: &[&str], input: &str, code: i32) -> String {
    let output = lastnim(args, input.as_bytes());
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "{args:?}");
    assert_eq!(error.lines().count(), 1, "{args:?}: {error}");
    error.trim_end().strip_prefix("error: ").unwrap().to_owned()
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_position_is_solved_as_text_and_json() {
    let figure_1 = ["oracle", "solve", "--piles", "1,2,2", "--matrix", "0 2 1; 0 1 2; 0 2 1", "--first", "0"];
    assert_eq!(
        printed(&figure_1, ""),
        "Seat 2 wins under optimal play (value 2), with seat 0 to move.\n\
         Optimal takes: 1 (2 counters in the last pile).\n\
         Winner by the seat that moves first: 0 -> 2, 1 -> 2, 2 -> 1\n\
         Ending: to_move_wins (the seat to move wins when no counter is left).\n"
    );
    let as_json = printed(&[&figure_1[..], &["--json"]].concat(), "");
    let expected = r#"{"winner":2,"value":2,"winner_by_first":[2,2,1],"optimal_takes":[{"lo":1,"hi":1}],"ending":"to_move_wins"}"#;
    assert_eq!(as_json.trim_end(), expected);
    let normal_play = [
        "oracle",
        "solve",
        "--piles",
        "9223372036854775807",
        "--players",
        "2",
        "--ending",
        "last-mover-wins",
    ];
    assert_eq!(
        json_lines(&printed(&[&normal_play[..], &["--json"]].concat(), "")),
        [json!({"winner": 0, "value": 0, "winner_by_first": [0, 1],
                "optimal_takes": [{"lo": 9_223_372_036_854_775_807_u64, "hi": 9_223_372_036_854_775_807_u64}],
                "ending": "last_mover_wins"})]
    );
    let solved = printed(&["oracle", "solve", "--piles", "0", "--players", "3", "--first", "1"], "");
    assert!(
        solved.starts_with("No counter is left: seat 1 wins (value 0), with seat 1 to move."),
        "{solved}"
    );
}

#[test]
fn an_erratum_of_the_paper_is_named() {
    let standard =
        ["oracle", "solve", "--piles", "1,2,3", "--matrix", "standard", "--players", "3", "--first", "1"];
    let text = printed(&standard, "");
    assert!(text.starts_with("Seat 2 wins under optimal play (value 1)"), "{text}");
    assert!(text.contains("\nErratum in the paper"), "{text}");
    assert!(!printed(&[&standard[..8], &["--first", "0"]].concat(), "").contains("Erratum"));
    let other_ending = [&standard[..], &["--ending", "last_mover_wins"]].concat();
    assert!(!printed(&other_ending, "").contains("Erratum"));
}

#[test]
fn usage_and_position_errors_print_one_line_and_exit_with_code_2() {
    let cases: [(&[&str], &str); 11] = [
        (&["oracle", "solve"], "the following required arguments were not provided: --piles <N,N,..>"),
        (&["oracle", "solve", "--piles", "1", "--wrong"], "unexpected argument '--wrong' found"),
        (&["slove"], "unrecognized subcommand 'slove'"),
        (
            &["oracle", "solve", "--piles", "1"],
            "the standard matrix needs the number of seats: give --players",
        ),
        (&["oracle", "solve", "--piles", "1,x", "--players", "3"], "piles: \"x\" is not a whole number"),
        (&["oracle", "solve", "--piles=-1", "--players", "3"], "piles: \"-1\" is not a whole number"),
        (
            &["oracle", "solve", "--piles", "1,0,2", "--players", "3"],
            "pile 1 has 0 counters, but a later one has 2",
        ),
        (&["oracle", "solve", "--piles", "1", "--players", "33"], "players: 33 seats: expected 2 to 32"),
        (
            &["oracle", "solve", "--piles", "1", "--players", "3", "--first", "3"],
            "first: seat 3: expected 0 to 2",
        ),
        (
            &["oracle", "solve", "--piles", "1", "--matrix", "0 1; 1 1"],
            "row 1 of the alliance matrix: offset 1 appears twice",
        ),
        (
            &["oracle", "solve", "--piles", "1", "--players", "3", "--matrix", "0 1; 1 0"],
            "3 players, but a matrix of 2 rows",
        ),
    ];
    for (args, expected) in cases {
        let error = refusal(args, "", 2);
        assert!(error.contains(expected), "{args:?}: {error}");
    }
    refusal(&["oracle", "solve", "--batch", "--piles", "1"], "", 2);
    refusal(&["oracle", "solve", "--piles", "1", "--players", "3", "--ending", "misere"], "", 2);
}

#[test]
fn a_batch_answers_every_good_line_in_order() {
    let good =
        r#"{"piles":[1,2,2],"alliance_matrix":[[0,2,1],[0,1,2],[0,2,1]],"first":0,"ending":"to_move_wins"}"#;
    let default_game = r#"{"alliance_matrix":[[0,1],[0,1]],"piles":[3,0]}"#;
    let input = [
        good,
        "",
        "nonsense",
        default_game,
        r#"{"piles":[1],"alliance_matrix":[[0,1],[0,1]],"first":2}"#,
        r#"{"piles":[1],"alliance_matrix":[[0,1],[0,1]],"ending":"misere"}"#,
        r#"{"piles":[-1],"alliance_matrix":[[0,1],[0,1]]}"#,
        r#"{"piles":[1]}"#,
        r#"{"piles":[9223372036854775808],"alliance_matrix":[[0,1],[0,1]]}"#,
        "\t\r",
        good,
    ]
    .join("\n");
    let output = lastnim(&["oracle", "solve", "--batch"], input.as_bytes());
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    let lines = json_lines(&String::from_utf8(output.stdout).unwrap());
    let solved = json!({"winner": 2, "value": 2, "winner_by_first": [2, 2, 1], "optimal_takes": [[1, 1]]});
    assert_eq!(lines.len(), 9);
    assert_eq!((&lines[0], &lines[8]), (&solved, &solved));
    assert_eq!(
        lines[2],
        json!({"winner": 0, "value": 0, "winner_by_first": [0, 1], "optimal_takes": [[2, 2]]})
    );
    let errors = [
        (1, 3, "not valid JSON: expected a value at column 2, found \"nonsense\""),
        (3, 5, "first: seat 2: expected 0 to 1"),
        (4, 6, "ending \"misere\": expected to_move_wins or last_mover_wins"),
        (5, 7, "piles[0]: -1 is not a whole number, 0 or more"),
        (6, 8, "alliance_matrix is missing: give every row, or \"players\" for the standard matrix"),
        (7, 9, "pile 0 has 9223372036854775808 counters: expected at most 9223372036854775807"),
    ];
    for (answer, line, error) in errors {
        assert_eq!(lines[answer], json!({"line": line, "error": error}));
    }
    assert_eq!(printed(&["oracle", "solve", "--batch"], "\n\n"), "");
    let ending = |name: &str| printed(&["oracle", "solve", "--batch"], &good.replace("to_move_wins", name));
    assert_eq!(ending("ENDING_LAST_MOVER_WINS"), ending("last_mover_wins"));
    assert_ne!(ending("ENDING_LAST_MOVER_WINS"), ending("ENDING_TO_MOVE_WINS"));
}

#[test]
fn only_the_unreadable_or_overlong_line_of_a_batch_is_refused() {
    let good = br#"{"piles":[3],"alliance_matrix":[[0,1],[0,1]]}"#;
    let mut input = b"\xff\n".to_vec();
    input.extend(vec![b'['; 5 << 20]);
    input.push(b'\n');
    input.extend(vec![b'['; 100_000]);
    input.push(b'\n');
    input.extend(good);
    let output = lastnim(&["oracle", "solve", "--batch"], &input);
    assert_eq!(output.status.code(), Some(3));
    let lines = json_lines(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0], json!({"line": 1, "error": "byte 1 of the line is not UTF-8"}));
    assert_eq!(lines[1]["line"], 2);
    assert_eq!(lines[2]["line"], 3);
    assert_eq!(lines[3]["winner"], 0);
}

#[test]
fn a_batch_answers_each_line_at_once() {
    let mut child = Command::new(LASTNIM)
        .args(["oracle", "solve", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        stdin.write_all(b"{\"piles\":[3],\"alliance_matrix\":[[0,1],[0,1]]}\n").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert_eq!(
            answer,
            "{\"winner\":0,\"value\":0,\"winner_by_first\":[0,1],\"optimal_takes\":[[2,2]]}\n"
        );
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_closed_output_is_not_an_error() {
    let input = "{\"piles\":[3],\"alliance_matrix\":[[0,1],[0,1]]}\n".repeat(20_000);
    let mut child = Command::new(LASTNIM)
        .args(["oracle", "solve", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    // The program ends before it has read all input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!((child.wait().unwrap().code(), errors.as_str()), (Some(0), ""));
}

const PLAYED: &str = r#"{"piles":[1,2,2],"alliance_matrix":[[0,2,1],[0,1,2],[0,2,1]],"takes":[2,1,1,1]}"#;

#[test]
fn a_bare_game_is_audited_as_text() {
    let text = printed(&["audit", "match", "-"], PLAYED);
    for expected in [
        "Seat 1 won. Under optimal play, seat 2 would have won.\n",
        "  take 1: seat 0 took 2 of 2; the predicted winner changed from seat 2 to seat 1, a loss of 1 rank for seat 0; taking 1 was optimal.\n",
        "\nFirst error: take 1.\n",
        "take 1.\n",
        "100% (1 of 1)      0            0\n",
    ] {
        assert!(text.contains(expected), "{expected:?} in {text}");
    }
    let optimal = PLAYED.replace("[2,1,1,1]", "[1,1,1,1,1]");
    let text = printed(&["audit", "match", "-"], &optimal);
    assert!(text.starts_with("Seat 2 won, as under optimal play.\n"), "{text}");
    assert!(text.contains("\nEvery take was optimal.\nNo kingmaking.\n"), "{text}");
}

#[test]
fn a_bare_game_is_audited_as_json() {
    let audit: Value = serde_json::from_str(&printed(&["audit", "match", "-", "--json"], PLAYED)).unwrap();
    let ply = |ply, seat, take, before, after, regret, counters, (sure, safety)| {
        json!({"ply": ply, "seat": seat, "take": take, "predicted_before": before, "predicted_after": after,
               "regret": regret, "optimal_takes": [{"lo": 1, "hi": 1}], "steward": false, "counters": counters,
               "guaranteed_before": sure, "guaranteed_after": sure, "guaranteed_if_optimal": sure,
               "safety": safety})
    };
    let seat = |seat, predicted, actual, satisfaction, regret, luck, (optimal, plies), sure| {
        json!({"seat": seat, "rank_predicted": predicted, "rank_actual": actual, "satisfaction": satisfaction,
               "regret": regret, "luck": luck, "accuracy": f64::from(optimal) / f64::from(plies),
               "plies": plies, "optimal_plies": optimal, "rank_guaranteed": sure,
               "safety": {"risky": 0, "needless_risks": 0, "safe_errors": 0, "hedges": 0}})
    };
    assert_eq!(
        audit,
        json!({
            "winner": 1,
            "predicted_winner": 2,
            "plies": [
                ply(0, 0, 2, 2, 1, 1, 2, (2, "error")), ply(1, 1, 1, 1, 1, 0, 2, (0, "safe")),
                ply(2, 2, 1, 1, 1, 0, 1, (1, "safe")), ply(3, 0, 1, 1, 1, 0, 1, (2, "safe"))
            ],
            "seats": [
                seat(0, 1, 2, 0.0, 1, 0, (1, 2), 2), seat(1, 1, 0, 1.0, 0, 1, (1, 1), 1),
                seat(2, 0, 1, 0.5, 0, -1, (1, 1), 2)
            ],
            "ledger": [{"costs": [1, -1, 1]}, {"costs": [0, 0, 0]}, {"costs": [0, 0, 0]}],
            "kingmaking_plies": [0],
            "first_error": 0,
            "dealt": null,
            "talk": null,
        })
    );
}

#[test]
fn games_are_audited_in_batches() {
    let bad = PLAYED.replace("[2,1,1,1]", "[2,1,1]");
    let illegal = PLAYED.replace("[2,1,1,1]", "[3]");
    let no_takes = r#"{"piles":[1],"alliance_matrix":[[0,1],[0,1]]}"#;
    let input = [PLAYED, &bad, "", &illegal, no_takes, PLAYED].join("\n");
    let output = lastnim(&["audit", "match", "--batch"], input.as_bytes());
    assert_eq!(output.status.code(), Some(3));
    let lines = json_lines(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(lines.len(), 5);
    assert_eq!((&lines[0]["winner"], &lines[0]), (&json!(1), &lines[4]));
    let seat = |seat, predicted, actual, satisfaction, regret, luck, accuracy| {
        json!({"seat": seat, "rank_predicted": predicted, "rank_actual": actual, "satisfaction": satisfaction,
               "regret": regret, "luck": luck, "accuracy": accuracy})
    };
    assert_eq!(
        lines[0]["seats"],
        json!([seat(0, 1, 2, 0.0, 1, 0, 0.5), seat(1, 1, 0, 1.0, 0, 1, 1.0), seat(2, 0, 1, 0.5, 0, -1, 1.0)])
    );
    assert_eq!(
        lines[0]["plies"][0],
        json!({"ply": 0, "seat": 0, "take": 2, "predicted_before": 2, "predicted_after": 1, "regret": 1,
               "optimal_takes": [[1, 1]]})
    );
    assert_eq!(lines[0]["ledger"], json!([[1, -1, 1], [0, 0, 0], [0, 0, 0]]));
    let errors = [
        (1, 2, "the game is not over after 3 takes: pile 0 still has 1 counter"),
        (2, 4, "take 1: a take of 3 from pile 2, which has 2 left: take 1 to 2"),
        (3, 5, "takes is missing: expected a document such as {\"piles\":[3],\"players\":2,\"takes\":[1,2]}"),
    ];
    for (answer, line, error) in errors {
        assert_eq!(lines[answer], json!({"line": line, "error": error}));
    }
}

#[test]
fn errors_in_a_multi_line_document_have_positions() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("game.json");
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(PLAYED).unwrap()).unwrap();
    fs::write(&path, &pretty).unwrap();
    let file = path.to_str().unwrap();
    assert!(printed(&["audit", "match", file], "").starts_with("Seat 1 won"));
    fs::write(&path, pretty.replace(']', "")).unwrap();
    let error = refusal(&["audit", "match", file], "", 2);
    assert!(error.starts_with(file) && error.contains(" at line "), "{error}");

    let missing = Path::new(env!("CARGO_TARGET_TMPDIR")).join("missing.json");
    let error = refusal(&["audit", "match", missing.to_str().unwrap()], "", 1);
    assert!(error.contains("missing.json: "), "{error}");
    let missing = r#"standard input: piles is missing: expected a document such as {"piles":[3],"players":2,"takes":[1,2]}"#;
    assert_eq!(refusal(&["audit", "match", "-"], "{}", 2), missing);
    assert_eq!(refusal(&["audit", "match"], "{}", 2), missing);
    assert_eq!(
        refusal(&["audit", "match"], "[[3],[[0,1],[0,1]],null,0,null,[1,2]]", 2),
        r#"standard input: [[3],[[0,1],[0,1]],null,0,null,[1,2]] is not an object: expected a document such as {"piles":[3],"players":2,"takes":[1,2]}"#
    );
    assert_eq!(
        refusal(&["audit", "match"], "nonsense", 2),
        "standard input: not valid JSON: expected a value at column 2, found \"nonsense\""
    );
    let error = refusal(&["audit", "match"], &format!("{PLAYED}\n\n{PLAYED}\n"), 2);
    assert!(error.ends_with(": these are several documents, one per line: use --batch"), "{error}");
    let error = refusal(&["audit", "match", "-"], &PLAYED.replace("[2,1,1,1]", "[9]"), 2);
    assert_eq!(error, "standard input: take 1: a take of 9 from pile 2, which has 2 left: take 1 to 2");
}

#[test]
fn the_examples_of_the_help_work() {
    let directory = Path::new(LASTNIM).parent().unwrap();
    let path = env::join_paths(
        [directory.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap())),
    )
    .unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("oracle-examples");
    // An earlier run may have left one.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut examples = 0;
    // The examples of `audit` need records, so another test runs them with a server.
    for args in [
        &["oracle", "solve", "--help"][..],
        &["oracle", "tree", "--help"],
        &["oracle", "declarations", "--help"],
    ] {
        let help = printed(args, "");
        let (_, after) = help.split_once("Examples:\n").unwrap();
        for example in after.lines().take_while(|line| line.starts_with("  ")) {
            let mut command = Command::new("sh");
            command.args(["-c", example.trim()]).env("PATH", &path).current_dir(&folder);
            let output = command.output().unwrap();
            assert!(output.status.success() && output.stderr.is_empty(), "{example}: {output:?}");
            assert!(!output.stdout.is_empty() || example.contains("--output"), "{example}");
            examples += 1;
        }
    }
    assert!(examples >= 7, "{examples}");
    assert!(printed(&["--version"], "").starts_with("lastnim "));
}

#[test]
fn an_unknown_key_is_refused_with_a_suggestion() {
    let misspelt =
        r#"{"piles":[1,2],"alliance_matrix":[[0,1],[0,1]],"endng":"last_mover_wins","takes":[2,1]}"#;
    let keys = r#""piles", "alliance_matrix", "players", "first", "ending", "takes""#;
    let expected = format!("unknown key \"endng\": did you mean \"ending\"? expected one of {keys}");
    assert_eq!(refusal(&["audit", "match"], misspelt, 2), format!("standard input: {expected}"));
    let output = lastnim(&["audit", "match", "--batch"], misspelt.as_bytes());
    assert_eq!(output.status.code(), Some(3));
    let lines = json_lines(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(lines, [json!({"line": 1, "error": expected})]);
    let output =
        lastnim(&["oracle", "solve", "--batch"], misspelt.replace(r#","takes":[2,1]"#, "").as_bytes());
    let lines = json_lines(&String::from_utf8(output.stdout).unwrap());
    let error = lines[0]["error"].as_str().unwrap();
    let start = "unknown key \"endng\": did you mean \"ending\"? expected one of \"game\", \"piles\", ";
    assert!(error.starts_with(start), "{error}");
    let strange = r#"{"piles":[1],"players":2,"xyzzyx":1}"#;
    let output = lastnim(&["oracle", "solve", "--batch"], strange.as_bytes());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("unknown key") && !text.contains("did you mean"), "{text}");
}

#[test]
fn a_batch_may_name_the_standard_matrix() {
    let written = r#"{"piles":[4,3],"alliance_matrix":[[0,1,2],[0,1,2],[0,1,2]]}"#;
    let answer = printed(&["oracle", "solve", "--batch"], written);
    for named in [
        r#"{"piles":[4,3],"alliance_matrix":"standard","players":3}"#,
        r#"{"piles":[4,3],"players":3}"#,
        r#"{"piles":[4,3],"players":3,"alliance_matrix":[[0,1,2],[0,1,2],[0,1,2]]}"#,
    ] {
        assert_eq!(printed(&["oracle", "solve", "--batch"], named), answer, "{named}");
    }
    for (bad, expected) in [
        (r#"{"piles":[1],"alliance_matrix":"standard"}"#, "alliance_matrix is missing"),
        (r#"{"piles":[1],"players":33}"#, "players: 33 seats: expected 2 to 32"),
        (r#"{"piles":[1],"players":3,"alliance_matrix":[[0,1],[0,1]]}"#, "3 players, but a matrix of 2 rows"),
        (
            r#"{"piles":[1],"alliance_matrix":"usual"}"#,
            "alliance_matrix: \"usual\" is not a list of rows, or \"standard\"",
        ),
        ("{\"piles\":[1]", "not valid JSON: the text ends inside an object at column 12"),
        (
            r#"["kayles",[5],[[0,1],[0,1]]]"#,
            r#"["kayles",[5],[[0,1],[0,1]]] is not an object: expected a document such as {"piles":[1,2,2],"players":3}"#,
        ),
        ("[]", "[] is not an object: expected a document such as "),
        ("7", "7 is not an object: expected a document such as "),
        (r#"{"piles":"x","players":3}"#, "piles: \"x\" is not a list"),
        (r#"{"piles":[1,2.5],"players":3}"#, "piles[1]: 2.5 is not a whole number, 0 or more"),
        (r#"{"piles":[1],"players":[3]}"#, "players: [3] is not a whole number, 0 or more"),
        (
            r#"{"piles":[1],"alliance_matrix":[[0,1],[0,"a"]]}"#,
            "alliance_matrix[1][1]: \"a\" is not a whole number",
        ),
        (r#"{"piles":[1],"players":3,"players":3}"#, "the key \"players\" appears a second time at column "),
        (r#"{"game":5,"piles":[1],"players":3}"#, "game: 5 is not a word"),
        (
            r#"{"game":"graph-nim","edges":[[0,1]],"vertex":0,"players":2}"#,
            "edges[0]: [0,1] is not a list of three numbers",
        ),
    ] {
        let output = lastnim(&["oracle", "solve", "--batch"], bad.as_bytes());
        let lines = json_lines(&String::from_utf8(output.stdout).unwrap());
        let error = lines[0]["error"].as_str().unwrap();
        assert!(error.contains(expected), "{bad}: {error}");
    }
}
