//! Reads the logs of bots.

use super::match_log::{DirectedMessage, LoggedMessage, MatchLog, SessionOfMatch};
use lastnim_proto::{
    pb::{play_request::Action, play_response::Event},
    session_log::{SessionLogError, SessionLogEvent, SessionLogLine},
};
use std::collections::{BTreeMap, HashMap};
use thiserror::Error;

/// The contents of logs, by session.
#[derive(Debug, Default)]
pub struct SessionLogs {
    logs: Vec<LogState>,
    sessions: Vec<LoggedSession>,
    /// The index of each session, by its log, run and number.
    session_indices: HashMap<(usize, String, u64), usize>,
}

/// How many lines, runs and sessions a log has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogCounts {
    /// All lines of the log.
    pub lines: u64,
    /// Runs of programs that wrote to the log.
    pub runs: u64,
    /// Sessions in which the server welcomed a bot.
    pub sessions: u64,
    /// Incomplete lines, left by killed programs.
    pub torn: u64,
    /// Lines that the program reported as not written.
    pub left_out: u64,
    /// Lines written by later versions, whose contents this version does not know.
    pub unknown: u64,
}

/// An invalid line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {error}")]
pub struct LogLineError {
    /// The number of the line, from 1.
    pub line: u64,
    /// What is wrong with the line.
    pub error: SessionLogError,
}

/// What has been read of a log so far.
#[derive(Debug, Default)]
struct LogState {
    counts: LogCounts,
    /// The last line that was read, if it is not JSON. The next line shows whether this line is incomplete or the file
    /// is not a log.
    suspect_line: Option<LogLineError>,
}

/// A session, according to the log of its bot.
#[derive(Debug)]
struct LoggedSession {
    log: usize,
    began_us: u64,
    /// The name of the bot, once the server has welcomed it.
    bot: Option<String>,
    entries: Vec<LogEntry>,
}

/// A line of a session's log that contains a message, or says that lines are missing.
#[derive(Debug)]
struct LogEntry {
    line: u64,
    mono_us: u64,
    content: EntryEvent,
}

/// What a line of a log contains.
#[derive(Debug)]
enum EntryEvent {
    /// A message that the bot sent.
    Sent(Action),
    /// A message that the bot received.
    Received(Event),
    /// A report that lines are missing.
    Gap,
}

impl SessionLogs {
    /// Starts a log, and returns its index.
    pub fn begin_log(&mut self) -> usize {
        self.logs.push(LogState::default());
        self.logs.len() - 1
    }

    /// Reads the next line of a log, without its newline.
    ///
    /// # Errors
    /// If this line is invalid, or if the previous one was incomplete and neither a new run nor a gap follows it.
    pub fn add_line(&mut self, log: usize, text: &str) -> Result<(), LogLineError> {
        let state = &mut self.logs[log];
        state.counts.lines += 1;
        let line = state.counts.lines;
        if text.trim_ascii().is_empty() {
            return Ok(());
        }
        let parsed = match SessionLogLine::parse(text) {
            Ok(parsed) => parsed,
            Err(error @ SessionLogError::Json(_)) if state.suspect_line.is_none() => {
                state.suspect_line = Some(LogLineError { line, error });
                return Ok(());
            }
            Err(error) => return Err(state.suspect_line.take().unwrap_or(LogLineError { line, error })),
        };
        if let Some(suspect_line) = state.suspect_line.take() {
            // Lines are complete unless the program was killed or the disk was full.
            if !matches!(parsed.event, SessionLogEvent::RunBegan { .. } | SessionLogEvent::Gap { .. }) {
                return Err(suspect_line);
            }
            state.counts.torn += 1;
        }
        match &parsed.event {
            SessionLogEvent::RunBegan { .. } => state.counts.runs += 1,
            SessionLogEvent::Gap { lines } => state.counts.left_out += lines,
            SessionLogEvent::Unknown(_) => state.counts.unknown += 1,
            _ => {}
        }
        self.add_event(log, line, parsed);
        Ok(())
    }

    /// Ends a log, and returns its counts.
    ///
    /// # Errors
    /// If the last line is not JSON and no run began in the log.
    pub fn finish_log(&mut self, log: usize) -> Result<LogCounts, LogLineError> {
        let state = &mut self.logs[log];
        if let Some(suspect_line) = state.suspect_line.take() {
            if state.counts.runs == 0 {
                return Err(suspect_line);
            }
            state.counts.torn += 1;
        }
        Ok(state.counts)
    }

    fn add_event(&mut self, log: usize, line: u64, read: SessionLogLine) {
        let content = match read.event {
            SessionLogEvent::Sent(request) => match request.action {
                Some(action) => EntryEvent::Sent(action),
                None => return,
            },
            SessionLogEvent::Received(response) => match response.event {
                Some(event) => EntryEvent::Received(event),
                None => return,
            },
            SessionLogEvent::Gap { .. } => EntryEvent::Gap,
            _ => return,
        };
        let sessions = &mut self.sessions;
        let place = *self.session_indices.entry((log, read.run, read.session)).or_insert_with(|| {
            sessions.push(LoggedSession { log, began_us: read.at_us, bot: None, entries: Vec::new() });
            sessions.len() - 1
        });
        let session = &mut sessions[place];
        if let EntryEvent::Received(Event::Welcome(welcome)) = &content
            && session.bot.is_none()
        {
            session.bot = Some(welcome.bot.clone());
            self.logs[log].counts.sessions += 1;
        }
        session.entries.push(LogEntry { line, mono_us: read.mono_us, content });
    }

    /// Returns the names of the bots in alphabetical order.
    pub fn bots(&self) -> Vec<&str> {
        let mut bots: Vec<_> = self.sessions.iter().filter_map(|session| session.bot.as_deref()).collect();
        bots.sort_unstable();
        bots.dedup();
        bots
    }

    /// Returns the log of each match, by the id of the match.
    pub fn matches(&self) -> BTreeMap<&str, MatchLog<'_>> {
        let mut matches: BTreeMap<&str, MatchLog<'_>> = BTreeMap::new();
        let mut by_time: Vec<_> = self
            .sessions
            .iter()
            .enumerate()
            .filter_map(|(place, session)| Some((session.began_us, place, session.bot.as_deref()?, session)))
            .collect();
        by_time.sort_by_key(|&(began_us, place, ..)| (began_us, place));
        for (_, place, bot, session) in by_time {
            let mut gaps = 0;
            for entry in &session.entries {
                let content = match &entry.content {
                    EntryEvent::Gap => {
                        gaps += 1;
                        continue;
                    }
                    EntryEvent::Sent(action) => DirectedMessage::Sent(action),
                    EntryEvent::Received(event) => DirectedMessage::Received(event),
                };
                let Some(id) = match_of_message(content) else { continue };
                let message = LoggedMessage {
                    log: session.log,
                    line: entry.line,
                    mono_us: entry.mono_us,
                    gaps,
                    content,
                };
                let sessions = &mut matches.entry(id).or_default().sessions;
                match sessions.last_mut().filter(|last| last.place == place) {
                    Some(last) => last.messages.push(message),
                    None => sessions.push(SessionOfMatch { place, bot, messages: vec![message] }),
                }
            }
        }
        matches
    }
}

/// Returns the id of the match that a message is about; `None` if the message names no match.
fn match_of_message(content: DirectedMessage<'_>) -> Option<&str> {
    let id = match content {
        DirectedMessage::Sent(action) => match action {
            Action::Declare(declare) => &declare.match_id,
            Action::Take(take) => &take.match_id,
            Action::Resign(resign) => &resign.match_id,
            Action::Say(say) => &say.match_id,
            Action::EndTalk(end) => &end.match_id,
            Action::Subscribe(_) | Action::Pong(_) | Action::JoinTournament(_) => return None,
        },
        DirectedMessage::Received(event) => match event {
            Event::MatchStarted(started) => &started.match_id,
            Event::Snapshot(snapshot) => &snapshot.started.as_ref()?.match_id,
            Event::Revealed(revealed) => &revealed.match_id,
            Event::Turn(turn) => &turn.match_id,
            Event::Took(took) => &took.match_id,
            Event::Refused(refused) => &refused.match_id,
            Event::Forfeited(forfeited) => &forfeited.match_id,
            Event::TalkAccepted(accepted) => &accepted.match_id,
            Event::Heard(heard) => &heard.match_id,
            Event::MatchEnded(ended) => &ended.match_id,
            Event::Declared(declared) => &declared.match_id,
            Event::Welcome(_)
            | Event::Ping(_)
            | Event::Draining(_)
            | Event::Suspended(_)
            | Event::JoinedTournament(_)
            | Event::JoinRefused(_)
            | Event::TournamentEnded(_)
            | Event::CaughtUp(_) => return None,
        },
    };
    (!id.is_empty()).then_some(id)
}
