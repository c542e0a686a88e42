//! `lastnim oracle deals`.

use crate::terminal::assert_all_shown;

const PACT_PAYS: &str = "lastnim oracle deals --piles 2,2,2 --matrix '1 2 0; 1 0 2; 0 2 1'";

#[test]
fn deals_that_pay_off_are_found() {
    let lines = [
        "lastnim oracle deals --piles 3,1,1 --matrix '1 2 0; 0 2 1; 0 1 2'",
        PACT_PAYS,
        "lastnim oracle deals --piles 2,3,1 --matrix '1 2 0; 2 1 0; 0 1 2' --max-members 3",
        "lastnim oracle deals --piles 1,1,1 --matrix '1 2 0; 2 0 1; 0 2 1' --ending last-mover-wins",
        &format!("{PACT_PAYS} --json --examples 1"),
    ];
    assert_all_shown("deals", "what_pays", &lines);
}

#[test]
fn declarations_pacts_and_takes_are_measured() {
    let pacts = "--declared '2 1 0; 0 1 2; 0 2 1' --pact '0: 2>1; 1: 2>1' --pact '0: 1>2>0; 2:'";
    let measured = format!("{PACT_PAYS} {pacts} --takes 2,1,1,2");
    assert_all_shown("deals", "measures", &[&measured, &format!("{measured} --json")]);
}

#[test]
fn undecided_and_invalid_questions_are_reported() {
    let unsettled = "lastnim oracle deals --piles 5,4,11,2,7,6 --players 5 --declared '0 1 2 3 4; 0 1 2 3 4; 0 1 2 3 4; \
                     0 1 2 3 4; 1 0 2 3 4' --max-time 0s";
    assert_all_shown("deals", "unsettled", &[unsettled, &format!("{unsettled} --json")]);
    let command_with = |flags: &str| format!("{PACT_PAYS} {flags}");
    let declared = "--declared '1 2 0; 1 0 2; 0 2 1'";
    let errors = [
        "lastnim oracle deals --piles 3 --players 9".to_owned(),
        command_with("--max-members 9"),
        command_with("--pact '0: 1>2; 1: 2>1'"),
        command_with("--takes 2,2,2"),
        command_with("--declared '1 2 0; 1 0 2'"),
        command_with("--declared '1 2 0; 1 0 2; 0 2 2'"),
        command_with(&format!("{declared} --pact '0: 1>2'")),
        command_with(&format!("{declared} --pact '0: 1>2; 1'")),
        command_with(&format!("{declared} --pact '0: 1>3; 1: 2>1'")),
        command_with(&format!("{declared} --pact '0: 1>2>0>1; 1: 2>1'")),
        command_with(&format!("{declared} --takes 2,3")),
        command_with(&format!("{declared} --takes 2,2")),
    ];
    assert_all_shown("deals", "errors", &errors.each_ref().map(String::as_str));
}
