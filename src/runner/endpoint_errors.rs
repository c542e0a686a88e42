//! Failures of a model's endpoint: a match with such a failure says nothing about the model, so its duplicate group
//! is voided and played again.
//!
//! A bot whose endpoint fails writes that into its transcript, and waits for a while before it gives up.
//! [`follow_transcript`] reads the transcript, and [`GroupReplays`] voids the group, a limited number of times.

use super::players::{PlayerNews, TournamentAddress};
use crate::Failure;
use lastnim_core::game::{BotName, MatchId};
use lastnim_llm::ENDPOINT_ERROR;
use lastnim_proto::pb;
use lastnim_tournament::Reason;
use pb::tournament_event::Event;
use serde::Deserialize;
use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{sync::mpsc, task::spawn_blocking, time::sleep};

/// The time that a bot waits before it gives up, so that its match can be voided.
pub const ENDPOINT_ERROR_PAUSE: Duration = Duration::from_secs(10);
/// The interval between checks of whether a transcript has grown.
const LOOK: Duration = Duration::from_millis(100);
/// The maximum size of one read of a transcript in bytes.
const MAX_PIECE: u64 = 1 << 20;

/// That the endpoint of a model failed permanently, in a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointError {
    /// The bot of the model.
    pub bot: BotName,
    /// The match.
    pub match_id: MatchId,
    /// The class and the description of the failure.
    pub what: String,
}

/// The fields of a line that are read.
#[derive(Debug, Deserialize)]
struct TranscriptLine {
    event: String,
    match_id: String,
    failure: String,
    #[serde(default)]
    detail: String,
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
        self.read += file.take(MAX_PIECE).read_to_end(&mut self.rest)? as u64;
        let Some(end) = self.rest.iter().rposition(|&byte| byte == b'\n') else { return Ok(Vec::new()) };
        let rest = self.rest.split_off(end + 1);
        let whole = std::mem::replace(&mut self.rest, rest);
        Ok(whole.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect())
    }
}

/// Tells of each error of an endpoint that a bot writes into its transcript, for ever.
pub async fn follow_transcript(
    bot: BotName,
    mut transcript: GrowingTranscript,
    news: mpsc::Sender<PlayerNews>,
) {
    loop {
        sleep(LOOK).await;
        let read = spawn_blocking(move || {
            let lines = transcript.read_lines();
            (transcript, lines)
        });
        let Ok((read, lines)) = read.await else { return };
        transcript = read;
        let lines = match lines {
            Ok(lines) => lines,
            Err(error) => {
                tracing::warn!(transcript = %transcript.path.display(), %error, "the transcript cannot be read");
                return;
            }
        };
        for error in lines.iter().filter_map(|line| read_endpoint_error(&bot, line)) {
            if news.send(PlayerNews::EndpointFailed(error)).await.is_err() {
                return;
            }
        }
    }
}

fn read_endpoint_error(bot: &BotName, line: &[u8]) -> Option<EndpointError> {
    let line: TranscriptLine = serde_json::from_slice(line).ok()?;
    let match_id = line.match_id.parse().ok()?;
    let what = format!("{}: {}", line.failure, line.detail);
    (line.event == ENDPOINT_ERROR).then(|| EndpointError { bot: bot.clone(), match_id, what })
}

/// Has duplicate groups played again.
#[derive(Debug, Clone, Copy)]
pub struct GroupReplays {
    /// The maximum number of replays per group.
    pub most: u8,
    /// The number of matches per group.
    pub group_size: u64,
}

impl GroupReplays {
    /// Voids the group of a match, and returns a message about it; nothing if the match already does not count.
    pub async fn void_group_of(
        &self,
        error: &EndpointError,
        stage: &TournamentAddress,
    ) -> Result<Option<String>, Failure> {
        let EndpointError { bot, match_id, what } = error;
        let found = stage.organiser.fetch_match(*match_id).await?;
        let events = stage.organiser.tournament_events(stage.tournament).await?;
        if !found.void_reason.is_empty() || voided(&events).any(|voided| voided.match_id == found.id) {
            return Ok(None);
        }
        let group = found.setup.unwrap_or_default().group;
        let replays = self.count_replays(&events, group);
        let happened = format!("{bot}: its endpoint failed ({what})");
        if replays >= usize::from(self.most) {
            let often = count_times(replays);
            return Ok(Some(format!("{happened}; group {group} was replayed {often} and now counts")));
        }
        stage.organiser.void_group(stage.tournament, group, &void_reason(bot, what)).await?;
        let (this, most) = (replays + 1, self.most);
        Ok(Some(format!(
            "{happened}; group {group} is voided and played again (time {this} of at most {most})"
        )))
    }

    /// Returns how often a group was voided.
    fn count_replays(&self, events: &[pb::TournamentEvent], group: u64) -> usize {
        let is_of_group =
            |voided: &pb::VoidedMatch| voided.number.checked_div(self.group_size) == Some(group);
        let voids = events.iter().filter(|event| voided(std::slice::from_ref(event)).any(is_of_group));
        voids.count()
    }
}

fn voided(events: &[pb::TournamentEvent]) -> impl Iterator<Item = &pb::VoidedMatch> {
    let voids = events.iter().filter_map(|event| match &event.event {
        Some(Event::Voided(voided)) => Some(&voided.matches),
        _ => None,
    });
    voids.flatten()
}

fn count_times(times: usize) -> String {
    if times == 1 { "once".to_owned() } else { format!("{times} times") }
}

/// Returns the public reason to void a group: one line, cut to the maximum length of a reason.
fn void_reason(bot: &BotName, what: &str) -> Reason {
    let words = format!("the endpoint of {bot} failed: {what}");
    let line = words.chars().map(|character| if character.is_control() { ' ' } else { character });
    let cut: String = line.take(Reason::MAX_CHARS).collect();
    cut.parse().expect("it begins with words, has no control character and is not too long")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::io::Write as _;

    fn voided_event(numbers: &[u64]) -> pb::TournamentEvent {
        let matches = numbers.iter().map(|&number| pb::VoidedMatch { number, match_id: number.to_string() });
        let voided = pb::VoidedEvent { matches: matches.collect(), reason: "why".into() };
        pb::TournamentEvent { event: Some(Event::Voided(voided)), ..Default::default() }
    }

    #[test]
    fn voids_of_a_group_are_counted_whichever_of_its_matches_had_begun() {
        let replays = GroupReplays { most: 2, group_size: 3 };
        let events = [voided_event(&[3]), voided_event(&[6, 7]), voided_event(&[4, 5])];
        assert_eq!([0, 1, 2].map(|group| replays.count_replays(&events, group)), [0, 2, 1]);
    }

    #[test]
    fn a_reason_is_a_line_whatever_the_endpoint_says() {
        let bot = "m1".parse().unwrap();
        assert_eq!(
            void_reason(&bot, "server_error: a\nb").as_str(),
            "the endpoint of m1 failed: server_error: a b"
        );
        assert_eq!(void_reason(&bot, &"\u{7}é".repeat(500)).as_str().chars().count(), Reason::MAX_CHARS);
    }

    #[test]
    fn lines_are_read_once_they_are_whole() {
        let path = std::env::temp_dir().join(format!("lastnim-growing-{}.jsonl", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let mut growing = GrowingTranscript::at_end_of(&path);
        assert_eq!(growing.read_lines().unwrap(), Vec::<Vec<u8>>::new());
        let id = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f";
        let line = |event: &str| {
            json!({ "event": event, "match_id": id, "failure": "server_error", "detail": "503" }).to_string()
        };
        let mut file = File::create(&path).unwrap();
        write!(file, "{}\nhalf a l", line("call")).unwrap();
        assert_eq!(growing.read_lines().unwrap()[0], line("call").as_bytes());
        write!(file, "ine\n{}\n", line(ENDPOINT_ERROR)).unwrap();
        let bot = "m1".parse().unwrap();
        let lines = growing.read_lines().unwrap();
        assert_eq!(lines[0], b"half a line");
        let errors: Vec<_> = lines.iter().filter_map(|line| read_endpoint_error(&bot, line)).collect();
        let expected = EndpointError {
            bot: bot.clone(),
            match_id: id.parse().unwrap(),
            what: "server_error: 503".into(),
        };
        assert_eq!(errors, [expected]);
        assert_eq!(read_endpoint_error(&bot, line("call").as_bytes()), None);
        // Lines of an earlier run are not read again.
        assert_eq!(GrowingTranscript::at_end_of(&path).read_lines().unwrap(), Vec::<Vec<u8>>::new());
        std::fs::remove_file(&path).unwrap();
    }
}
