//! The file of a whole tournament, its bots included.
//!
//! [`file`] reads it and finds every mistake in it. Its keys are the words of the command line and of the protocol.

pub mod file;
pub mod format_table;
pub mod player;
pub mod positions_table;
pub mod settings_keys;
