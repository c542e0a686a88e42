//! Limits the number of log lines that clients can cause.

use lastnim_arena::{RateLimit, RateUse};
use lastnim_report::words::count_with_noun;
use std::{
    collections::HashMap,
    fmt::{self, Write as _},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tracing::{
    Event, Level, Metadata, Subscriber,
    callsite::Identifier,
    field::{Field, Visit},
};
use tracing_subscriber::layer::{Context, Filter};

/// The interval between summaries of dropped lines.
const SUMMARY_INTERVAL: Duration = Duration::from_secs(10);
/// The target of the summaries, which are not limited themselves.
const SUMMARY_TARGET: &str = "lastnim::log_limiter";
/// Maximum number of lines of one kind about one client, in a burst and then per second.
const LINES_PER_CLIENT: (u64, u64) = (20, 1);
/// Maximum number of lines of one kind, in a burst and then per second.
const LINES_PER_KIND: (u64, u64) = (100, 5);
/// Maximum number of pairs of a kind and a client that are counted separately. The lines of further clients are counted
/// together.
const MAX_COUNTED_PAIRS: usize = 1_024;
/// Maximum number of characters kept from the name of a client or from a line.
const MAX_KEPT_CHARS: usize = 200;
/// Log fields that name a client; if a line has several, the first of these counts.
const CLIENT_FIELDS: [&str; 4] = ["address", "peer", "client", "bot"];

/// Drops log lines that exceed a limit, and later reports how many it dropped. Lines are of the same kind if the same
/// place in the code logs them. There is a limit for each kind, and a lower one for each kind and client. Lines below
/// [`Level::INFO`] are not limited, because the operator has asked for them.
///
/// Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct LogLimiter(Arc<Mutex<HashMap<LineKey, CountedLines>>>);

/// A kind of line, and the client that the line names.
type LineKey = (Identifier, Option<String>);

/// The lines of one kind about one client.
#[derive(Debug, Default)]
struct CountedLines {
    /// How much of their limit the lines have used.
    used: Option<RateUse<Instant>>,
    /// Dropped lines since the last summary.
    dropped: u64,
    /// The text of the first dropped line.
    text: String,
}

impl LogLimiter {
    /// Starts a thread that regularly logs a summary of the dropped lines, until the program ends.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn start_summaries(&self) -> std::io::Result<()> {
        let limiter = self.clone();
        let run = move || {
            loop {
                thread::sleep(SUMMARY_INTERVAL);
                for line in limiter.take_summaries(Instant::now()) {
                    tracing::warn!(target: SUMMARY_TARGET, "{line}");
                }
            }
        };
        thread::Builder::new().name("log-limiter".into()).spawn(run).map(drop)
    }

    /// Counts a line, and returns whether it may be written.
    fn admit(
        &self,
        kind: Identifier,
        client: Option<String>,
        now: Instant,
        text: impl FnOnce() -> String,
    ) -> bool {
        let mut counted = self.lock();
        let kind_key = (kind.clone(), None);
        let mut key = (kind, client);
        if counted.len() >= MAX_COUNTED_PAIRS && !counted.contains_key(&key) {
            key.1 = None;
        }
        let count = |key: &LineKey, (at_once, rate)| {
            let used = counted.get(key).and_then(|lines| lines.used);
            RateLimit::per_second(at_once, rate).count(used, now, 1)
        };
        let used = count(&kind_key, LINES_PER_KIND).and_then(|all| match key.1 {
            Some(_) => Ok((all, Some(count(&key, LINES_PER_CLIENT)?))),
            None => Ok((all, None)),
        });
        let Ok((all, own)) = used else {
            let lines = counted.entry(key).or_default();
            if lines.dropped == 0 {
                lines.text = text();
            }
            lines.dropped += 1;
            return false;
        };
        counted.entry(kind_key).or_default().used = Some(all);
        if own.is_some() {
            counted.entry(key).or_default().used = own;
        }
        true
    }

    /// Returns a summary for each kind and client with dropped lines. It then forgets each kind and client whose limit
    /// has fully recovered.
    fn take_summaries(&self, now: Instant) -> Vec<String> {
        let mut counted = self.lock();
        let mut sums = Vec::new();
        for ((_, client), lines) in counted.iter_mut().filter(|(_, lines)| lines.dropped > 0) {
            let CountedLines { dropped, text, .. } = lines;
            let from = client.as_ref().map(|client| format!(" from {client}")).unwrap_or_default();
            sums.push(format!(
                "{}{from} in {} s: {text}",
                count_with_noun(*dropped, "more line like this", "more lines like this"),
                SUMMARY_INTERVAL.as_secs()
            ));
            (lines.dropped, lines.text) = Default::default();
        }
        counted.retain(|(_, client), lines| {
            let (at_once, rate) = if client.is_some() { LINES_PER_CLIENT } else { LINES_PER_KIND };
            lines.used.is_some_and(|used| !RateLimit::per_second(at_once, rate).is_clear(used, now))
        });
        sums.sort_unstable();
        sums
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<LineKey, CountedLines>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Subscriber> Filter<S> for LogLimiter {
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }

    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        let metadata = event.metadata();
        if *metadata.level() > Level::INFO || metadata.target() == SUMMARY_TARGET {
            return true;
        }
        let client = CLIENT_FIELDS.into_iter().find(|name| metadata.fields().field(name).is_some());
        let client = client.map(|name| field_text(event, name)).filter(|client| !client.is_empty());
        self.admit(metadata.callsite(), client, Instant::now(), || field_text(event, "message"))
    }
}

/// Returns the value of a line's field; empty if the line has no value for it.
fn field_text(event: &Event<'_>, name: &'static str) -> String {
    let mut reader = FieldReader { name, text: String::new() };
    event.record(&mut reader);
    reader.text.chars().take(MAX_KEPT_CHARS).collect()
}

/// Reads one field of a line.
struct FieldReader {
    name: &'static str,
    text: String,
}

impl Visit for FieldReader {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == self.name {
            // Writing to a string cannot fail.
            let _ = write!(self.text, "{value:?}");
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == self.name {
            self.text.push_str(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use tracing_subscriber::{Layer as _, fmt::layer, prelude::*};

    #[derive(Debug, Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Runs `write` with a limited log, and returns the lines that were logged.
    fn logged_lines(limiter: &LogLimiter, write: impl FnOnce()) -> Vec<String> {
        let log = Log::default();
        let writer = log.clone();
        let lines = layer().with_ansi(false).with_writer(move || writer.clone());
        let subscriber = tracing_subscriber::registry().with(lines.with_filter(limiter.clone()));
        tracing::subscriber::with_default(subscriber, write);
        let bytes = log.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn log_lines_of_one_client_are_limited_without_hiding_other_clients() {
        let limiter = LogLimiter::default();
        let note = |address: &str| tracing::info!(%address, bot = "any", "bot connected");
        let lines = logged_lines(&limiter, || {
            for _ in 0..2_000 {
                note("127.0.0.5");
            }
            note("127.0.0.6");
        });
        assert!((21..=30).contains(&lines.len()), "{} lines", lines.len());
        assert!(lines.last().unwrap().contains("127.0.0.6"));
        let sums = limiter.take_summaries(Instant::now());
        let expected =
            format!("{} more lines like this from 127.0.0.5 in 10 s: bot connected", 2_001 - lines.len());
        assert_eq!(sums, [expected]);
        assert_eq!(limiter.take_summaries(Instant::now()), [""; 0], "they are summed up once");
    }

    #[test]
    fn lines_without_a_client_and_many_clients_are_limited_too() {
        let limiter = LogLimiter::default();
        let lines = logged_lines(&limiter, || {
            for number in 0..2_000 {
                tracing::warn!(target: "h2", "reset");
                tracing::warn!(bot = number, "restarting a house bot");
            }
        });
        assert!((200..=300).contains(&lines.len()), "{} lines", lines.len());
        assert!(limiter.lock().len() <= MAX_COUNTED_PAIRS + 2, "memory is bounded");
        let sums = limiter.take_summaries(Instant::now());
        let dropped: usize =
            sums.iter().map(|sum| sum.split(' ').next().unwrap().parse::<usize>().unwrap()).sum();
        assert_eq!(lines.len() + dropped, 4_000, "each line is counted");
        limiter.take_summaries(Instant::now() + Duration::from_mins(10));
        assert!(limiter.lock().is_empty(), "quiet clients are forgotten");
    }

    #[test]
    fn requested_debug_lines_are_not_limited() {
        let lines = logged_lines(&LogLimiter::default(), || {
            for _ in 0..1_000 {
                tracing::debug!(address = "127.0.0.5", "a connection ended");
            }
        });
        assert_eq!(lines.len(), 1_000);
    }
}
