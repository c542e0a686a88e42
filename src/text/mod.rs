//! Text that several subcommands print.

pub mod numbers;
pub mod row_sets;
