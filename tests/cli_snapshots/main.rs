//! What the command line prints, pinned: help, results in words and in JSON, and errors, of every command.
//!
//! Each snapshot is a file in `snapshots/`, in the folder of its module and named after what it shows. It reads like a
//! terminal: a command after `$`, what it prints, what it writes to standard error after `!`, and its exit code unless that is 0.
//! JSON that is too long for a line is broken at its commas, and otherwise stands as it is printed.
//!
//! The program is run as a process, in a folder of the test's own and without the environment of whoever runs the tests.
//! What differs from run to run (ids, tokens, times, hashes, ports) is replaced by [`stable_text`]; the version always is.
//! All else is the same in every run: seeds are given, the bots are deterministic, and one match is played at a time.
//!
//! A test that fails prints the difference. To accept one that was decided on:
//!
//! ```text
//! INSTA_UPDATE=always cargo test --test cli_snapshots
//! git diff tests/cli_snapshots
//! ```
//!
//! Without that variable a failing test leaves what it found in a `.snap.new` file beside the old one, which git ignores,
//! and with `CI=true` it writes nothing.

mod json_layout;
mod server;
mod stable_text;
mod terminal;

mod audit;
mod bot;
mod bot_audit;
mod bots;
mod check_history;
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
