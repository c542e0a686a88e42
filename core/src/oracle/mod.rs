//! The oracle: exact solutions of a game, and the audit of a game that was played.
//!
//! Everything here is pure and follows from one definition, backward induction: every mover picks, among the winners
//! that its takes lead to, the one that its row ranks best. It lives on [`game`](crate::game) alone and knows of no
//! record, match or clock.

mod audit;
mod batch;
mod budget;
mod declarations;
mod errata;
mod explanation;
pub mod general;
mod lazy;
mod rationalisability;
mod recurrence;
pub mod reference;
mod robustness;
mod solution;
mod takes;
pub mod tree;
mod winners;

pub use audit::{Audit, AuditError, MAX_PLIES, Mover, PlayedTake, PlyAudit, SeatAudit};
pub use batch::{BatchSolver, WinnersByFirst};
pub use budget::{Budget, HaltReason};
pub(crate) use declarations::can_declare_to_win;
pub use declarations::{
    BestDeclaration, Completeness, DeclarationProspect, Deviation, Equilibria, EquilibriaError,
    MAX_EQUILIBRIA_SEATS, MAX_LEAVES, MAX_REGIONS, RowProfiles, TruthCheck,
};
pub use errata::{Erratum, FoundErratum, find_erratum};
pub use explanation::{BestLine, Explanation, RankChange, TakeOption};
pub use lazy::{LinearExtensions, PartialRow, RowCount, RowSet};
pub use rationalisability::{
    AddGameError, AddedGame, Contradiction, DeclaredRow, KeptGameLimits, KnowledgeReading, Minimality,
    RationalisableRows, TakeOfGame,
};
pub use robustness::{
    Coalition, ErrorOutlook, ErrorOutlookError, ErrorRate, ErrorRateError, GuaranteedRanks,
    MAX_ERRING_COUNTERS, Robustness, SeatErrorOutlook, SeatRobustness, SmallestCoalition, TakeGuarantee,
    TakeRobustness, TakeSafety, TakeSafetyCounts,
};
pub use solution::{Solution, TakeOutcome};
pub use takes::{OptimalTakes, TakeRange};
pub use winners::solve_winners;
