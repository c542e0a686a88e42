//! Analyses of a game beyond its winner: trees, declarations, dealt rows and pacts, rationalisable rows, robustness,
//! variants, and other games.
//!
//! This crate has no I/O and builds on the oracle of `lastnim_core`. Expensive queries take a
//! [`Budget`](lastnim_core::oracle::Budget).

#![forbid(unsafe_code)]

pub mod deals;
mod declarations;
pub mod general;
mod lazy;
mod rationalisability;
mod robustness;
pub mod tree;
pub mod variants;

pub use declarations::{
    BestDeclaration, Completeness, DeclarationProspect, Deviation, Equilibria, EquilibriaError,
    MAX_EQUILIBRIA_SEATS, MAX_LEAVES, MAX_REGIONS, RowProfiles, TruthCheck, can_declare_to_win,
};
pub use lazy::{PartialRow, RowCount, RowSet};
pub use rationalisability::{
    AddGameError, AddGameOutcome, Contradiction, DeclaredRow, KnowledgeReading, Minimality,
    RationalisableRows, StoredGameLimits, TakeOfGame,
};
pub use robustness::{
    Coalition, ErrorOutlook, ErrorOutlookError, ErrorRate, ErrorRateError, MAX_ERRING_COUNTERS, Robustness,
    SeatErrorOutlook, SeatRobustness, SmallestCoalition,
};
