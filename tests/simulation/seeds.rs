//! Executes many seeds in parallel.

use super::history::Violation;
use super::plan::Plan;
use super::run::{Outcome, RUNNER};
use super::shrink::shrink_plan;
use super::tally::Tally;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, available_parallelism};
use std::time::{Duration, Instant};

/// A run with a broken promise.
#[derive(Debug, Clone)]
pub struct Failure {
    pub plan: Plan,
    pub violations: Vec<Violation>,
    /// The number of runs until then.
    pub after: u64,
}

fn number_from_environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}: expected a number")))
}

/// Returns the seed to replay, if `SIMULATION_SEED` is set.
pub fn seed_to_replay() -> Option<u64> {
    number_from_environment("SIMULATION_SEED")
}

/// Returns for how long to try seeds, if `SIMULATION_SECONDS` is set.
pub fn seconds_to_run() -> Option<Duration> {
    number_from_environment("SIMULATION_SECONDS").map(Duration::from_secs)
}

/// Returns the first seed to try: `SIMULATION_FROM`, or 0.
fn first_seed() -> u64 {
    number_from_environment("SIMULATION_FROM").unwrap_or(0)
}

/// The end of a search in which no seed fails.
#[derive(Debug, Clone, Copy)]
pub enum SearchLimit {
    Time(Duration),
    Seeds(u64),
}

/// Executes seeds in parallel until one fails or the limit is reached.
pub fn find_failure(limit: SearchLimit, run: impl Fn(&Plan) -> Outcome + Sync) -> (Tally, Option<Failure>) {
    let began = Instant::now();
    let first = first_seed();
    let next = AtomicU64::new(first);
    let found = Mutex::new((Tally::default(), None));
    let search = || {
        while super::world::lock(&found).1.is_none() {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let is_beyond = match limit {
                SearchLimit::Time(time) => began.elapsed() >= time,
                SearchLimit::Seeds(seeds) => seed >= first + seeds,
            };
            if is_beyond {
                break;
            }
            let plan = Plan::draw(seed);
            let outcome = run(&plan);
            let (tally, failure) = &mut *super::world::lock(&found);
            tally.add(&outcome.tally);
            if !outcome.violations.is_empty() && failure.is_none() {
                *failure = Some(Failure { plan, violations: outcome.violations, after: tally.runs });
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, usize::from) {
            thread::Builder::new()
                .name(RUNNER.to_owned())
                .spawn_scoped(scope, search)
                .expect("a thread starts");
        }
    });
    found.into_inner().expect("no thread panics while it holds this")
}

/// Describes a failure, how to replay it, and the smallest plan that fails in the same way.
pub fn report_failure(failure: &Failure, run: impl Fn(&Plan) -> Outcome) -> String {
    let Failure { plan, violations, after } = failure;
    let promise = violations[0].promise;
    let what = format!("after {after} runs a promise is broken: {promise}\n{violations:#?}\n{plan}");
    if std::env::var_os("SIMULATION_SHRINK").is_some_and(|wanted| wanted == "no") {
        return what;
    }
    let least = shrink_plan(plan, |plan| run(plan).violations.iter().any(|one| one.promise == promise));
    let again = run(&least).violations;
    format!(
        "{what}\n\
         to see it again: SIMULATION_SEED={} .ci/simulation\nthe smallest plan that fails in the same way:\n{least}{again:#?}",
        plan.seed
    )
}
