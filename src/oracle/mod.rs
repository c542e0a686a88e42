//! The oracle: exact solutions of a game, and the audit of a game that was played.
//!
//! Everything here is pure and follows from one definition, backward induction: every mover picks, among the winners
//! that its takes lead to, the one that its row ranks best. It lives on [`game`](crate::game) alone and knows of no
//! record, match or clock.

mod audit;
mod budget;
mod errata;
mod handover;
pub mod reference;
mod solution;
mod takes;
mod winners;

pub use audit::{Audit, AuditError, MAX_PLIES, Mover, PlayedTake, PlyAudit, SeatAudit};
pub use budget::{Budget, Halt};
pub use errata::{Erratum, erratum};
pub use solution::{Outcome, Solution};
pub use takes::{OptimalTakes, TakeRange};
pub use winners::winners;
