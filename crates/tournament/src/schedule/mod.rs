//! Schedules of the matches that a tournament plays, one file per format.
//!
//! All formats use one of three mechanisms: `planned` if every match is known in advance, `in_rounds` if a round
//! depends on earlier rounds, and `sprt`, which stops early.

mod balanced_tables;
mod bet_capitals;
mod capital_path;
mod field_change;
mod gauntlet;
mod in_rounds;
mod knockout;
mod ladder;
mod match_limiter;
mod meetings;
mod numbers;
mod opponents;
mod pair_order;
mod plan;
mod planned;
mod position_order;
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
pub use match_limiter::MatchLimiter;
pub use plan::{count_matches, group_size, plan_schedule};
pub use repetition::RepeatedGroups;
pub use schedule::{Schedule, ScheduleStep, TotalMatches};
pub use sprt_verdict::{SprtAnswer, SprtVerdict};
pub use suspension::{Suspension, SuspensionReason};
pub use verdict::{Bye, FormatVerdict, KnockoutBot, KnockoutExit};

pub(super) use numbers::NumberSequence;
