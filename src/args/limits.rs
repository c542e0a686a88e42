//! Command-line flags that limit a search, and errors that name these flags.

use super::time;
use clap::Args;
use lastnim_analysis::general::{ExceededBound, GameNumbersError, MemoryBounds, SearchStopped, SolveStopped};
use lastnim_core::{
    duration_text::{duration_text, parse_duration},
    oracle::Budget,
};
use std::time::Duration;

/// The limits of a search.
#[derive(Debug, Args)]
pub struct LimitArgs {
    /// Maximum number of positions that a search may keep [default: 10000000]
    #[arg(long = "max-states", value_name = "N")]
    states: Option<u32>,
    /// Maximum memory of a search, in MiB [default: 1024]
    #[arg(long = "max-memory", value_name = "MIB")]
    memory: Option<u64>,
    /// Maximum time of a search [default: 1m]
    #[arg(long = "max-time", value_name = "DURATION", value_parser = parse_duration)]
    time: Option<Duration>,
}

const DEFAULT_TIME: Duration = Duration::from_mins(1);

impl LimitArgs {
    /// Returns the first limit flag that is given.
    pub fn first_given_flag(&self) -> Option<&'static str> {
        self.first_given_memory_flag().or(self.time.is_some().then_some("--max-time"))
    }

    /// Returns the first memory limit flag that is given.
    pub fn first_given_memory_flag(&self) -> Option<&'static str> {
        let given = [("--max-states", self.states.is_some()), ("--max-memory", self.memory.is_some())];
        given.into_iter().find_map(|(flag, is_given)| is_given.then_some(flag))
    }

    /// Runs a search within the time limit, and ignores the other limits.
    pub fn run_within_time<A>(&self, ask: impl FnOnce(&mut Budget<'_>) -> A) -> A {
        time::run_within_time(self.max_time(), ask)
    }

    /// Solves a game within all limits. The error names the game and the limit that was reached.
    pub fn solve_within_limits<A>(
        &self,
        solve: impl FnOnce(MemoryBounds, &mut Budget<'_>) -> Result<A, SolveStopped>,
    ) -> Result<A, String> {
        self.run_within_limits(solve).map_err(|unsolved| {
            let SolveStopped { game, seats, stopped } = unsolved;
            format!("{game} with {seats} seats: {}", self.describe_exceeded_limit(stopped))
        })
    }

    /// Runs a search within all limits.
    pub fn run_within_limits<A>(&self, ask: impl FnOnce(MemoryBounds, &mut Budget<'_>) -> A) -> A {
        let default = MemoryBounds::default();
        let bounds = MemoryBounds {
            states: self.states.unwrap_or(default.states),
            bytes: self.memory.map_or(default.bytes, |mebibytes| mebibytes.saturating_mul(1 << 20)),
        };
        self.run_within_time(|budget| ask(bounds, budget))
    }

    /// Describes the limit that a search reached, and names its flag.
    pub fn describe_exceeded_limit(&self, SearchStopped { bound, states }: SearchStopped) -> String {
        let met = match bound {
            ExceededBound::States(most) => format!("the search needs more than {most} states (--max-states)"),
            ExceededBound::Bytes(bytes) => {
                format!("the search needs more than {} MiB (--max-memory)", bytes >> 20)
            }
            ExceededBound::Work(_) => self.describe_timeout(),
        };
        format!("{met}; states solved so far: {states}; {}", bound.advice())
    }

    /// Describes how the time limit stopped a search, and names its flag.
    pub fn describe_timeout(&self) -> String {
        format!("the search was stopped after {} (--max-time)", duration_text(self.max_time()))
    }

    fn max_time(&self) -> Duration {
        self.time.unwrap_or(DEFAULT_TIME)
    }
}

/// Describes an error in the numbers of a game; `named` converts the name of a number to the flag or key that the user
/// knows.
pub fn describe_number_error(error: &GameNumbersError, named: impl Fn(&str) -> String) -> String {
    match error {
        GameNumbersError::Unused { ruleset, what } => {
            format!("{ruleset} does not use {}: leave it out", named(what.name()))
        }
        GameNumbersError::Missing { ruleset, what } => format!("{ruleset} needs {}", named(what.name())),
        other => other.to_string(),
    }
}
