//! The flags that say how much of a set of rows is looked for and shown.

use super::time::TimeLimitArgs;
use crate::form::OutputForm;
use clap::Args;
use lastnim_proto::declaration::RowSetLimits;

/// How an answer of rows is shown, and how long it may take.
#[derive(Debug, Args)]
pub struct RowOutputArgs {
    /// How many examples of rows are shown
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub examples: usize,
    #[command(flatten)]
    pub time: TimeLimitArgs,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl RowOutputArgs {
    /// Returns how much of a set of rows is printed as JSON: all of it but for examples.
    pub fn row_set_limits(&self) -> RowSetLimits {
        RowSetLimits { examples: self.examples, leaves: usize::MAX }
    }

    /// Returns the form of the answer.
    pub fn form(&self) -> OutputForm {
        if self.json { OutputForm::Json } else { OutputForm::Text }
    }
}
