//! Snapshots of the output of every command: help, results as text and as JSON, and errors.
//!
//! Each snapshot is a file in `snapshots/`, in the folder of its module and named after its content. It reads like a
//! terminal: a command after `$`, what it prints, what it writes to standard error after `!`, and its exit code unless that is 0.
//! JSON that is too long for a line is broken at its commas, and otherwise appears as it is printed.
//!
//! The program is run as a process, in the test's own folder and without the environment of the user who runs the
//! tests. What differs from run to run (ids, tokens, times, hashes, ports) is replaced by [`stable_text`]; the
//! version always is. Everything else is the same in every run: seeds are fixed, the bots are deterministic, and one
//! match is played at a time.
//!
//! A test that fails prints the difference. To accept an intended difference:
//!
//! ```text
//! INSTA_UPDATE=always cargo test --test cli_snapshots
//! git diff tests/cli_snapshots
//! ```
//!
//! Without that variable a failing test leaves its output in a `.snap.new` file next to the old one, which git
//! ignores, and with `CI=true` it writes nothing.

mod json_layout;
mod server;
mod stable_text;
mod terminal;

mod audit;
mod bot;
mod bot_audit;
mod bots;
mod check_history;
mod deals;
mod declarations;
mod demo;
mod export;
mod files;
mod help;
mod login;
mod manifest;
mod matches;
mod practice;
mod rationalise;
mod records;
mod refusals;
mod replay;
mod sequence;
mod serve;
mod solve;
mod solve_games;
mod standings;
mod store;
mod tournament;
mod tournament_check;
mod tournament_run;
mod tree;
mod usage;
mod verify;
