//! `lastnim sequence`.

use crate::terminal::is_shown;

#[test]
fn values_and_their_period_are_listed() {
    let lines = [
        "lastnim sequence --game kayles --to 12",
        "lastnim sequence --game advanced-nim --to 5 --json",
        "lastnim sequence --game subtraction --set 4,1,3 --to 14",
        "lastnim sequence --game take-away --set 2,3 --to 3 --csv",
        "lastnim sequence --game bounded-nim --max 3 --to 4 --json",
        "lastnim sequence --game nim --to 3",
        "lastnim sequence --game digits --to 11",
        "lastnim sequence --game stone-piles --to 8",
        "lastnim sequence --game fibonacci-nim --to 8",
        "lastnim sequence --game subtraction --set 1,200000 --to 3",
        "lastnim sequence --game kayles --to 250 | tail -n 7",
        "lastnim sequence --game kayles --to 100000 --csv 2>&1 | tail -n 6",
    ];
    is_shown("sequence", "listed", &lines);
}

#[test]
fn what_has_no_sequence_is_named() {
    let lines = [
        "lastnim sequence",
        "lastnim sequence --game chess",
        "lastnim sequence --game end-nim",
        "lastnim sequence --game last-nim",
        "lastnim sequence --game graph-nim --json",
        "lastnim sequence --game subtraction",
        "lastnim sequence --game kayles --set 1,2",
        "lastnim sequence --game subtraction --set 1,x",
        "lastnim sequence --game subtraction --set 0",
        "lastnim sequence --game subtraction --max 1025",
        "lastnim sequence --game subtraction --max 3 --set 1,2",
        "lastnim sequence --game kayles --to 100001",
        "lastnim sequence --game fibonacci-nim --to 50 --max-states 100",
        "lastnim sequence --game stone-piles --to 100000 --max-seconds 0",
    ];
    is_shown("sequence", "errors", &lines);
}
