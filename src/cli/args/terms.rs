//! The terms of matches, from the command line.

use crate::{referee::Clock, wire::pb};
use clap::Args;

/// How much time seats have, and what else bounds a match.
#[derive(Debug, Args)]
pub struct TermsArgs {
    /// What every seat's bank starts with [default: 10000]
    #[arg(long, value_name = "MS")]
    initial_ms: Option<u32>,
    /// What a seat gains with each take [default: 100]
    #[arg(long, value_name = "MS")]
    increment_ms: Option<u32>,
    /// The most lag that is given back for one take [default: 100]
    #[arg(long, value_name = "MS")]
    lag_quota_ms: Option<u32>,
    /// The most lag that is given back to a seat in one match [default: 10000]
    #[arg(long, value_name = "MS")]
    lag_total_ms: Option<u32>,
    /// How long seats have to declare their rows [default: 10000]
    #[arg(long, value_name = "MS")]
    declaration_ms: Option<u32>,
    /// The strike that forfeits a seat, 1 to 100 [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    strikes: Option<u32>,
    /// The number of plies after which the oracle decides, 1 to 65,536 [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_plies: Option<u32>,
}

impl TermsArgs {
    /// Makes the clock; none, which is the server's default, where no time is given.
    pub fn clock(&self) -> Option<pb::Clock> {
        let default = pb::Clock::from(&Clock::default());
        let clock = pb::Clock {
            initial_ms: self.initial_ms.unwrap_or(default.initial_ms),
            increment_ms: self.increment_ms.unwrap_or(default.increment_ms),
            lag_quota_ms: self.lag_quota_ms.unwrap_or(default.lag_quota_ms),
            lag_total_ms: self.lag_total_ms.unwrap_or(default.lag_total_ms),
            declaration_ms: self.declaration_ms.unwrap_or(default.declaration_ms),
        };
        (clock != default).then_some(clock)
    }

    /// Returns the strike that forfeits a seat; 0, which is the server's default, where it is not given.
    pub fn strikes(&self) -> u32 {
        self.strikes.unwrap_or_default()
    }

    /// Returns the number of plies after which the oracle decides; 0, which is the server's default, where it is not given.
    pub fn max_plies(&self) -> u32 {
        self.max_plies.unwrap_or_default()
    }
}
