//! The flags that say how much of a set of rows is looked for and shown.

use crate::cli::{form::Form, time_args::TimeArgs};
use clap::Args;

/// How an answer of rows is shown, and how long it may take.
#[derive(Debug, Args)]
pub(super) struct ShownArgs {
    /// How many examples of rows are shown
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub(super) examples: usize,
    #[command(flatten)]
    pub(super) time: TimeArgs,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl ShownArgs {
    /// Returns the form of the answer.
    pub(super) fn form(&self) -> Form {
        if self.json { Form::Json } else { Form::Text }
    }
}
