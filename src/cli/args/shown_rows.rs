//! The flags that say how much of a set of rows is looked for and shown.

use super::time::TimeArgs;
use crate::{cli::form::Form, wire::declaration::RowSetLimits};
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
    /// Returns how much of a set of rows is printed as JSON: all of it but for examples.
    pub fn limits(&self) -> RowSetLimits {
        RowSetLimits { examples: self.examples, leaves: usize::MAX }
    }

    /// Returns the form of the answer.
    pub fn form(&self) -> Form {
        if self.json { Form::Json } else { Form::Text }
    }
}
