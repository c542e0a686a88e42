//! Command-line flags for answers that are sets of rows.

use super::time::TimeLimitArgs;
use crate::form::OutputFormat;
use clap::Args;
use lastnim_proto::declaration::RowSetLimits;

/// The flags for how a set of rows is shown and how long the search for it may take.
#[derive(Debug, Args)]
pub struct RowOutputArgs {
    /// The number of example rows
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub examples: usize,
    #[command(flatten)]
    pub time: TimeLimitArgs,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl RowOutputArgs {
    /// Returns the limits for a set of rows in JSON, which limit only the number of examples.
    pub fn row_set_limits(&self) -> RowSetLimits {
        RowSetLimits { examples: self.examples, leaves: usize::MAX }
    }

    /// Returns the format of the answer.
    pub fn form(&self) -> OutputFormat {
        if self.json { OutputFormat::Json } else { OutputFormat::Text }
    }
}
