//! Compares bots with the oracle over many matches: figures with confidence intervals, revealed preferences, tests for
//! collusion, and puzzles.
//!
//! The code does no input or output and needs bounded memory. Callers add audited matches one at a time, in any order,
//! and all random draws derive from a seed and the matches. The crate uses [`game`](lastnim_core::game) and
//! [`oracle`](lastnim_core::oracle), the counterfactuals and audits of talk of [`lastnim_analysis`], and the random
//! draws and statistics of [`lastnim_tournament`]. It does not read match records: callers audit the records and pass
//! in the audits.
//!
//! Takes that the steward made in place of a bot count for no bot.

/// Adds the named fields of the second struct to those of the first; returns `None` from the function if a sum is too
/// large for its type.
macro_rules! add_fields {
    ($sums:expr, $more:expr; $($field:ident),+) => {
        $($sums.$field = $sums.$field.checked_add($more.$field)?;)+
    };
}

mod audited_match;
mod auditor;
mod blind_choices;
mod bootstrap;
mod circumstance;
mod declaration_counterfactuals;
mod declaration_tally;
mod declarations;
mod equal_answers;
mod estimate;
mod explained_rows;
mod favouritism;
mod figures;
mod findings;
mod forecasts;
mod group;
mod grouped_sums;
mod kingmaking;
mod known_bots;
mod loss_counts;
mod mean_of_losses;
mod mover_tally;
mod opening_takes;
mod outcome_tally;
mod pair;
mod pair_tests;
mod partial_audit;
mod permutation_tests;
mod permutations;
mod permuted_choices;
mod power;
mod preference;
mod preference_findings;
mod puzzles;
mod replicates;
mod scaled_number;
mod seat_choices;
mod selected_takes;
mod sets;
mod similar_choices;
mod talk_tally;
#[cfg(test)]
#[expect(
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::manual_is_multiple_of,
    reason = "the numbers in these tests are small"
)]
mod tests;
mod trust_tally;
mod wishes;

pub use audited_match::{AuditedMatch, RowSource};
pub use auditor::{AuditSubject, Auditor, MAX_BOTS, MAX_FIELD_BOTS};
pub use circumstance::{GamePhase, LivePileCount};
pub use declarations::{
    DeclarationFindings, Dependence, FLAGGED_COST, FLAGGED_RANKS, FLAGGED_WINS, UntestedDeclarations,
};
pub use equal_answers::EqualAnswers;
pub use estimate::{Estimate, EstimateInterval, MIN_GROUPS};
pub use explained_rows::{ExplainedRows, MAX_EXPLAINED_SEATS};
pub use favouritism::{FLAGGED_FAVOURITISM, FLAGGED_LOSS, FLAGGED_P_VALUE, Favouritism};
pub use figures::{BotFigures, CircumstanceFigures};
pub use findings::{AuditFindings, BotAnswers, BotFindings};
pub use forecasts::{FORECAST_BINS, ForecastBin, ForecastFigures, Forecasts, MIN_OF_EACH_OUTCOME};
pub use group::{GroupCount, MatchGroup};
pub use kingmaking::{KingmakingPly, KingmakingTally, MAX_EXAMPLES};
pub use loss_counts::{LossCounts, LossEstimate, LossShare};
pub use mean_of_losses::estimate_mean_of_tiers;
pub use pair::{MAX_TAKES_TO_LOOK_AT, PairFindings, UntestedReason};
pub use partial_audit::PartialAuditError;
pub use power::{HELP_SHARES, HelpKind, HelpPower};
pub use preference::{MAX_DECLARED_ROWS, MAX_FITTED_SEATS};
pub use preference_findings::{FittedRow, HeldRowFigures, PreferenceFindings, RationalisableCount};
pub use puzzles::{DEFAULT_PUZZLES, MAX_PUZZLES, Puzzle};
pub use replicates::REPLICATES;
pub use seat_choices::WinnerChoice;
pub use selected_takes::{RevealedRows, SelectedTakeFigures, SelectedTakes};
pub use sets::{FavourMeans, MAX_SET_BOTS, SetFindings};
pub use similar_choices::{ConditionFindings, LOW_CLOCK_PERCENT, PlayCondition};
pub use talk_tally::TalkFigures;
pub use trust_tally::{MAX_TRUST_GROUPS, TrustFigures, TrustFindings};
pub use wishes::{WishCounts, WishFigures, WishTally};
