//! The oracle for Last Nim: exact winners, optimal takes, and the audit of a played match.
//!
//! Everything follows from backward induction: among the winners that its takes lead to, every mover picks the one that
//! its row ranks best. The code is pure and depends on [`game`](crate::game) alone.

mod audit;
mod batch;
mod budget;
mod dealt_audit;
mod errata;
mod explanation;
mod guaranteed_ranks;
pub mod recurrence;
pub mod reference;
mod solution;
mod take_guarantee;
mod take_safety;
mod takes;
mod winners;

pub use audit::{Audit, AuditError, MAX_PLIES, Mover, PlayedTake, PlyAudit, SeatAudit};
pub use batch::{BatchSolver, WinnersByFirst};
pub use budget::{Budget, HaltReason};
pub use dealt_audit::{DealtAudit, DealtRanks};
pub use errata::{Erratum, ErratumMatch, find_erratum};
pub use explanation::{BestLine, Explanation, RankChange, TakeOption};
pub use guaranteed_ranks::GuaranteedRanks;
pub use solution::{Solution, TakeOutcome};
pub use take_guarantee::{TakeGuarantee, TakeSafetyCounts};
pub use take_safety::{TakeRobustness, TakeSafety};
pub use takes::{OptimalTakes, TakeRange, describe_takes};
pub use winners::solve_winners;
