//! Finds the rows that explain how a seat played.
//!
//! A row explains a take if the take was optimal under it, given the others' rows. The exact meaning depends on what
//! the others know about the row: see [`KnowledgeReading`]. The answer is a set of rows, which may be large. If it is
//! empty, the proof is a [`Contradiction`]: a few takes that no single row explains.

mod added_game;
mod belief;
mod contradiction;
mod cover;
mod explained;
mod knowledge;
mod rationalisable_rows;
mod shortest;
mod takes_of_seat;

pub use added_game::{AddedGame, KeptGameLimits};
pub use contradiction::{Contradiction, Minimality, TakeOfGame};
pub use rationalisable_rows::{AddGameError, DeclaredRow, KnowledgeReading, RationalisableRows};
