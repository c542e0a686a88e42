//! The log of a bot's sessions, which can be used to audit the server.

use super::{Error, line_file::open_line_file};
use lastnim_proto::{
    pb::{PlayRequest, PlayResponse},
    session_log::{SESSION_LOG_VERSION, SessionLogEvent, SessionLogLine},
};
use std::{
    fs::File,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread::{self, JoinHandle},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

/// Maximum number of lines that can wait for the disk; further lines are dropped, and the log states how many.
const MAX_WAITING_LINES: usize = 16_384;
/// Waiting lines are collected up to about this many bytes, and then written together.
const BATCH_BYTES: usize = 64 << 10;
/// Shorter tokens are not hidden: real tokens are longer, and such a short text could be part of an ordinary word.
const MIN_SECRET_BYTES: usize = 16;
/// The text that replaces the token in the log, in case the server repeats it.
const HIDDEN_TOKEN: &str = "(token)";

/// Logs the messages of a bot's run, if requested.
///
/// A separate thread writes whole lines in order, so that the bot never waits for the disk. Lines that have been
/// written survive a crash of the program.
#[derive(Debug)]
pub(super) struct SessionLog(Option<OpenLog>);

#[derive(Debug)]
struct OpenLog {
    run: String,
    began: Instant,
    session: u64,
    /// `None` once the log is closed.
    lines: Option<SyncSender<SessionLogLine>>,
    /// The number of lines dropped since the last line that states a gap.
    left_out: u64,
    writer: Option<JoinHandle<()>>,
}

impl SessionLog {
    /// Opens the log, if requested, and writes its first line. If `path` is a folder, each run gets a new file in it.
    ///
    /// # Errors
    /// If the file cannot be opened or the thread cannot be started.
    pub(super) fn open(path: Option<&Path>, server: &str, token: &str) -> Result<Self, Error> {
        let Some(path) = path else { return Ok(Self(None)) };
        let failed =
            |error: &io::Error| Error::SessionLog { path: path.to_owned(), reason: error.to_string() };
        let run = format!("{:016x}", getrandom::u64().map_err(|error| failed(&io::Error::other(error)))?);
        let (_, file) = open_line_file(path, "session", &run).map_err(|error| failed(&error))?;
        let (lines, waiting) = sync_channel(MAX_WAITING_LINES);
        let writer =
            LogWriter { path: path.to_owned(), file, secret: secret_of_token(token), is_torn: false };
        let writer = thread::Builder::new()
            .name("lastnim-session-log".to_owned())
            .spawn(move || writer.write_all_lines(&waiting))
            .map_err(Error::Thread)?;
        let mut log = OpenLog {
            run,
            began: Instant::now(),
            session: 0,
            lines: Some(lines),
            left_out: 0,
            writer: Some(writer),
        };
        log.note(SessionLogEvent::RunBegan {
            version: SESSION_LOG_VERSION,
            sdk: concat!("lastnim-rust ", env!("CARGO_PKG_VERSION")).to_owned(),
            server: address_without_user(server),
        });
        Ok(Self(Some(log)))
    }

    /// Begins the next session, whose number all later lines get.
    pub(super) fn begin_session(&mut self) {
        if let Some(log) = &mut self.0 {
            log.session += 1;
        }
    }

    /// Logs a message before it is sent.
    pub(super) fn note_sent(&mut self, request: &PlayRequest) {
        if let Some(log) = &mut self.0 {
            log.note(SessionLogEvent::Sent(Box::new(request.clone())));
        }
    }

    /// Logs a received message.
    pub(super) fn note_received(&mut self, response: &PlayResponse) {
        if let Some(log) = &mut self.0 {
            log.note(SessionLogEvent::Received(Box::new(response.clone())));
        }
    }

    /// Logs why a session ended or could not be opened.
    pub(super) fn note_closed(&mut self, reason: &str) {
        if let Some(log) = &mut self.0 {
            log.note(SessionLogEvent::Closed { reason: reason.to_owned() });
        }
    }
}

impl OpenLog {
    fn note(&mut self, event: SessionLogEvent) {
        if self.left_out > 0 && self.try_send(SessionLogEvent::Gap { lines: self.left_out }) {
            self.left_out = 0;
        }
        if self.left_out > 0 || !self.try_send(event) {
            self.left_out += 1;
        }
    }

    fn try_send(&self, event: SessionLogEvent) -> bool {
        let line = self.line(event);
        let sent = self.lines.as_ref().map(|lines| lines.try_send(line));
        matches!(sent, Some(Ok(())))
    }

    fn line(&self, event: SessionLogEvent) -> SessionLogLine {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let is_of_run = matches!(event, SessionLogEvent::RunBegan { .. } | SessionLogEvent::RunEnded);
        SessionLogLine {
            at_us: at.as_micros() as u64,
            mono_us: self.began.elapsed().as_micros() as u64,
            run: self.run.clone(),
            session: if is_of_run { 0 } else { self.session },
            event,
        }
    }
}

impl Drop for OpenLog {
    /// Writes the waiting lines and a last line for the end of the run.
    fn drop(&mut self) {
        self.note(SessionLogEvent::RunEnded);
        self.lines = None;
        if let Some(writer) = self.writer.take() {
            // Joining fails only if the writer has panicked; write errors have already been logged.
            let _ = writer.join();
        }
    }
}

/// Removes the user and password from an address.
fn address_without_user(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").map_or(("", address), |(scheme, rest)| (scheme, rest));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") }
}

/// Returns a token as it appears in JSON; `None` if it is too short to hide.
fn secret_of_token(token: &str) -> Option<String> {
    let shown = serde_json::to_string(token).unwrap_or_default();
    (token.len() >= MIN_SECRET_BYTES).then(|| shown[1..shown.len() - 1].to_owned())
}

struct LogWriter {
    path: PathBuf,
    file: File,
    secret: Option<String>,
    /// Whether the file may end with an incomplete line.
    is_torn: bool,
}

impl LogWriter {
    fn write_all_lines(mut self, waiting: &Receiver<SessionLogLine>) {
        let mut unwritten = 0_u64;
        while let Ok(first) = waiting.recv() {
            let (mut text, mut lines) = (String::new(), 0);
            if unwritten > 0 {
                let gap =
                    SessionLogLine { event: SessionLogEvent::Gap { lines: unwritten }, ..first.clone() };
                self.add_line(&mut text, &gap);
            }
            let mut next = Ok(first);
            while let Ok(line) = next {
                self.add_line(&mut text, &line);
                lines += 1;
                if text.len() >= BATCH_BYTES {
                    break;
                }
                next = waiting.try_recv();
            }
            match self.write_text(&text) {
                Ok(()) => unwritten = 0,
                Err(error) => {
                    if unwritten == 0 {
                        tracing::warn!(log = %self.path.display(), %error, "the session log cannot be written");
                    }
                    unwritten += lines;
                }
            }
        }
    }

    fn add_line(&self, text: &mut String, line: &SessionLogLine) {
        let written = line.write();
        match &self.secret {
            Some(secret) if written.contains(secret) => {
                text.push_str(&written.replace(secret, HIDDEN_TOKEN));
            }
            _ => text.push_str(&written),
        }
        text.push('\n');
    }

    fn write_text(&mut self, text: &str) -> io::Result<()> {
        if self.is_torn {
            self.file.write_all(b"\n")?;
            self.is_torn = false;
        }
        let written = self.file.write_all(text.as_bytes());
        self.is_torn = written.is_err();
        written
    }
}

#[cfg(test)]
mod tests;
