//! Runs the checks against a bot.

use super::{
    Check, CheckFailure,
    bot_launcher::BotLauncher,
    stage::{SILENCE_LIMIT, Stage},
};
use futures_core::future::BoxFuture;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, timeout},
};

/// The time limit of a check, as a multiple of the suite's patience. To this limit, the time that a bot may take to
/// notice a silent connection is added.
const CHECK_LIMIT_FACTOR: u32 = 6;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckVerdict {
    /// The bot passed.
    Passed,
    /// The bot failed.
    Failed(CheckFailure),
    /// The check was not run, because the bot does not join its tournament.
    Skipped,
}

/// A check and its result.
#[derive(Debug, Clone)]
pub struct CheckOutcome {
    /// The check.
    pub check: &'static Check,
    /// The result.
    pub verdict: CheckVerdict,
    /// How long the check took.
    pub took: Duration,
    /// The last lines that the bot printed.
    pub output: Vec<String>,
}

/// The settings for running the checks.
#[derive(Clone)]
pub struct Suite {
    /// Starts the bot.
    pub launcher: Arc<dyn BotLauncher>,
    /// How long the bot may take to connect, to answer, and to exit.
    pub patience: Duration,
    /// The maximum number of checks that run at the same time.
    pub jobs: usize,
}

impl Suite {
    /// Runs checks, and passes the outcome of each to `on_outcome` as soon as it is done. The first check runs alone.
    /// If it is the first of all [`CHECKS`](super::CHECKS) and fails, the bot does not join at all, so the others are
    /// skipped. Returns the outcomes in the order of `checks`.
    pub async fn run(
        &self,
        checks: &[&'static Check],
        mut on_outcome: impl FnMut(&CheckOutcome),
    ) -> Vec<CheckOutcome> {
        let Some((&first, rest)) = checks.split_first() else { return Vec::new() };
        let outcome = self.run_check(first).await;
        on_outcome(&outcome);
        let goes_on = outcome.verdict == CheckVerdict::Passed || first.name != super::CHECKS[0].name;
        let mut outcomes = vec![(0, outcome)];
        if !goes_on {
            let skipped = |&check| CheckOutcome {
                check,
                verdict: CheckVerdict::Skipped,
                took: Duration::ZERO,
                output: Vec::new(),
            };
            outcomes.extend(rest.iter().map(skipped).enumerate());
            return outcomes.into_iter().map(|(_, outcome)| outcome).collect();
        }
        let places = Arc::new(Semaphore::new(self.jobs.max(1)));
        let mut running = JoinSet::new();
        for (number, &check) in rest.iter().enumerate() {
            let (suite, places) = (self.clone(), Arc::clone(&places));
            running.spawn(async move {
                let _place = places.acquire_owned().await;
                (number + 1, suite.run_check(check).await)
            });
        }
        while let Some(done) = running.join_next().await {
            let (number, outcome) = done.expect("checks do not panic");
            on_outcome(&outcome);
            outcomes.push((number, outcome));
        }
        outcomes.sort_by_key(|&(number, _)| number);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    /// Runs one check. The future is boxed, so that the checks are only compiled in this crate.
    fn run_check(&self, check: &'static Check) -> BoxFuture<'_, CheckOutcome> {
        Box::pin(async move {
            let started = Instant::now();
            let limit = self.patience * CHECK_LIMIT_FACTOR + SILENCE_LIMIT;
            let opened = Stage::open(Arc::clone(&self.launcher), check.pace, self.patience).await;
            let (result, output) = match opened {
                Err(failure) => (Err(failure), Vec::new()),
                Ok(mut stage) => {
                    let played = timeout(limit, (check.scenario)(&mut stage)).await;
                    let result = played.unwrap_or_else(|_| {
                        let expected = format!("the end of the whole check within {} s", limit.as_secs());
                        Err(stage.failure(expected, "it is still running"))
                    });
                    (result, stage.close().await)
                }
            };
            let verdict = result.map_or_else(CheckVerdict::Failed, |()| CheckVerdict::Passed);
            CheckOutcome { check, verdict, took: started.elapsed(), output }
        })
    }
}
