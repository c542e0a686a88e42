//! The flags for the form in which records are written.

use crate::Failure;
use clap::{Args, ValueEnum};
use lastnim_proto::record_file::RecordForm;

/// The form in which records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
pub struct RecordFormatArgs {
    /// The form of the record
    #[arg(long, value_enum, default_value_t = RecordFormat::Json)]
    pub format: RecordFormat,
    /// Writes the JSON in many lines, for people
    #[arg(long)]
    pretty: bool,
}

/// JSON or text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RecordFormat {
    /// The JSON of lastnim.v1.MatchRecord
    Json,
    /// Text, one event a line
    Text,
}

impl RecordFormatArgs {
    /// Returns the form that is asked for.
    pub fn record_form(self) -> Result<RecordForm, Failure> {
        match (self.format, self.pretty) {
            (RecordFormat::Json, false) => Ok(RecordForm::Json),
            (RecordFormat::Json, true) => Ok(RecordForm::PrettyJson),
            (RecordFormat::Text, false) => Ok(RecordForm::Text),
            (RecordFormat::Text, true) => {
                Err(Failure::input("--pretty: it is for JSON; the text form is for people as it is"))
            }
        }
    }
}
