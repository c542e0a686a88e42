//! `lastnim oracle sequence`.

use crate::terminal::assert_all_shown;

#[test]
fn values_and_their_period_are_listed() {
    let lines = [
        "lastnim oracle sequence --game kayles --to 12",
        "lastnim oracle sequence --game advanced-nim --to 5 --json",
        "lastnim oracle sequence --game subtraction --set 4,1,3 --to 14",
        "lastnim oracle sequence --game take-away --set 2,3 --to 3 --csv",
        "lastnim oracle sequence --game bounded-nim --max 3 --to 4 --json",
        "lastnim oracle sequence --game nim --to 3",
        "lastnim oracle sequence --game digits --to 11",
        "lastnim oracle sequence --game stone-piles --to 8",
        "lastnim oracle sequence --game fibonacci-nim --to 8",
        "lastnim oracle sequence --game subtraction --set 1,200000 --to 3",
        "lastnim oracle sequence --game kayles --to 250 | tail -n 7",
        "lastnim oracle sequence --game kayles --to 100000 --csv 2>&1 | tail -n 6",
    ];
    assert_all_shown("sequence", "listed", &lines);
}

#[test]
fn games_without_a_sequence_are_named() {
    let lines = [
        "lastnim oracle sequence",
        "lastnim oracle sequence --game chess",
        "lastnim oracle sequence --game end-nim",
        "lastnim oracle sequence --game last-nim",
        "lastnim oracle sequence --game graph-nim --json",
        "lastnim oracle sequence --game subtraction",
        "lastnim oracle sequence --game kayles --set 1,2",
        "lastnim oracle sequence --game subtraction --set 1,x",
        "lastnim oracle sequence --game subtraction --set 0",
        "lastnim oracle sequence --game subtraction --max 1025",
        "lastnim oracle sequence --game subtraction --max 3 --set 1,2",
        "lastnim oracle sequence --game kayles --to 100001",
        "lastnim oracle sequence --game fibonacci-nim --to 50 --max-states 100",
        "lastnim oracle sequence --game stone-piles --to 100000 --max-time 0s",
    ];
    assert_all_shown("sequence", "errors", &lines);
}
