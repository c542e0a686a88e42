//! The file of a whole tournament, its bots included.
//!
//! [`plan`] reads it and finds every mistake in it. Its keys are the words of the command line and of the protocol.

pub mod llm_entry;
pub mod llm_table;
pub mod plan;
pub mod player;
pub mod settings;
#[cfg(test)]
mod tests;
