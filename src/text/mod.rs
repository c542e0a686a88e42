//! What several subcommands print for people.

pub mod numbers;
pub mod row_sets;
