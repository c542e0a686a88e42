//! Schedules: which matches a tournament asks for, one file for each format.
//!
//! Three ways of going on carry all formats: `planned` where every match is known beforehand, `in_rounds` where a round
//! depends on the rounds before it, and `sprt`, which stops when it knows enough.

mod balanced_tables;
mod bet_capitals;
mod capital_path;
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

pub use bet_capitals::BetCapitals;
pub use capital_path::CapitalPoint;
pub use field_change::{FieldChange, FieldMovement};
pub use lineup::MatchLimiter;
pub use plan::{count_matches, group_size, plan_schedule};
pub use repetition::RepeatedGroups;
pub use schedule::{Schedule, ScheduleStep, TotalMatches};
pub use sprt_verdict::{SprtAnswer, SprtVerdict};
pub use suspension::{Suspension, SuspensionReason};
pub use verdict::{FormatVerdict, KnockoutPlace};

pub(super) use numbers::NumberSequence;
