//! Limits on requests and tokens per minute, which all bots with the same file share.

use super::{
    LlmError, LlmSettings,
    failure::{CallFailure, FailureClass},
};
use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::FileExt as _,
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::time::{Instant, sleep};

/// A minute in microseconds.
const MINUTE_MICROS: u64 = 60_000_000;
/// The length of the file: two timestamps of 20 digits, each followed by a line feed.
const FILE_BYTES: usize = 42;

/// When the next call may start, in microseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct RateState {
    /// The time at which the request limit allows the next call.
    request_at: u64,
    /// The time at which the token limit allows the next call.
    tokens_at: u64,
}

/// A bot's limits, and the usage by all bots that share them.
#[derive(Debug)]
pub struct RateLimit {
    requests: Option<u64>,
    tokens: Option<u64>,
    file: Option<File>,
    state: Mutex<RateState>,
}

impl RateLimit {
    /// Opens the limits that the settings define.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(settings: &LlmSettings) -> Result<Self, LlmError> {
        let open_file = |path: &std::path::PathBuf| {
            let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
            opened.map_err(|error| LlmError::RateFile { path: path.clone(), reason: error.to_string() })
        };
        Ok(Self {
            requests: settings.requests_per_minute.map(u64::from),
            tokens: settings.tokens_per_minute,
            file: settings.rate_file.as_ref().map(open_file).transpose()?,
            state: Mutex::default(),
        })
    }

    /// Waits until a call may start.
    ///
    /// # Errors
    /// If no call may start before the deadline, or the file of the limits cannot be used.
    pub async fn wait_for_turn(&self, deadline: Instant) -> Result<(), CallFailure> {
        if self.requests.is_none() && self.tokens.is_none() {
            return Ok(());
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let wait = self.update_state(|state| {
            let now = now_micros();
            let at = now.max(state.request_at).max(state.tokens_at);
            let wait = Duration::from_micros(at - now);
            // The call will not start, so it must not count towards the limits.
            if wait < left {
                let interval = self.requests.map_or(0, |requests| MINUTE_MICROS / requests.max(1));
                state.request_at = at + interval;
            }
            wait
        });
        let wait = wait.map_err(|error| {
            CallFailure::new(FailureClass::Rejected, format!("cannot use the rate-limit file: {error}"))
        })?;
        if wait >= left {
            let what =
                format!("the limit on requests or tokens per minute requires a wait of {} s", wait.as_secs());
            return Err(CallFailure::new(FailureClass::Queued, what));
        }
        sleep(wait).await;
        Ok(())
    }

    /// Counts the tokens of a call, so that later calls wait longer.
    pub fn charge_tokens(&self, used: u64) {
        let Some(limit) = self.tokens else { return };
        let span = u128::from(used) * u128::from(MINUTE_MICROS) / u128::from(limit.max(1));
        let span = u64::try_from(span).unwrap_or(u64::MAX);
        let charged = self.update_state(|state| {
            state.tokens_at = state.tokens_at.max(now_micros()).saturating_add(span);
        });
        if let Err(error) = charged {
            tracing::warn!(%error, "cannot write the rate-limit file");
        }
    }

    fn update_state<T>(&self, change: impl FnOnce(&mut RateState) -> T) -> io::Result<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = &self.file else { return Ok(change(&mut state)) };
        file.lock()?;
        let changed = read_state(file).and_then(|read| {
            *state = read;
            let value = change(&mut state);
            let text = format!("{:>20}\n{:>20}\n", state.request_at, state.tokens_at);
            file.write_all_at(text.as_bytes(), 0).map(|()| value)
        });
        let unlocked = file.unlock();
        changed.and_then(|value| unlocked.map(|()| value))
    }
}

/// Reads the state from a file; in a new or incomplete file, a call may start at once.
fn read_state(file: &File) -> io::Result<RateState> {
    if file.metadata()?.len() < FILE_BYTES as u64 {
        return Ok(RateState::default());
    }
    let mut bytes = [0; FILE_BYTES];
    file.read_exact_at(&mut bytes, 0)?;
    let parse = || {
        let mut times = std::str::from_utf8(&bytes).ok()?.split_whitespace().map(str::parse);
        Some(RateState { request_at: times.next()?.ok()?, tokens_at: times.next()?.ok()? })
    };
    parse().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a rate-limit file"))
}

fn now_micros() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, fs, process};

    fn limit(requests: Option<u32>, tokens: Option<u64>, file: Option<&std::path::Path>) -> RateLimit {
        let settings = LlmSettings {
            requests_per_minute: requests,
            tokens_per_minute: tokens,
            rate_file: file.map(Into::into),
            ..LlmSettings::default()
        };
        RateLimit::open(&settings).unwrap()
    }

    /// Asserts that a call would have had to wait for about half a minute.
    fn assert_waits_long(failure: &CallFailure) {
        let waits = (20..30).any(|wait| failure.detail.contains(&format!("requires a wait of {wait} s")));
        assert!(waits, "{}", failure.detail);
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[tokio::test]
    async fn bots_with_the_same_file_share_their_limits() {
        let path = env::temp_dir().join(format!("lastnim-rate-{}", process::id()));
        let _ = fs::remove_file(&path);
        let (one, other) = (limit(Some(2), None, Some(&path)), limit(Some(2), None, Some(&path)));
        one.wait_for_turn(soon()).await.unwrap();
        let failure = other.wait_for_turn(soon()).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Queued, "a call each 30 seconds");
        assert_waits_long(&failure);
        // The call that did not start did not count.
        let failure = one.wait_for_turn(soon()).await.unwrap_err();
        assert_waits_long(&failure);
        fs::write(&path, "x".repeat(99)).unwrap();
        assert_eq!(one.wait_for_turn(soon()).await.unwrap_err().class, FailureClass::Rejected);
        fs::remove_file(&path).unwrap();
    }

    #[tokio::test]
    async fn used_tokens_delay_the_next_call() {
        let token_limit = limit(None, Some(600), None);
        token_limit.wait_for_turn(soon()).await.unwrap();
        token_limit.charge_tokens(1);
        token_limit.wait_for_turn(soon()).await.unwrap();
        token_limit.charge_tokens(300);
        let failure = token_limit.wait_for_turn(soon()).await.unwrap_err();
        assert_waits_long(&failure);
        let unlimited = limit(None, None, None);
        unlimited.charge_tokens(u64::MAX);
        unlimited.wait_for_turn(Instant::now()).await.unwrap();
    }
}
