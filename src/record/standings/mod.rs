//! `lastnim record standings`: the standings of a tournament, computed from the records of its matches alone.

mod command;
mod replayed;
mod settings;

pub use command::{StandingsArgs, run};
pub use replayed::{ComputedStandings, OmittedMatches, RatingChoice, ReplayedResults};
pub use settings::ShownTournament;
