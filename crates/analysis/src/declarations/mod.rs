//! The best declarations of seats, given that play is optimal for the declared rows.
//!
//! The rows of the game are the seats' true preferences. A seat may declare any of the n! rows. Play is optimal for the
//! declared rows, but each seat judges the winner by its true row.

mod best_declaration;
mod completeness;
mod equilibria;
mod profile_search;
mod profiles;
mod truth;

pub(crate) use best_declaration::best_rank_among;
pub use best_declaration::{BestDeclaration, DeclarationProspect, MAX_LEAVES, can_declare_to_win};
pub use completeness::Completeness;
pub(crate) use equilibria::count_profiles;
pub use equilibria::{Equilibria, EquilibriaError, MAX_EQUILIBRIA_SEATS, MAX_REGIONS};
pub(crate) use profile_search::{DeviationVerdict, ProfileSearch};
pub use profiles::RowProfiles;
pub use truth::{Deviation, TruthCheck};
