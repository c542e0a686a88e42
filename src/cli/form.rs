//! For whom a command prints: people or programs.

use super::{Failure, batch, remote::HEADING};
use serde_json::Value;
use std::io;

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// In words and tables.
    Text,
    /// As one JSON document a line.
    Json,
}

/// The flag that says so.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = HEADING)]
pub(super) struct FormArgs {
    /// Prints JSON, one document a line
    #[arg(long, global = true)]
    json: bool,
}

impl FormArgs {
    /// Returns the form that is asked for.
    pub(super) fn form(self) -> Form {
        if self.json { Form::Json } else { Form::Text }
    }
}

impl Form {
    /// Prints a result to standard output, of which only the form that is asked for is made.
    pub(super) fn print(
        self,
        json: impl FnOnce() -> Value,
        text: impl FnOnce(&mut io::StdoutLock<'_>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut output = io::stdout().lock();
        match self {
            Self::Json => batch::print_line(&mut output, &json()),
            Self::Text => text(&mut output).map_err(Failure::Output),
        }
    }
}
