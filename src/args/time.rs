//! Command-line flags for durations.

use crate::progress::StatusLine;
use clap::Args;
use lastnim_core::{
    duration_text::{duration_text, parse_duration},
    oracle::Budget,
};
use std::{
    ops::RangeInclusive,
    time::{Duration, Instant},
};

/// The flag that limits the time of a search.
#[derive(Debug, Args)]
pub struct TimeLimitArgs {
    /// Stops the search after this time and prints the results found by then
    #[arg(long, default_value = "10s", value_name = "DURATION", value_parser = parse_duration)]
    max_time: Duration,
}

impl TimeLimitArgs {
    /// Runs a search within the time limit.
    pub fn run_within_limit<A>(&self, ask: impl FnOnce(&mut Budget<'_>) -> A) -> A {
        run_within_time(self.max_time, ask)
    }
}

/// Runs a search for at most this time. If the search takes long, a line on the terminal says that it is running.
pub fn run_within_time<A>(max_time: Duration, ask: impl FnOnce(&mut Budget<'_>) -> A) -> A {
    let start = Instant::now();
    let line = StatusLine::new(format!("searching for at most {} (--max-time)", duration_text(max_time)));
    let may_continue = || {
        line.tick();
        start.elapsed() < max_time
    };
    ask(&mut Budget::interruptible(u64::MAX, &may_continue))
}

/// Returns a parser of durations within a range.
pub fn duration_parser(range: RangeInclusive<Duration>) -> impl Fn(&str) -> Result<Duration, String> + Clone {
    move |text| {
        let duration = parse_duration(text).map_err(|error| error.to_string())?;
        let [first, last] = [*range.start(), *range.end()].map(duration_text);
        let fits = range.contains(&duration).then_some(duration);
        fits.ok_or_else(|| format!("{text} is not a duration from {first} to {last}"))
    }
}
