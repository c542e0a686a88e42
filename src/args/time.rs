//! How long the oracle looks for an answer, by the clock.

use clap::Args;
use lastnim_core::oracle::Budget;
use std::time::{Duration, Instant};

/// How long a question may take.
#[derive(Debug, Args)]
pub struct TimeLimitArgs {
    /// The longest to look for an answer; what is settled by then is printed, and said to be only that
    #[arg(long, default_value_t = 10, value_name = "SECONDS")]
    max_seconds: u32,
}

impl TimeLimitArgs {
    /// Asks a question that may take so long.
    pub fn run_within_limit<A>(&self, ask: impl FnOnce(&mut Budget<'_>) -> A) -> A {
        run_within_seconds(self.max_seconds, ask)
    }
}

/// Asks a question that may take so many seconds.
pub fn run_within_seconds<A>(seconds: u32, ask: impl FnOnce(&mut Budget<'_>) -> A) -> A {
    let (start, most) = (Instant::now(), Duration::from_secs(seconds.into()));
    let is_wanted = || start.elapsed() < most;
    ask(&mut Budget::while_wanted(u64::MAX, &is_wanted))
}
