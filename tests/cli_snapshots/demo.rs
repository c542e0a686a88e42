//! `lastnim demo`.

use crate::terminal::{Terminal, is_shown};

#[test]
fn a_demo_with_a_seed() {
    // The README shows what it prints in words, and has a test of its own.
    // The field stands in the order in which the bots joined, which is any.
    let line = "lastnim demo --seed 7 --json | sed '/\"field\"/,/]/d'";
    Terminal::live().run(line).is_snapshot("demo", "json");
}

#[test]
fn what_is_no_demo() {
    is_shown("demo", "errors", &["lastnim demo --seed x", "lastnim demo 3"]);
}
