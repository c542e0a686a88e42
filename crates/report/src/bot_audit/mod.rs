//! Audits of bots over many matches.

pub(crate) mod comparisons;
mod figures;
mod pairs;
mod preferences;
mod puzzles;
mod report;
pub(crate) mod talk;
pub(crate) mod trust;
mod verdict;

pub use report::bot_audit_report;
