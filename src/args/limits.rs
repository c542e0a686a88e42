//! What a search may cost on the command line, and refusals in the words of its flags.

use super::time;
use clap::Args;
use lastnim_analysis::general::{
    ExceededBound, GameNumbersError, GeneralAnswer, MemoryBounds, SearchStopped, SolveStopped,
};
use lastnim_core::oracle::Budget;

/// The flags that say what a search may cost.
#[derive(Debug, Args)]
pub struct LimitArgs {
    /// The most positions that a search may keep; 10,000,000 unless given
    #[arg(long = "max-states", value_name = "N")]
    states: Option<u32>,
    /// The most memory that a search may take, in MiB; 1024 unless given
    #[arg(long = "max-memory", value_name = "MIB")]
    memory: Option<u64>,
    /// The longest that a search may take; 60 unless given
    #[arg(long = "max-seconds", value_name = "SECONDS")]
    seconds: Option<u32>,
}

const SECONDS: u32 = 60;

impl LimitArgs {
    /// Returns the first flag that is given.
    pub fn first_given_flag(&self) -> Option<&'static str> {
        self.first_given_memory_flag().or(self.seconds.is_some().then_some("--max-seconds"))
    }

    /// Returns the first flag that is given of those that are about memory.
    pub fn first_given_memory_flag(&self) -> Option<&'static str> {
        let given = [("--max-states", self.states.is_some()), ("--max-memory", self.memory.is_some())];
        given.into_iter().find_map(|(flag, is_given)| is_given.then_some(flag))
    }

    /// Asks a question within the limit of time.
    pub fn run_within_seconds<A>(&self, ask: impl FnOnce(&mut Budget<'_>) -> A) -> A {
        time::run_within_seconds(self.seconds(), ask)
    }

    /// Solves within the limits.
    pub fn solve_within_limits(
        &self,
        solve: impl FnOnce(MemoryBounds, &mut Budget<'_>) -> Result<GeneralAnswer, SolveStopped>,
    ) -> Result<GeneralAnswer, String> {
        self.run_within_limits(solve).map_err(|unsolved| {
            let SolveStopped { game, seats, stopped } = unsolved;
            format!("{game} with {seats} seats: {}", self.limit_met(stopped))
        })
    }

    /// Asks a question within the limits.
    pub fn run_within_limits<A>(&self, ask: impl FnOnce(MemoryBounds, &mut Budget<'_>) -> A) -> A {
        let default = MemoryBounds::default();
        let bounds = MemoryBounds {
            states: self.states.unwrap_or(default.states),
            bytes: self.memory.map_or(default.bytes, |mebibytes| mebibytes.saturating_mul(1 << 20)),
        };
        self.run_within_seconds(|budget| ask(bounds, budget))
    }

    /// Says which limit a search met, by its flag and in its unit.
    pub fn limit_met(&self, SearchStopped { bound, states }: SearchStopped) -> String {
        let met = match bound {
            ExceededBound::States(most) => format!("it takes more than {most} states (--max-states)"),
            ExceededBound::Bytes(bytes) => format!("it takes more than {} MiB (--max-memory)", bytes >> 20),
            ExceededBound::Work(_) => match self.seconds() {
                1 => "it was stopped after 1 second (--max-seconds)".to_owned(),
                seconds => format!("it was stopped after {seconds} seconds (--max-seconds)"),
            },
        };
        format!("{met}, with {states} solved till then: {}", bound.advice())
    }

    fn seconds(&self) -> u32 {
        self.seconds.unwrap_or(SECONDS)
    }
}

/// Says what is wrong with a game's numbers, with what it has no use for or needs as `named`.
pub fn describe_number_error(error: &GameNumbersError, named: impl Fn(&str) -> String) -> String {
    match error {
        GameNumbersError::Unused { ruleset, what } => {
            format!("{ruleset} is played without {}: leave it out", named(what.name()))
        }
        GameNumbersError::Missing { ruleset, what } => format!("{ruleset} needs {}", named(what.name())),
        other => other.to_string(),
    }
}
