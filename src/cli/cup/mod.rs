//! A cup: a whole tournament in one file, its bots included.
//!
//! [`cup_file`] reads the file and finds every mistake in it; `check` says what it comes to, and `run` plays
//! it. The keys of the file are the words of the command line and of the protocol.

mod check;
mod cup_file;
mod format_table;
mod player;
mod positions_table;
mod reading;
mod run;
mod section;
mod settings_keys;

pub(super) use check::{CheckArgs, check};
pub(super) use run::{RunArgs, SuperviseArgs, run, supervise};
