//! Heartbeats on streams that are quiet for a long time.

use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_stream::{Stream, StreamExt as _};
use tonic::Status;

/// A stream of messages to a watcher.
pub(super) type WatcherStream<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// Adds an empty message after each `silence` without a message. These messages prevent proxies from closing a quiet
/// stream, and show a watcher that the server is still running.
pub(super) fn add_heartbeats<T: Default + Send + 'static>(
    messages: impl Stream<Item = Result<T, Status>> + Send + 'static,
    silence: Duration,
) -> WatcherStream<T> {
    let mut heartbeats = interval_at(Instant::now() + silence, silence);
    heartbeats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let timed = messages.timeout_repeating(heartbeats);
    Box::pin(timed.map(|message| message.unwrap_or_else(|_silent| Ok(T::default()))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc;
    use tokio::time::{advance, sleep};
    use tokio_stream::wrappers::ReceiverStream;

    const SILENCE: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn heartbeats_are_added_only_during_silence() {
        let (sender, messages) = mpsc::channel(1);
        let mut stream = add_heartbeats(ReceiverStream::new(messages), SILENCE);
        let began = Instant::now();
        for heartbeat in 1..=3 {
            assert_eq!(stream.next().await.unwrap().unwrap(), 0);
            assert_eq!(began.elapsed().as_secs(), (heartbeat * SILENCE).as_secs());
        }
        advance(SILENCE / 2).await;
        sender.send(Ok(7)).await.unwrap();
        assert_eq!(stream.next().await.unwrap().unwrap(), 7);
        let heard = Instant::now();
        assert_eq!(stream.next().await.unwrap().unwrap(), 0);
        assert_eq!(heard.elapsed().as_secs(), SILENCE.as_secs(), "the silence begins at the last message");
        sleep(SILENCE / 2).await;
        drop(sender);
        assert!(stream.next().await.is_none(), "a stream that has ended is not kept open");
    }
}
