//! `lastnim oracle solve --robust`: how safe the winner under optimal play is.

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

/// Whether it is asked how safe the winner is, and in which readings.
#[derive(Debug, Args)]
pub struct RobustnessArgs {
    /// Says how safe the winner is, which is an equilibrium outcome and no forced win: what each seat can force against all
    /// others together, the fewest seats that worsen its rank by turning against it, and which takes are risky
    #[arg(long, conflicts_with = "game")]
    robust: bool,
    /// The most seats of a coalition that --robust searches; 3 unless given
    #[arg(long, value_name = "SEATS", requires = "robust", value_parser = clap::value_parser!(u32).range(1..MAX_SEATS as i64))]
    max_coalition: Option<u32>,
    /// With --robust: what becomes of the seats if each take is drawn at random with this probability
    #[arg(long, value_name = "0..1", requires = "robust")]
    error_rate: Option<ErrorRate>,
}

impl RobustnessArgs {
    /// Returns whether it is asked.
    pub fn is_asked(&self) -> bool {
        self.robust
    }

    /// Assesses a game within a budget.
    ///
    /// # Errors
    /// If play with errors cannot be worked out.
    pub fn assess(
        &self,
        game: &Game,
        budget: &mut Budget<'_>,
    ) -> Result<pb::AssessRobustnessResponse, Failure> {
        let errors = self.error_rate.map(|rate| ErrorOutlook::of(game, rate, budget)).transpose();
        let errors = errors.map_err(|error| Failure::input(format!("--error-rate: {error}")))?;
        let max_coalition = self.max_coalition.map_or(DEFAULT_MAX_COALITION, |seats| seats as usize);
        Ok(robustness_message(&Robustness::assess(game, max_coalition, budget), errors.as_ref()))
    }
}
