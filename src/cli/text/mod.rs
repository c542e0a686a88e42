//! What several subcommands print for people.

pub mod cross_table;
pub mod explanation;
pub mod format;
pub mod matches;
pub mod numbers;
pub mod row_sets;
pub mod standings;
pub mod table;
pub mod tournament;
pub mod verdict;
pub mod word;
