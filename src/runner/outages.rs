//! Outages: a model's endpoint fails for longer than its bot's retries last, or a budget is spent.
//!
//! The bot writes the outage into its transcript, and its question waits. [`follow_transcript`] reads the transcript.
//! `running_tournament` then freezes the tournament until all [`Outages`] have ended. It stops the run if waiting
//! cannot help or takes too long.

use super::players::LocalBotEvent;
use lastnim_core::game::BotName;
use lastnim_llm::{FailureClass, OUTAGE, RECOVERY, SAID};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{
    sync::mpsc,
    task::spawn_blocking,
    time::{Instant, sleep},
};

/// The interval between checks of whether a transcript has grown.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The maximum size of one read of a transcript in bytes.
const MAX_READ_BYTES: u64 = 1 << 20;

/// Why a bot's questions wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutageCause {
    /// The class of the failure.
    pub class: FailureClass,
    /// The failure in words.
    pub detail: String,
}

/// The outages of all models of a run.
#[derive(Debug, Default)]
pub struct Outages {
    /// When the open outage of each bot began.
    open: BTreeMap<BotName, Instant>,
}

impl Outages {
    /// Notes that a bot's questions wait; returns whether there was no outage before.
    pub fn begin(&mut self, bot: &BotName) -> bool {
        let is_first = self.open.is_empty();
        self.open.entry(bot.clone()).or_insert_with(Instant::now);
        is_first
    }

    /// Notes that a bot's endpoint answers again. Returns how long the bot's questions waited, if they did.
    pub fn end(&mut self, bot: &BotName) -> Option<Duration> {
        self.open.remove(bot).map(|since| since.elapsed())
    }

    /// Returns whether there are no outages.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Waits until the oldest outage has lasted for `limit`, and returns its bot. Safe to cancel.
    pub async fn wait_until_exceeded(&self, limit: Duration) -> BotName {
        let oldest = self.open.iter().min_by_key(|(_, since)| **since);
        let Some((bot, since)) = oldest else { return std::future::pending().await };
        sleep(limit.saturating_sub(since.elapsed())).await;
        bot.clone()
    }
}

/// The fields that are read from a line of a transcript.
#[derive(Debug, Deserialize)]
struct TranscriptLine {
    event: String,
    match_id: Option<String>,
    ply: Option<u32>,
    failure: Option<FailureClass>,
    detail: Option<String>,
}

/// The waiting questions of one bot.
#[derive(Debug, Default)]
struct WaitingQuestions(BTreeSet<(String, Option<u32>)>);

/// The start or the end of a bot's outage.
#[derive(Debug, PartialEq, Eq)]
enum OutageChange {
    Began(OutageCause),
    Ended,
}

impl WaitingQuestions {
    /// Reads a line of the transcript. Lines that are not valid change nothing.
    fn read_line(&mut self, line: &[u8]) -> Option<OutageChange> {
        let line: TranscriptLine = serde_json::from_slice(line).ok()?;
        let waited = !self.0.is_empty();
        match (line.event.as_str(), line.match_id) {
            // The program was restarted and has lost its waiting questions.
            ("run", _) => self.0.clear(),
            (OUTAGE, Some(id)) => {
                self.0.insert((id, line.ply));
                let (class, detail) = (line.failure?, line.detail.unwrap_or_default());
                // While a question waits for a failing endpoint, another one may begin to wait because a budget is
                // spent.
                return (!waited || class.needs_change())
                    .then_some(OutageChange::Began(OutageCause { class, detail }));
            }
            (RECOVERY | SAID | "decision", Some(id)) => {
                self.0.remove(&(id, line.ply));
            }
            _ => {}
        }
        (waited && self.0.is_empty()).then_some(OutageChange::Ended)
    }
}

/// A transcript that grows.
#[derive(Debug)]
pub struct GrowingTranscript {
    path: PathBuf,
    /// The number of bytes read.
    read: u64,
    /// The beginning of an incomplete line.
    rest: Vec<u8>,
}

impl GrowingTranscript {
    /// Starts at the end of a file, which may not exist yet.
    pub fn at_end_of(path: &Path) -> Self {
        let read = path.metadata().map_or(0, |metadata| metadata.len());
        Self { path: path.to_owned(), read, rest: Vec::new() }
    }

    /// Reads the added lines, if the file exists.
    fn read_lines(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened?,
        };
        file.seek(SeekFrom::Start(self.read))?;
        self.read += file.take(MAX_READ_BYTES).read_to_end(&mut self.rest)? as u64;
        let Some(end) = self.rest.iter().rposition(|&byte| byte == b'\n') else { return Ok(Vec::new()) };
        let rest = self.rest.split_off(end + 1);
        let whole = std::mem::replace(&mut self.rest, rest);
        Ok(whole.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect())
    }
}

/// Reports from a bot's transcript when a first question begins to wait, and when no question waits any longer. Returns
/// only if the transcript cannot be read, or if nobody receives the reports.
pub async fn follow_transcript(
    bot: BotName,
    mut transcript: GrowingTranscript,
    events: mpsc::Sender<LocalBotEvent>,
) {
    let mut waiting = WaitingQuestions::default();
    loop {
        sleep(POLL_INTERVAL).await;
        let read = spawn_blocking(move || {
            let lines = transcript.read_lines();
            (transcript, lines)
        });
        let Ok((read, lines)) = read.await else { return };
        transcript = read;
        let lines = match lines {
            Ok(lines) => lines,
            Err(error) => {
                tracing::warn!(transcript = %transcript.path.display(), %error, "the transcript cannot be read, so an outage of this model's endpoint will go unnoticed");
                return;
            }
        };
        for change in lines.iter().filter_map(|line| waiting.read_line(line)) {
            let bot = bot.clone();
            let event = match change {
                OutageChange::Began(cause) => LocalBotEvent::OutageBegan { bot, cause },
                OutageChange::Ended => LocalBotEvent::OutageEnded { bot },
            };
            if events.send(event).await.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::io::Write as _;

    fn line(event: &str, id: &str, ply: Option<u32>, class: &str) -> Vec<u8> {
        json!({ "event": event, "match_id": id, "ply": ply, "failure": class, "detail": "why" })
            .to_string()
            .into_bytes()
    }

    #[test]
    fn an_outage_lasts_until_no_question_waits() {
        let mut waiting = WaitingQuestions::default();
        let began = |class| Some(OutageChange::Began(OutageCause { class, detail: "why".into() }));
        assert_eq!(waiting.read_line(&line("decision", "a", None, "illegal")), None);
        let failed = began(FailureClass::ServerError);
        assert_eq!(waiting.read_line(&line(OUTAGE, "a", None, "server_error")), failed);
        assert_eq!(waiting.read_line(&line(OUTAGE, "b", Some(3), "server_error")), None, "it is known");
        let spent = began(FailureClass::Budget);
        assert_eq!(waiting.read_line(&line(OUTAGE, "c", Some(0), "budget")), spent, "this needs a change");
        assert_eq!(waiting.read_line(&line(RECOVERY, "a", None, "server_error")), None);
        assert_eq!(waiting.read_line(&line("decision", "a", None, "server_error")), None);
        assert_eq!(
            waiting.read_line(&line("decision", "b", Some(2), "server_error")),
            None,
            "another question"
        );
        assert_eq!(waiting.read_line(&line("decision", "b", Some(3), "server_error")), None);
        assert_eq!(waiting.read_line(b"{ not json"), None);
        assert_eq!(waiting.read_line(&line(OUTAGE, "d", None, "stalled")), None);
        assert_eq!(waiting.read_line(&line(SAID, "d", None, "stalled")), None);
        assert_eq!(waiting.read_line(&line("decision", "c", Some(0), "budget")), Some(OutageChange::Ended));
        assert_eq!(
            waiting.read_line(&line(OUTAGE, "a", None, "rate_limited")),
            began(FailureClass::RateLimited)
        );
        assert_eq!(
            waiting.read_line(b"{\"event\":\"run\"}"),
            Some(OutageChange::Ended),
            "the program started again"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_outage_limit_counts_from_the_oldest_outage() {
        let mut outages = Outages::default();
        let [one, two] = ["one", "two"].map(|name| name.parse::<BotName>().unwrap());
        assert!(outages.begin(&one));
        sleep(Duration::from_secs(10)).await;
        assert!(!outages.begin(&two) && !outages.begin(&one));
        let began = Instant::now();
        assert_eq!(outages.wait_until_exceeded(Duration::from_mins(1)).await, one);
        assert_eq!(began.elapsed(), Duration::from_secs(50));
        assert_eq!(outages.end(&one), Some(Duration::from_mins(1)));
        assert_eq!(outages.wait_until_exceeded(Duration::from_mins(1)).await, two);
        assert!(outages.end(&two).is_some() && outages.is_empty() && outages.end(&two).is_none());
    }

    #[test]
    fn transcript_lines_are_read_only_when_they_are_complete() {
        let path = std::env::temp_dir().join(format!("lastnim-growing-{}.jsonl", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let mut growing = GrowingTranscript::at_end_of(&path);
        assert_eq!(growing.read_lines().unwrap(), Vec::<Vec<u8>>::new());
        let mut file = File::create(&path).unwrap();
        write!(file, "one\nhalf a l").unwrap();
        assert_eq!(growing.read_lines().unwrap()[0], b"one");
        write!(file, "ine\ntwo\n").unwrap();
        assert_eq!(growing.read_lines().unwrap()[..2], [b"half a line".to_vec(), b"two".to_vec()]);
        // The lines of an earlier run are skipped.
        assert_eq!(GrowingTranscript::at_end_of(&path).read_lines().unwrap(), Vec::<Vec<u8>>::new());
        std::fs::remove_file(&path).unwrap();
    }
}
