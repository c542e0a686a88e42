//! Schedules: which matches a tournament asks for, one file for each format.
//!
//! Three ways of going on carry all formats: `planned` where every match is known beforehand, `in_rounds` where a round
//! depends on the rounds before it, and `sprt`, which stops when it knows enough.

mod balanced_tables;
mod field_change;
mod gauntlet;
mod in_rounds;
mod knockout;
mod ladder;
mod lineup;
mod meetings;
mod numbers;
mod opponents;
mod pair_order;
mod plan;
mod planned;
mod repetition;
mod round_robin;
mod sample;
mod schedule;
mod seating;
mod sequential_test;
mod sprt;
mod sprt_verdict;
mod subsets;
mod suspension;
mod swiss;
#[cfg(test)]
mod tests;
mod verdict;

pub use field_change::{FieldChange, Movement};
pub use lineup::Lineup;
pub use plan::{count_matches, plan_schedule};
pub use repetition::Repetition;
pub use schedule::{Schedule, Step, Total};
pub use sprt_verdict::{SprtAnswer, SprtVerdict};
pub use suspension::{Suspension, SuspensionReason};
pub use verdict::{KnockoutPlace, Verdict};

pub(super) use numbers::Numbers;
