//! The file of a whole tournament, including its bots.
//!
//! [`plan`] reads it and finds every mistake in it. Its keys are named like flags and protocol fields.

pub mod llm_entry;
pub mod llm_table;
pub mod plan;
pub mod player;
pub mod sandbox_table;
pub mod settings;
#[cfg(test)]
mod tests;
