//! How a command ends.

use crate::{form::OutputFormat, screen};
use serde_json::{Value, json};
use std::{fmt, io};
use thiserror::Error;

/// How a successful command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandExit {
    /// The command did everything; exit code 0.
    Done,
    /// Some lines or records were refused; exit code 3.
    SomeRefused,
    /// Mistakes in a file were listed; exit code 2.
    Mistakes,
    /// No command was given, so the help was shown; exit code 2.
    NoCommand,
}

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The command failed, for example because a file cannot be read; exit code 1.
    Runtime(anyhow::Error),
    /// The command line or the input is bad; exit code 2.
    Input(anyhow::Error),
    /// Standard output failed; exit code 1, or 0 if the reader closed it, as `head` does.
    Output(io::Error),
}

/// A server's refusal of a call.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct ServerRefusal {
    /// The server's message.
    pub message: String,
    /// The machine-readable reason, if the server gave one.
    pub reason: Option<String>,
}

/// The result of a command.
pub type CommandResult = Result<CommandExit, Failure>;

impl Failure {
    /// Creates a runtime failure; `what` names the thing that failed.
    pub fn runtime(error: impl Into<anyhow::Error>, what: impl fmt::Display) -> Self {
        Self::Runtime(error.into().context(what.to_string()))
    }

    /// Creates a failure caused by the user's input.
    pub fn input(error: impl fmt::Display) -> Self {
        Self::Input(anyhow::Error::msg(error.to_string()))
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Runtime(_) | Self::Output(_) => 1,
            Self::Input(_) => 2,
        }
    }

    /// Returns the failure as JSON. The protocol has no message for it.
    fn json(&self) -> Value {
        let (kind, reason) = match self {
            Self::Runtime(error) => ("runtime", server_reason(error)),
            Self::Input(error) => ("input", server_reason(error)),
            Self::Output(_) => ("output", None),
        };
        json!({ "error": {
            "kind": kind,
            "exit_code": self.exit_code(),
            "message": self.to_string(),
            "reason": reason,
        } })
    }

    /// Writes the failure to standard error, on one line.
    pub fn print_to_stderr(&self, form: OutputFormat) {
        use io::Write as _;
        let mut errors = screen::stderr();
        // A write error is ignored: the exit code reports the failure too.
        let _ = match form {
            OutputFormat::Json => writeln!(errors, "{}", self.json()),
            OutputFormat::Text => writeln!(errors, "error: {self}"),
        };
    }
}

/// Returns the reason that the server gave, if the error is a server's refusal.
fn server_reason(error: &anyhow::Error) -> Option<&str> {
    error.downcast_ref::<ServerRefusal>()?.reason.as_deref()
}

impl fmt::Display for Failure {
    /// Writes the failure and its cause on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Runtime(error) | Self::Input(error) => format!("{error:#}"),
            Self::Output(error) => format!("standard output: {error}"),
        };
        let words: Vec<_> = text.split_whitespace().collect();
        f.write_str(&words.join(" "))
    }
}

/// Returns the exit code of a command, after printing the failure, if any, in the requested format.
pub fn report_outcome(outcome: CommandResult, form: OutputFormat) -> u8 {
    let failure = match outcome {
        Ok(CommandExit::Done) => return 0,
        Ok(CommandExit::SomeRefused) => return 3,
        Ok(CommandExit::Mistakes | CommandExit::NoCommand) => return 2,
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => return 0,
        Err(failure) => failure,
    };
    failure.print_to_stderr(form);
    failure.exit_code()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_written_in_one_line() {
        let failure = Failure::input("required:\n  --piles <PILES>\n");
        assert_eq!(failure.to_string(), "required: --piles <PILES>");
        let failure = Failure::runtime(io::Error::other("gone"), "game.json");
        assert_eq!(failure.to_string(), "game.json: gone");
    }

    #[test]
    fn a_failure_is_json_with_the_reason_of_the_server() {
        let refusal = ServerRefusal { message: "no\nmatch".into(), reason: Some("NO_SUCH_MATCH".into()) };
        let error = |failure: &Failure| failure.json()["error"].clone();
        assert_eq!(
            error(&Failure::Runtime(refusal.into())),
            json!({ "kind": "runtime", "exit_code": 1, "message": "no match", "reason": "NO_SUCH_MATCH" })
        );
        assert_eq!(
            error(&Failure::input("piles: none")),
            json!({ "kind": "input", "exit_code": 2, "message": "piles: none", "reason": null })
        );
        let output = error(&Failure::Output(io::Error::other("full")));
        assert_eq!((&output["kind"], &output["exit_code"]), (&json!("output"), &json!(1)));
    }
}
