//! What several subcommands print for people.

pub mod explanation;
pub mod numbers;
pub mod robustness;
pub mod row_sets;
