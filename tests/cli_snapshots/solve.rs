//! `lastnim oracle solve`, of Last Nim itself.

use crate::terminal::assert_all_shown;

#[test]
fn positions_are_solved() {
    let text = [
        "lastnim oracle solve --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1'",
        "lastnim oracle solve --piles 4,3 --matrix standard --players 4 --first 2",
        "lastnim oracle solve --piles 9223372036854775807,7 --players 5",
        "lastnim oracle solve --piles '3 4 5' --players 2 --ending last-mover-wins",
        "lastnim oracle solve --piles 1 --players 2",
        "lastnim oracle solve --piles 0 --players 3 --first 1",
    ];
    assert_all_shown("solve", "text", &text);
    assert_all_shown(
        "solve",
        "erratum_of_the_paper",
        &["lastnim oracle solve --piles 1,2,3 --players 3 --first 1"],
    );
    let json = [
        "lastnim oracle solve --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1' --json",
        "lastnim oracle solve --piles 9223372036854775807,7 --matrix standard --players 5 --json",
        "lastnim oracle solve --piles 0 --players 3 --json",
    ];
    assert_all_shown("solve", "json", &json);
}

#[test]
fn solutions_are_explained() {
    let lines = [
        "lastnim oracle solve --piles 3,4,5 --players 3 --explain",
        "lastnim oracle solve --piles 9,1000000000000 --players 3 --explain",
        "lastnim oracle solve --piles 0 --players 3 --explain",
        "lastnim oracle solve --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1' --explain --json",
    ];
    assert_all_shown("solve", "explained", &lines);
}

#[test]
fn variants_are_solved() {
    let lines = [
        "lastnim oracle solve --piles 3,4,5 --matrix '0 1=2; 0 1=2; 0 1=2'",
        "lastnim oracle solve --piles 2,9223372036854775807 --matrix '0=1=2; 2 0=1; 1 0 2' --first 1",
        "lastnim oracle solve --piles 2,5 --players 3 --passes 2",
        "lastnim oracle solve --piles 9223372036854775807,7 --players 5 --passes 1 --ending last-mover-wins",
        "lastnim oracle solve --piles 3,4,5 --players 4 --alliances 0,2",
        "lastnim oracle solve --piles 3,4 --players 3 --random-seats 1",
        "lastnim oracle solve --piles 3,4 --players 3 --random-seats 1 --first 1",
        "lastnim oracle solve --piles 0 --players 3 --passes 1",
    ];
    assert_all_shown("solve", "variants", &lines);
    let json = [
        "lastnim oracle solve --piles 3,4,5 --matrix '0 1=2; 0 1=2; 0 1=2' --json",
        "lastnim oracle solve --piles 2,5 --players 3 --passes 2 --json",
        "lastnim oracle solve --piles 3,4,5 --players 4 --alliances 0,2 --json",
        "lastnim oracle solve --piles 3,4 --players 3 --random-seats 1 --json",
    ];
    assert_all_shown("solve", "variants_json", &json);
    let refused = [
        "lastnim oracle solve --piles 3 --matrix '0 1=; 0 1'",
        "lastnim oracle solve --piles 3 --matrix '0=1; 0=0'",
        "lastnim oracle solve --piles 3 --matrix '0=1; 0 1' --players 3",
        "lastnim oracle solve --piles 3 --matrix '0=1; 0 1' --passes 2",
        "lastnim oracle solve --piles 3 --matrix '0=1; 0 1' --robust",
        "lastnim oracle solve --piles 3 --matrix '0=1; 0 1' --first 2",
        "lastnim oracle tree --piles 3 --matrix '0=1; 0 1'",
        "lastnim oracle solve --piles 3 --players 2 --passes 1001",
        "lastnim oracle solve --piles 3 --players 2 --passes 2 --random-seats 1",
        "lastnim oracle solve --piles 3 --players 2 --passes 2 --explain",
        "lastnim oracle solve --game nim --piles 3 --players 2 --passes 2",
        "lastnim oracle solve --piles 3 --alliances 0,2",
        "lastnim oracle solve --piles 3 --players 4 --alliances 0,4",
        "lastnim oracle solve --piles 3 --players 2 --alliances 0,1",
        "lastnim oracle solve --piles 3 --matrix '0 1; 0 1' --alliances 0",
        "lastnim oracle solve --piles 3 --players 3 --random-seats 1,1",
        "lastnim oracle solve --piles 3 --players 3 --random-seats ''",
        "lastnim oracle solve --piles 9223372036854775807 --players 3 --random-seats 1",
        "lastnim oracle solve --piles 3 --players 3 --passes 1 --max-states 5",
    ];
    assert_all_shown("solve", "variants_refused", &refused);
}

#[test]
fn the_safety_of_the_winner_is_assessed() {
    let lines = [
        "lastnim oracle solve --piles 3,4,5 --players 3 --robust",
        "lastnim oracle solve --piles 3,4,5 --players 3 --robust --error-rate 0.05",
        "lastnim oracle solve --piles 9,4,7 --players 5 --robust --max-coalition 1",
        "lastnim oracle solve --piles 9223372036854775807,7 --players 32 --robust --max-coalition 1 --explain",
        "lastnim oracle solve --piles 0 --players 3 --robust --error-rate 1",
        "lastnim oracle solve --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1' --robust --error-rate 0.25 --json",
    ];
    assert_all_shown("solve", "robust", &lines);
    let refused = [
        "lastnim oracle solve --piles 3,4 --players 3 --robust --error-rate 5%",
        "lastnim oracle solve --piles 3,4 --players 3 --robust --max-coalition 0",
        "lastnim oracle solve --piles 3,4 --players 3 --error-rate 0.1",
        "lastnim oracle solve --piles 9223372036854775807,7 --players 3 --robust --error-rate 0.1",
        "lastnim oracle solve --piles 3,4 --players 3 --robust --max-states 5",
        "lastnim oracle solve --game nim --piles 3,4 --players 3 --robust --error-rate 0.1",
        "lastnim oracle solve --game nim --piles 30,40 --players 3 --robust --max-states 5",
    ];
    assert_all_shown("solve", "robust_refused", &refused);
}

#[test]
fn a_batch_is_answered_line_by_line() {
    let batch = "printf '%s\\n' '{\"piles\":[1,2,2],\"alliance_matrix\":[[0,2,1],[0,1,2],[0,2,1]]}' \\
  '{\"piles\":[3,4,5],\"players\":3,\"first\":2,\"ending\":\"last_mover_wins\"}' '' \\
  '{\"piles\":[5],\"players\":3,\"game\":\"kayles\"}' nonsense '{\"piles\":[3]}' '{\"piles\":[3],\"player\":3}' \\
  '{\"piles\":[-1],\"players\":2}' '{\"piles\":[3],\"players\":2,\"first\":2}' '{\"piles\":[3,' \\
  '{\"piles\":[3],\"players\":2,\"ending\":\"misere\"}' '{\"piles\":[3],\"players\":2,\"game\":\"kayle\"}' \\
  | lastnim oracle solve --batch";
    assert_all_shown("solve", "batch", &[batch]);
}

#[test]
fn positions_that_cannot_be_solved_are_named() {
    let lines = [
        "lastnim oracle solve",
        "lastnim oracle solve --piles 3",
        "lastnim oracle solve --piles 3,x --players 3",
        "lastnim oracle solve --piles=-1 --players 3",
        "lastnim oracle solve --piles 1,0,2 --players 3",
        "lastnim oracle solve --piles 9223372036854775808 --players 2",
        "lastnim oracle solve --piles 1 --players 33",
        "lastnim oracle solve --piles 1 --players 1",
        "lastnim oracle solve --piles 1 --players 3 --first 3",
        "lastnim oracle solve --piles 1 --matrix '0 1; 1 1'",
        "lastnim oracle solve --piles 1 --matrix '0 1; 1 2'",
        "lastnim oracle solve --piles 1 --matrix '0 1; 1'",
        "lastnim oracle solve --piles 1 --matrix '0 x; 1 0'",
        "lastnim oracle solve --piles 1 --players 3 --matrix '0 1; 1 0'",
        "lastnim oracle solve --piles 1 --players 3 --ending misere",
        "lastnim oracle solve --batch --piles 1",
        "lastnim oracle solve --piles 3 --set 1 --players 2",
        "lastnim oracle solve --piles 3 --players 2 --max-time 3s",
    ];
    assert_all_shown("solve", "errors", &lines);
}
