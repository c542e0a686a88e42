//! The flags that say how much of a set of rows is looked for and shown.

use super::time::TimeArgs;
use crate::cli::form::Form;
use clap::Args;

/// How an answer of rows is shown, and how long it may take.
#[derive(Debug, Args)]
pub struct ShownArgs {
    /// How many examples of rows are shown
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub examples: usize,
    #[command(flatten)]
    pub time: TimeArgs,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl ShownArgs {
    /// Returns the form of the answer.
    pub fn form(&self) -> Form {
        if self.json { Form::Json } else { Form::Text }
    }
}
