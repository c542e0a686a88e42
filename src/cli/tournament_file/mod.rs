//! The file of a whole tournament, its bots included.
//!
//! [`plan`] reads it and finds every mistake in it. Its keys are the words of the command line and of the protocol.

pub mod format_table;
pub mod plan;
pub mod player;
pub mod positions_table;
pub mod settings_keys;
