//! `lastnim oracle declarations`.

use crate::terminal::assert_all_shown;

#[test]
fn the_best_declarations_are_found() {
    let lines = [
        "lastnim oracle declarations best --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1'",
        "lastnim oracle declarations best --piles 3,4,5 --players 3 --seat 1 --examples 1",
        "lastnim oracle declarations best --piles 2,7,3 --matrix '2 1 0; 1 2 0; 0 1 2' --seat 0",
        "lastnim oracle declarations best --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1' --json",
    ];
    assert_all_shown("declarations", "best", &lines);
}

#[test]
fn the_equilibria_are_found() {
    let lines = [
        "lastnim oracle declarations equilibria --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1'",
        "lastnim oracle declarations equilibria --piles 2,7,3 --matrix '2 1 0; 1 2 0; 0 1 2' --examples 1",
        "lastnim oracle declarations equilibria --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1' --json",
    ];
    assert_all_shown("declarations", "equilibria", &lines);
}

#[test]
fn undecided_and_invalid_questions_are_reported() {
    let unsettled = "lastnim oracle declarations equilibria --piles 5,4,11,2,7,6 --players 5 --max-time 0s";
    assert_all_shown("declarations", "unsettled", &[unsettled, &format!("{unsettled} --json")]);
    let errors = [
        "lastnim oracle declarations",
        "lastnim oracle declarations worst --piles 3",
        "lastnim oracle declarations best --piles 3,4 --players 3 --seat 3",
        "lastnim oracle declarations best --piles 3,4",
        "lastnim oracle declarations equilibria --piles 3 --players 9",
        "lastnim oracle declarations equilibria --piles 3,x --players 3",
    ];
    assert_all_shown("declarations", "errors", &errors);
}
