//! The output of commands: text, JSON or CSV.

use crate::{Failure, batch, screen};
use lastnim_proto::json::MessageJson;
use lastnim_report::{
    Report, Section, Table,
    render::{Terminal, csv_text},
};
use prost::Name;
use serde::Serialize;
use std::{
    env,
    ffi::OsString,
    io::{self, IsTerminal as _, Write},
};

/// The heading in the help under which the flags that most commands have are listed.
pub const COMMON_HEADING: &str = "Server and output";

/// The format of printed results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// Text and tables.
    Text,
    /// One JSON document per line.
    Json,
}

/// The flag for JSON output.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = COMMON_HEADING)]
pub struct FormatArgs {
    /// Prints JSON, one document per line
    #[arg(long, global = true)]
    json: bool,
}

impl FormatArgs {
    /// Returns the requested format.
    pub fn form(self) -> OutputFormat {
        if self.json { OutputFormat::Json } else { OutputFormat::Text }
    }
}

/// The flag for CSV output, for commands whose report consists of tables.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct CsvArgs {
    /// Prints the tables as CSV with all digits; other text goes to standard error
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

impl CsvArgs {
    /// Prints a message to standard output: if CSV was requested, the tables of its report, otherwise text or JSON.
    pub fn print_message_report(
        self,
        form: OutputFormat,
        message: &impl Name,
        report: impl FnOnce() -> Report,
    ) -> Result<(), Failure> {
        self.print_report(form, || MessageJson::of(message), report)
    }

    /// Prints a result to standard output: if CSV was requested, the tables of its report, otherwise text or JSON.
    pub fn print_report<J: Serialize>(
        self,
        form: OutputFormat,
        json: impl FnOnce() -> J,
        report: impl FnOnce() -> Report,
    ) -> Result<(), Failure> {
        if !self.csv {
            return form.print_report(json, report);
        }
        let report = report();
        screen::stdout().write_all(csv_text(&report).as_bytes()).map_err(Failure::Output)?;
        for remark in report.paragraphs() {
            // A write error is ignored: the tables are already printed.
            let _ = writeln!(screen::stderr(), "{remark}");
        }
        Ok(())
    }
}

impl OutputFormat {
    /// Returns the format that a command line requests, even if the command line cannot be parsed.
    pub fn from_arguments(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let mut options = arguments.into_iter().take_while(|argument| argument != "--");
        if options.any(|argument| argument == "--json") { Self::Json } else { Self::Text }
    }

    /// Prints a message to standard output, as JSON or text.
    pub fn print_message(
        self,
        message: &impl Name,
        text: impl FnOnce(&mut screen::Stdout) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.print_result(|| MessageJson::of(message), text)
    }

    /// Prints a message to standard output, as JSON or as a report.
    pub fn print_message_report(
        self,
        message: &impl Name,
        report: impl FnOnce() -> Report,
    ) -> Result<(), Failure> {
        self.print_report(|| MessageJson::of(message), report)
    }

    /// Prints a result to standard output, as JSON or as a report.
    pub fn print_report<J: Serialize>(
        self,
        json: impl FnOnce() -> J,
        report: impl FnOnce() -> Report,
    ) -> Result<(), Failure> {
        self.print_result(json, |output| write_report(output, &report()))
    }

    /// Prints a result to standard output; only the requested format is built.
    pub fn print_result<J: Serialize>(
        self,
        json: impl FnOnce() -> J,
        text: impl FnOnce(&mut screen::Stdout) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut output = screen::stdout();
        match self {
            Self::Json => batch::print_json_line(&mut output, &json()),
            Self::Text => text(&mut output).map_err(Failure::Output),
        }
    }
}

/// Reports a page of a list, and the token for the next page.
pub fn table_page_report(table: Table, next_page_token: &str) -> Report {
    let next_page = (!next_page_token.is_empty()).then(|| format!("more: --page-token {next_page_token}"));
    Section::new().table(table).paragraphs(next_page).into()
}

/// Writes a report for standard output: with styles only if standard output is a terminal.
pub fn write_report(output: &mut impl Write, report: &Report) -> io::Result<()> {
    output.write_all(stdout_terminal().report_text(report).as_bytes())
}

/// Returns the terminal to write to on standard output; it has no styles if standard output is not a terminal.
pub fn stdout_terminal() -> Terminal {
    if io::stdout().is_terminal() {
        Terminal::for_screen(env::var_os("NO_COLOR").as_deref())
    } else {
        Terminal::without_styles()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_selects_the_error_format() {
        let form = |line: &str| OutputFormat::from_arguments(line.split(' ').map(OsString::from));
        assert_eq!(form("lastnim record key --jsom --json"), OutputFormat::Json);
        assert_eq!(form("lastnim record verify -- --json"), OutputFormat::Text);
        assert_eq!(form("lastnim"), OutputFormat::Text);
    }
}
