//! `lastnim oracle solve --game`: the other games.

use crate::terminal::assert_all_shown;

/// One position of each game.
const GAMES: [&str; 11] = [
    "last-nim --piles 2,3",
    "nim --piles 3,2,1",
    "small-nim --piles 2,3",
    "circular-nim --piles 2,2,2 --window 2",
    "fibonacci-nim --piles 8",
    "graph-nim --edges 0-1:2,1-2:1 --vertex 0",
    "kayles --piles 5",
    "subtraction --set 1,3,4 --piles 9",
    "digits --piles 21",
    "stone-piles --piles 6",
    "end-nim --piles 2,1,2",
];

#[test]
fn every_game_is_solved() {
    for (name, more) in [
        ("two_seats", "--players 2 --ending last-mover-wins"),
        ("three_seats", "--players 3"),
        ("explained", "--players 3 --explain"),
        ("json", "--players 2 --ending last-mover-wins --json"),
    ] {
        let lines = GAMES.map(|game| format!("lastnim oracle solve --game {game} {more}"));
        assert_all_shown("solve_games", name, &lines.each_ref().map(String::as_str));
    }
}

#[test]
fn the_safety_of_the_winner_is_assessed() {
    let lines = [
        "lastnim oracle solve --game nim --piles 2,3 --players 3 --robust",
        "lastnim oracle solve --game kayles --piles 6 --players 4 --robust --max-coalition 1 --explain",
        "lastnim oracle solve --game end-nim --piles 2,1,2 --players 2 --robust",
        "lastnim oracle solve --game last-nim --piles 2,4 --players 3 --robust",
        "lastnim oracle solve --game nim --piles 1,1 --players 3 --robust --json",
    ];
    assert_all_shown("solve_games", "robust", &lines);
}

#[test]
fn the_default_ending_of_each_game_is_printed() {
    let lines = [
        "lastnim oracle solve --game last-nim --piles 2,3 --players 2",
        "lastnim oracle solve --game subtraction --set 1,3,4 --piles 21 --players 2",
        "lastnim oracle solve --game take-away --set 1,3,4 --piles 21 --players 2 --ending to-move-wins",
        "lastnim oracle solve --game bounded-nim --max 3 --piles 21 --players 2",
        "lastnim oracle solve --game advanced-nim --piles 3 --players 2",
        "lastnim oracle solve --game end-nim --piles 2,1,2 --players 2",
        "echo '{\"game\":\"take-away\",\"max\":3,\"piles\":[4],\"players\":2}' | lastnim oracle solve --batch",
    ];
    assert_all_shown("solve_games", "endings", &lines);
}

#[test]
fn a_grundy_value_is_shown_step_by_step() {
    let lines = [
        "lastnim oracle solve --game nim --piles 13,12,8 --players 2 --explain",
        "lastnim oracle solve --game kayles --piles 5 --players 2 --explain",
        "lastnim oracle solve --game kayles --piles 2,2 --players 2 --explain",
        "lastnim oracle solve --game nim --piles 100 --players 2 --explain",
        "lastnim oracle solve --game take-away --set 1,3,4 --piles 5,7 --players 2 --explain --ending to-move-wins",
        "lastnim oracle solve --game kayles --piles 3,1 --players 2 --explain --json",
    ];
    assert_all_shown("solve_games", "grundy_steps", &lines);
}

#[test]
fn invalid_games_are_named() {
    let lines = [
        "lastnim oracle solve --game kayle --piles 3 --players 2",
        "lastnim oracle solve --game chess --piles 3 --players 2",
        "lastnim oracle solve --game kayles --piles 3 --window 2 --players 2",
        "lastnim oracle solve --game circular-nim --piles 3,3 --players 2",
        "lastnim oracle solve --game circular-nim --piles 3,3 --window 3 --players 2",
        "lastnim oracle solve --game subtraction --piles 3 --set 0 --players 2",
        "lastnim oracle solve --game subtraction --piles 3 --players 2",
        "lastnim oracle solve --game bounded-nim --piles 3 --max 2000 --players 2",
        "lastnim oracle solve --game subtraction --piles 3 --max 2 --set 1 --players 2",
        "lastnim oracle solve --game kayles --piles 3 --max 2 --players 2",
        "lastnim oracle solve --piles 3 --max 2 --players 2",
        "echo '{\"game\":\"take-away\",\"max\":3,\"set\":[1],\"piles\":[4],\"players\":2}' | lastnim oracle solve --batch",
        "lastnim oracle solve --game fibonacci-nim --piles 3,4 --players 2",
        "lastnim oracle solve --game nim --piles 1000001 --players 2",
        "lastnim oracle solve --game nim --players 2",
        "lastnim oracle solve --game graph-nim --edges 0-1 --vertex 0 --players 2",
        "lastnim oracle solve --game graph-nim --edges 0-64:1 --vertex 0 --players 2",
        "lastnim oracle solve --game graph-nim --edges 0-1:1 --players 2",
        "lastnim oracle solve --game last-nim --piles 3 --players 2 --max-states 9",
    ];
    assert_all_shown("solve_games", "errors", &lines);
}

#[test]
fn a_reached_limit_is_named() {
    let lines = [
        "lastnim oracle solve --game nim --piles 9,9,9,9 --players 3 --max-states 100",
        "lastnim oracle solve --game kayles --piles 30 --players 2 --ending last-mover-wins --max-states 5",
        "echo '{\"piles\":[9,9,9],\"players\":3,\"game\":\"nim\"}' | lastnim oracle solve --batch --max-states 100",
    ];
    assert_all_shown("solve_games", "limits", &lines);
}
