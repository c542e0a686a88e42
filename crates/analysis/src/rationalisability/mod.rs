//! Finds the rows that explain how a seat played.
//!
//! A row explains a take if the take was optimal under it, given the others' rows. The exact meaning depends on what
//! the others know about the row: see [`KnowledgeReading`]. The answer is a set of rows, which may be large. If it is
//! empty, the proof is a [`Contradiction`]: a few takes that no single row explains.

mod added_game;
mod belief;
mod contradiction;
mod cover;
mod explained_leaves;
mod knowledge;
mod rationalisable_rows;
mod seat_takes;
mod shortest_contradiction;

pub use added_game::{AddGameOutcome, StoredGameLimits};
pub use contradiction::{Contradiction, Minimality, TakeOfGame};
pub use rationalisable_rows::{AddGameError, DeclaredRow, KnowledgeReading, RationalisableRows};
