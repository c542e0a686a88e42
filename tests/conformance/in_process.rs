//! Bots that run in the test's own process.

use lastnim_conformance::{BotEnd, BotEnvironment, BotLauncher, LaunchedBot, OutputTail};

/// A bot as a function of its environment.
pub struct InProcess<F>(pub F);

impl<F, R> BotLauncher for InProcess<F>
where
    F: Fn(BotEnvironment) -> R + Send + Sync + 'static,
    R: Future<Output = BotEnd> + Send + 'static,
{
    fn launch(&self, environment: &BotEnvironment) -> Result<LaunchedBot, String> {
        let running = (self.0)(environment.clone());
        let run_until_stopped = |stopped| async {
            tokio::select! {
                end = running => end,
                _ = stopped => BotEnd { description: "stopped".to_owned(), is_success: false },
            }
        };
        Ok(LaunchedBot::spawn(run_until_stopped, OutputTail::default()))
    }
}
