//! Bots held against the oracle over many matches: figures with intervals, preferences, who helps whom, puzzles.
//!
//! Everything here is pure, streams, and is in constant memory: matches come one at a time with their audits, in any
//! order, and chance derives from a seed and the matches themselves. It lives on [`game`](crate::game) and
//! [`oracle`](crate::oracle), with the [`Draw`](crate::tournament::Draw) of tournaments, and knows of no record: whoever has
//! records audits them and hands the audits over.
//!
//! Takes of the steward are nobody's: they count for no bot.

mod audited_match;
mod auditor;
mod bootstrap;
mod circumstance;
mod estimate;
mod explained_rows;
mod favouritism;
mod favouritism_tally;
mod figures;
mod findings;
mod group;
mod kingmaking;
mod pair;
mod permutations;
mod place_sums;
mod preference;
mod puzzles;
mod replicates;
#[cfg(test)]
#[expect(
    clippy::cast_precision_loss,
    clippy::manual_is_multiple_of,
    reason = "the numbers of a test are small"
)]
mod tests;

pub use audited_match::{AuditedMatch, RowSource};
pub use auditor::{Auditor, MAX_BOTS, MAX_FIELD, Scope};
pub use circumstance::{LivePiles, Phase};
pub use estimate::{Estimate, Interval, MIN_GROUPS};
pub use explained_rows::ExplainedRows;
pub use favouritism::{FLAGGED_FAVOURITISM, FLAGGED_P_VALUE, Favouritism};
pub use figures::{Figures, Slice};
pub use findings::{BotFindings, Findings};
pub use group::{Group, GroupCount};
pub use kingmaking::{Kingmaking, KingmakingPly, MAX_EXAMPLES};
pub use pair::{PairFindings, Untested};
pub use preference::{FittedRow, HeldRow, MAX_DECLARED_ROWS, MAX_FITTED_SEATS, Preference, Rationalisable};
pub use puzzles::{DEFAULT_PUZZLES, MAX_PUZZLES, Puzzle};
pub use replicates::REPLICATES;
