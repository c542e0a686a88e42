//! A run of checks against one bot.

use super::{Check, CheckFailure, bot_launcher::BotLauncher, stage::Stage};
use futures_core::future::BoxFuture;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, timeout},
};

/// How often a check may wait its whole patience before it is given up.
const MAX_WAITS: u32 = 6;

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckVerdict {
    /// It holds.
    Passed,
    /// It does not.
    Failed(CheckFailure),
    /// It was not tried, as the bot does not even join.
    Skipped,
}

/// One check with what it came to.
#[derive(Debug, Clone)]
pub struct CheckOutcome {
    /// The check.
    pub check: &'static Check,
    /// What it came to.
    pub verdict: CheckVerdict,
    /// How long it took.
    pub took: Duration,
    /// The last lines that the bot printed.
    pub output: Vec<String>,
}

/// How the checks are run.
#[derive(Clone)]
pub struct Suite {
    /// What starts the bot.
    pub launcher: Arc<dyn BotLauncher>,
    /// How long the bot may take to connect, to answer, and to end.
    pub patience: Duration,
    /// Checks at once.
    pub jobs: usize,
}

impl Suite {
    /// Runs checks, and reports each as soon as it is done. The first runs alone: if it fails, the bot does not play at all, and the others
    /// are skipped. Returns the outcomes in the order of the checks.
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
            let (number, outcome) = done.expect("no check panics");
            on_outcome(&outcome);
            outcomes.push((number, outcome));
        }
        outcomes.sort_by_key(|&(number, _)| number);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    /// Boxed, so that the checks are compiled in this crate only.
    fn run_check(&self, check: &'static Check) -> BoxFuture<'_, CheckOutcome> {
        Box::pin(async move {
            let started = Instant::now();
            let limit = self.patience * MAX_WAITS;
            let opened = Stage::open(Arc::clone(&self.launcher), check.pace, self.patience).await;
            let (result, output) = match opened {
                Err(failure) => (Err(failure), Vec::new()),
                Ok(mut stage) => {
                    let played = timeout(limit, (check.scene)(&mut stage)).await;
                    let result = played.unwrap_or_else(|_| {
                        let expected = format!("the whole check within {} s", limit.as_secs());
                        Err(stage.failure(expected, "it is not done"))
                    });
                    (result, stage.close().await)
                }
            };
            let verdict = result.map_or_else(CheckVerdict::Failed, |()| CheckVerdict::Passed);
            CheckOutcome { check, verdict, took: started.elapsed(), output }
        })
    }
}
