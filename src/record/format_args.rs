//! The flags that choose the format of written records.

use crate::Failure;
use clap::{Args, ValueEnum};
use lastnim_proto::record_file::RecordForm;

/// The format of written records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
pub struct RecordFormatArgs {
    /// The format of the record
    #[arg(long, value_enum, default_value_t = RecordFormat::Json)]
    pub format: RecordFormat,
    /// Writes JSON with line breaks and indentation
    #[arg(long)]
    pretty: bool,
}

/// A format for records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RecordFormat {
    /// The JSON of lastnim.v1.MatchRecord
    Json,
    /// Text with one event a line
    Text,
}

impl RecordFormatArgs {
    /// Returns the requested format.
    pub fn record_form(self) -> Result<RecordForm, Failure> {
        match (self.format, self.pretty) {
            (RecordFormat::Json, false) => Ok(RecordForm::Json),
            (RecordFormat::Json, true) => Ok(RecordForm::PrettyJson),
            (RecordFormat::Text, false) => Ok(RecordForm::Text),
            (RecordFormat::Text, true) => Err(Failure::input("--pretty: only JSON can be indented")),
        }
    }
}
