//! `lastnim oracle solve --robust`.

use crate::Failure;
use clap::Args;
use lastnim_analysis::{ErrorOutlook, ErrorRate, Robustness};
use lastnim_core::{
    game::{Game, MAX_SEATS},
    oracle::Budget,
};
use lastnim_proto::{
    pb,
    robustness::{DEFAULT_MAX_COALITION, robustness_message},
};

/// Flags for questions about robustness.
#[derive(Debug, Args)]
pub struct RobustnessArgs {
    /// Shows what each seat can force against all others, and which takes are risky
    ///
    /// It also shows the smallest coalition that can worsen a seat's rank.
    #[arg(long)]
    robust: bool,
    /// Maximum seats of a coalition that --robust searches [default: 3]
    #[arg(long, value_name = "SEATS", requires = "robust", value_parser = clap::value_parser!(u32).range(1..MAX_SEATS as i64))]
    max_coalition: Option<u32>,
    /// With --robust, for last-nim: the outcome if each take is random with this probability
    #[arg(long, value_name = "0..1", requires = "robust", conflicts_with = "game")]
    error_rate: Option<ErrorRate>,
}

impl RobustnessArgs {
    /// Returns whether --robust is given.
    pub fn is_requested(&self) -> bool {
        self.robust
    }

    /// Assesses how robust the outcome of a game is, within a budget.
    ///
    /// # Errors
    /// If the outcome with errors cannot be computed.
    pub fn assess(
        &self,
        game: &Game,
        budget: &mut Budget<'_>,
    ) -> Result<pb::AssessRobustnessResponse, Failure> {
        let errors = self.error_rate.map(|rate| ErrorOutlook::of_game(game, rate, budget)).transpose();
        let errors = errors.map_err(|error| Failure::input(format!("--error-rate: {error}")))?;
        Ok(robustness_message(&Robustness::assess(game, self.max_coalition(), budget), errors.as_ref()))
    }

    /// Returns the largest coalition to search.
    pub fn max_coalition(&self) -> usize {
        self.max_coalition.map_or(DEFAULT_MAX_COALITION, |seats| seats as usize)
    }
}
