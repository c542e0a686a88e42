//! `lastnim demo`.

use crate::terminal::{Terminal, assert_all_shown};

#[test]
fn a_demo_with_a_seed_is_reproducible() {
    // The README shows its text output, and has a separate test.
    // The field is in the order in which the bots joined, which varies.
    let line = "lastnim demo --seed 7 --json | sed '/\"field\"/,/]/d'";
    Terminal::live().run(line).assert_shown("demo", "json");
}

#[test]
fn invalid_demo_flags_are_refused() {
    assert_all_shown("demo", "errors", &["lastnim demo --seed x", "lastnim demo 3"]);
}
