//! Streams from the server that are reopened when they break or fall silent.

use super::{
    Error,
    backoff::Backoff,
    error::{describe_status, is_transient},
};
use futures_core::future::BoxFuture;
use lastnim_proto::pb;
use prost::Message as _;
use std::{collections::HashMap, fmt, time::Duration};
use tokio::time::{Instant, sleep_until, timeout_at};
use tonic::{Status, Streaming};

/// How long a stream may be silent: the server sends a heartbeat every 10 seconds unless its settings differ.
pub const MAX_SILENCE: Duration = Duration::from_secs(35);

type Opening<T> = BoxFuture<'static, Result<Streaming<T>, Status>>;

/// A stream that is reopened when it breaks or falls silent, with growing pauses between attempts.
///
/// A reopened stream begins with the current state or with the first event, so the caller must drop the events that it
/// has already seen.
pub struct ResumedStream<T> {
    open: Box<dyn FnMut() -> Opening<T> + Send>,
    state: StreamState<T>,
    max_silence: Duration,
    backoff: Backoff,
    opened_at: Instant,
    was_open: bool,
}

enum StreamState<T> {
    /// The next attempt starts at this instant.
    Pausing(Instant),
    Opening(Opening<T>, Instant),
    /// The stream is open, and counts as silent if nothing arrives before this instant.
    Open(Box<Streaming<T>>, Instant),
}

/// An event of a stream.
#[derive(Debug)]
pub enum WatchUpdate<T> {
    /// A message arrived.
    Message(T),
    /// The stream has begun, or has begun again.
    Opened,
    /// The stream was lost for this reason, and will be reopened.
    Lost(String),
}

impl<T> fmt::Debug for ResumedStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResumedStream").field("max_silence", &self.max_silence).finish_non_exhaustive()
    }
}

impl<T> ResumedStream<T> {
    /// Prepares a stream. `open` must make a new connection each time, because a silent one may stay silent.
    pub fn new(max_silence: Duration, mut open: impl FnMut() -> Opening<T> + Send + 'static) -> Self {
        let opened_at = Instant::now();
        let state = StreamState::Opening(open(), opened_at + max_silence);
        Self { open: Box::new(open), state, max_silence, backoff: Backoff::new(), opened_at, was_open: false }
    }

    /// Waits for the next event. Cancel-safe.
    ///
    /// # Errors
    /// If the first attempt to open the stream fails, or if the server refuses the stream for a reason that a retry
    /// cannot change.
    pub async fn next_update(&mut self) -> Result<WatchUpdate<T>, Status> {
        loop {
            let lost = match &mut self.state {
                StreamState::Pausing(until) => {
                    sleep_until(*until).await;
                    let deadline = Instant::now() + self.max_silence;
                    self.state = StreamState::Opening((self.open)(), deadline);
                    continue;
                }
                StreamState::Opening(opening, deadline) => match timeout_at(*deadline, opening).await {
                    Ok(Ok(stream)) => {
                        self.opened_at = Instant::now();
                        self.was_open = true;
                        self.state = StreamState::Open(Box::new(stream), self.opened_at + self.max_silence);
                        return Ok(WatchUpdate::Opened);
                    }
                    Ok(Err(status)) => status,
                    Err(_) => Status::unavailable("the server does not answer"),
                },
                StreamState::Open(stream, silent_at) => {
                    match timeout_at(*silent_at, stream.message()).await {
                        Ok(Ok(Some(message))) => {
                            *silent_at = Instant::now() + self.max_silence;
                            return Ok(WatchUpdate::Message(message));
                        }
                        Ok(Ok(None)) => Status::unavailable("the stream ended early"),
                        Ok(Err(status)) => status,
                        Err(_) => {
                            let silence = self.max_silence;
                            Status::unavailable(format!("the server was silent for {silence:?}"))
                        }
                    }
                }
            };
            if !self.was_open || !is_transient(lost.code()) {
                return Err(lost);
            }
            self.backoff.reset_if_lasting(self.opened_at.elapsed());
            let pause = self.backoff.next_pause(getrandom::u32().unwrap_or(u32::MAX));
            self.state = StreamState::Pausing(Instant::now() + pause);
            return Ok(WatchUpdate::Lost(describe_status(&lost)));
        }
    }
}

/// Converts a failure to connect into a status. Only an unreachable server is worth a retry: a bad certificate or
/// address stays bad.
pub fn status_of_error(error: &Error) -> Status {
    match error {
        Error::Unreachable { .. } => Status::unavailable(error.to_string()),
        _ => Status::failed_precondition(error.to_string()),
    }
}

/// The events of a match that a watcher has seen. A reopened stream sends all of them again in the order of the record,
/// which may differ from the order in which they were first sent.
#[derive(Debug, Default)]
pub struct SeenEvents {
    /// How often each event was seen, since two events (such as strikes) may be equal.
    seen: HashMap<Vec<u8>, u32>,
    /// How often each seen event may still be repeated by the current stream.
    repeated: HashMap<Vec<u8>, u32>,
}

impl SeenEvents {
    /// Prepares for a reopened stream, which repeats all events from the first one.
    pub fn restart(&mut self) {
        self.repeated.clone_from(&self.seen);
    }

    /// Notes an event; returns whether it is new.
    pub fn note(&mut self, event: &pb::RecordEvent) -> bool {
        let bytes = event.encode_to_vec();
        if let Some(left) = self.repeated.get_mut(&bytes).filter(|left| **left > 0) {
            *left -= 1;
            return false;
        }
        *self.seen.entry(bytes).or_default() += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_events_are_seen_once_in_any_order() {
        let event = |at_us| pb::RecordEvent { at_us, ..Default::default() };
        let mut seen = SeenEvents::default();
        let mut new_events = |times: &[u64]| {
            seen.restart();
            times.iter().copied().filter(|&at_us| seen.note(&event(at_us))).collect::<Vec<_>>()
        };
        assert_eq!(new_events(&[1, 3, 3]), [1, 3, 3], "equal events count each");
        assert_eq!(new_events(&[1, 2, 3]), [2]);
        assert_eq!(new_events(&[1, 2, 3, 3, 3, 4]), [3, 4]);
    }
}
