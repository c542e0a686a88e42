//! Starts and stops the bot under test, and notices when its program ends.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{
    sync::{oneshot, watch},
    task::JoinHandle,
};

/// The number of bytes kept from the end of a bot's output.
const MAX_OUTPUT_BYTES: usize = 4096;
/// The maximum number of characters shown of an output line.
const MAX_LINE_CHARS: usize = 200;

/// The environment variables of a bot, as `lastnim tournament run` sets them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotEnvironment {
    /// The address of the server, as host:port: `LASTNIM_SERVER`.
    pub server: String,
    /// The bot's token: `LASTNIM_TOKEN`.
    pub token: String,
    /// The tournament to join: `LASTNIM_TOURNAMENT`.
    pub tournament: String,
}

/// Starts the bot under test. Each check starts it once, and may restart it.
pub trait BotLauncher: Send + Sync + 'static {
    /// Starts the bot.
    ///
    /// # Errors
    /// Explains why the bot cannot be started.
    fn launch(&self, environment: &BotEnvironment) -> Result<LaunchedBot, String>;
}

/// How a bot's program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotEnd {
    /// A description of the end, such as `exit status: 1`.
    pub description: String,
    /// Whether the exit status is 0.
    pub is_success: bool,
}

/// The last part of a bot's output.
#[derive(Debug, Clone, Default)]
pub struct OutputTail(Arc<Mutex<VecDeque<u8>>>);

impl OutputTail {
    /// Adds output, and drops the oldest bytes if there are too many.
    pub fn push_bytes(&self, printed: &[u8]) {
        let mut tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let printed = &printed[printed.len().saturating_sub(MAX_OUTPUT_BYTES)..];
        let too_many = (tail.len() + printed.len()).saturating_sub(MAX_OUTPUT_BYTES);
        tail.drain(..too_many);
        tail.extend(printed);
    }

    /// Returns the last `count` lines that are not blank, with control characters replaced by spaces.
    pub fn last_lines(&self, count: usize) -> Vec<String> {
        let tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines = text
            .lines()
            .map(|line| line.replace(char::is_control, " ").chars().take(MAX_LINE_CHARS).collect::<String>());
        let mut last: Vec<_> = lines.filter(|line| !line.trim().is_empty()).collect();
        last.split_off(last.len().saturating_sub(count))
    }
}

/// A bot that was started. It may have ended since.
#[derive(Debug)]
pub struct LaunchedBot {
    ended: watch::Receiver<Option<BotEnd>>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
    output: OutputTail,
}

impl LaunchedBot {
    /// Runs a bot as a task of the current Tokio runtime. `run` must stop the bot when its argument resolves, and
    /// return how the bot ended.
    pub fn spawn<F>(run: impl FnOnce(oneshot::Receiver<()>) -> F, output: OutputTail) -> Self
    where
        F: Future<Output = BotEnd> + Send + 'static,
    {
        let (stop, stopped) = oneshot::channel();
        let (sender, ended) = watch::channel(None);
        let running = run(stopped);
        let task = tokio::spawn(async move {
            let end = running.await;
            sender.send_replace(Some(end));
        });
        Self { ended, stop: Some(stop), task, output }
    }

    /// Waits until the bot has ended. Safe to cancel.
    pub async fn wait_until_ended(&mut self) -> BotEnd {
        match self.ended.wait_for(Option::is_some).await {
            Ok(end) => end.clone().unwrap_or_else(|| unreachable!("the channel was checked")),
            Err(_) => BotEnd { description: "for an unknown reason".to_owned(), is_success: false },
        }
    }

    /// Returns the last part of the bot's output.
    pub fn output(&self) -> &OutputTail {
        &self.output
    }

    /// Stops the bot if it is running, and waits for its end.
    pub async fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // An error is ignored: the bot may already have ended.
            let _ = stop.send(());
        }
        if !self.task.is_finished() {
            let _ = (&mut self.task).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_bounded_and_its_last_lines_are_kept() {
        let tail = OutputTail::default();
        for line in 0..10_000 {
            tail.push_bytes(format!("line {line}\n").as_bytes());
        }
        tail.push_bytes(b"\x1b[31mred\xff\n\n");
        assert_eq!(tail.last_lines(2), ["line 9999", " [31mred\u{fffd}"]);
        assert!(tail.last_lines(usize::MAX).len() < 500);
    }
}
