//! The log of a bot's sessions, which SDKs write on request. Each line is a JSON object (docs/reference/files.md).
//!
//! Messages are written as the JSON of [`json`](super::json), which depends only on the descriptors, so that SDKs in
//! all languages can write the same logs.

use super::{
    json::{MessageJson, message_from_json, parse_document},
    pb,
};
use serde::Serialize;
use serde_json::{Value, json};
use thiserror::Error;

/// The version of the log format, which the first line of each run states.
pub const SESSION_LOG_VERSION: u64 = 1;

/// A line of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionLogLine {
    /// The time by the bot's own wall clock, in microseconds since 1970-01-01 UTC.
    pub at_us: u64,
    /// Microseconds since the run began, by a monotonic clock.
    pub mono_us: u64,
    /// The unique id of this run of the program.
    pub run: String,
    /// The number of the session in its run, from 1; 0 for events that concern the run and no session.
    pub session: u64,
    /// The event.
    pub event: SessionLogEvent,
}

/// The event that a line reports.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionLogEvent {
    /// The program started.
    RunBegan {
        /// The version of the log format.
        version: u64,
        /// The SDK and its version.
        sdk: String,
        /// The server's address.
        server: String,
    },
    /// The bot's message was passed to the stream.
    Sent(Box<pb::PlayRequest>),
    /// A message from the server was received.
    Received(Box<pb::PlayResponse>),
    /// The session ended or could not be opened.
    Closed {
        /// A description of the reason.
        reason: String,
    },
    /// Some lines that belong here could not be written.
    Gap {
        /// Number of missing lines.
        lines: u64,
    },
    /// The program ended normally.
    RunEnded,
    /// An event that this version does not know.
    Unknown(String),
}

/// The reason why a line cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SessionLogError {
    /// The line is not JSON; it may be truncated.
    #[error("{0}")]
    Json(String),
    /// A key is missing or its value is invalid.
    #[error("{key}: {given}: expected {expected}")]
    Key {
        /// The key that is missing or whose value is invalid.
        key: &'static str,
        /// The value that was given, or `missing`.
        given: String,
        /// The kind of value that is expected.
        expected: &'static str,
    },
    /// The message is invalid.
    #[error("message: {0}")]
    Message(String),
    /// A later version of lastnim wrote the log.
    #[error(
        "log version {0}: this program only reads version {SESSION_LOG_VERSION}; use the version of lastnim that wrote it"
    )]
    Version(u64),
}

/// The keys at the start of each line.
#[derive(Serialize)]
struct LineStart<'a> {
    at_us: u64,
    mono_us: u64,
    run: &'a str,
    session: u64,
    event: &'a str,
}

/// A line with a message.
#[derive(Serialize)]
struct MessageLine<'a> {
    #[serde(flatten)]
    start: LineStart<'a>,
    message: MessageJson,
}

/// A line without a message.
#[derive(Serialize)]
struct PlainLine<'a> {
    #[serde(flatten)]
    start: LineStart<'a>,
    #[serde(flatten)]
    members: Value,
}

impl SessionLogLine {
    /// Formats the line, without a newline.
    pub fn write(&self) -> String {
        let start = LineStart {
            at_us: self.at_us,
            mono_us: self.mono_us,
            run: &self.run,
            session: self.session,
            event: self.event.event_name(),
        };
        let line = match &self.event {
            SessionLogEvent::Sent(request) => {
                serde_json::to_string(&MessageLine { start, message: MessageJson::of(request.as_ref()) })
            }
            SessionLogEvent::Received(response) => {
                serde_json::to_string(&MessageLine { start, message: MessageJson::of(response.as_ref()) })
            }
            other => serde_json::to_string(&PlainLine { start, members: other.members() }),
        };
        line.expect("all keys are strings")
    }

    /// Parses a line. Unknown keys are ignored.
    pub fn parse(text: &str) -> Result<Self, SessionLogError> {
        let line = parse_document(text).map_err(SessionLogError::Json)?;
        let event_name = text_of(&line, "event")?;
        let event = match event_name.as_str() {
            "run_began" => match number_of(&line, "version")? {
                version @ SESSION_LOG_VERSION => {
                    let (sdk, server) = (text_of(&line, "sdk")?, text_of(&line, "server")?);
                    SessionLogEvent::RunBegan { version, sdk, server }
                }
                later => return Err(SessionLogError::Version(later)),
            },
            "sent" => SessionLogEvent::Sent(message_of(&line)?),
            "received" => SessionLogEvent::Received(message_of(&line)?),
            "closed" => SessionLogEvent::Closed { reason: text_of(&line, "reason")? },
            "gap" => SessionLogEvent::Gap { lines: number_of(&line, "lines")? },
            "run_ended" => SessionLogEvent::RunEnded,
            _ => SessionLogEvent::Unknown(event_name),
        };
        Ok(Self {
            at_us: number_of(&line, "at_us")?,
            mono_us: number_of(&line, "mono_us")?,
            run: text_of(&line, "run")?,
            session: number_of(&line, "session")?,
            event,
        })
    }
}

impl SessionLogEvent {
    /// Returns the name of the event.
    fn event_name(&self) -> &str {
        match self {
            Self::RunBegan { .. } => "run_began",
            Self::Sent(_) => "sent",
            Self::Received(_) => "received",
            Self::Closed { .. } => "closed",
            Self::Gap { .. } => "gap",
            Self::RunEnded => "run_ended",
            Self::Unknown(event_name) => event_name,
        }
    }

    /// Returns the keys that only this event has, with their values.
    fn members(&self) -> Value {
        match self {
            Self::RunBegan { version, sdk, server } => {
                json!({ "version": version, "sdk": sdk, "server": server })
            }
            Self::Closed { reason } => json!({ "reason": reason }),
            Self::Gap { lines } => json!({ "lines": lines }),
            Self::Sent(_) | Self::Received(_) | Self::RunEnded | Self::Unknown(_) => json!({}),
        }
    }
}

fn message_of<M: prost::Name + Default>(line: &Value) -> Result<Box<M>, SessionLogError> {
    let message = message_from_json(line.get("message").unwrap_or(&Value::Null));
    message.map(Box::new).map_err(|error| SessionLogError::Message(error.to_string()))
}

fn number_of(line: &Value, key: &'static str) -> Result<u64, SessionLogError> {
    let value = line.get(key);
    value.and_then(Value::as_u64).ok_or_else(|| key_error(key, value, "a whole number, 0 or more"))
}

fn text_of(line: &Value, key: &'static str) -> Result<String, SessionLogError> {
    let value = line.get(key);
    value.and_then(Value::as_str).map(str::to_owned).ok_or_else(|| key_error(key, value, "a string"))
}

fn key_error(key: &'static str, value: Option<&Value>, expected: &'static str) -> SessionLogError {
    let given =
        value.map_or_else(|| "missing".to_owned(), |value| value.to_string().chars().take(80).collect());
    SessionLogError::Key { key, given, expected }
}

#[cfg(test)]
mod tests;
