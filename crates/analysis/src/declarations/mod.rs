//! What seats do best to declare, under optimal play of what is declared.
//!
//! The game's own rows are taken for what the seats truly prefer. A seat may declare any of n! rows; optimal play
//! then follows the rows declared, and each seat judges the winner by its true row.

mod best;
mod equilibria;
mod profiles;
mod settled;
mod truth;

pub use best::{BestDeclaration, DeclarationProspect, MAX_LEAVES, can_declare_to_win};
pub use equilibria::{Equilibria, EquilibriaError, MAX_EQUILIBRIA_SEATS, MAX_REGIONS};
pub use profiles::RowProfiles;
pub use settled::Completeness;
pub use truth::{Deviation, TruthCheck};
