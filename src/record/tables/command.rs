//! `lastnim record tables`.

use super::rows::{ExportedMatch, standing_rows};
use crate::{
    CommandExit, CommandResult, Failure,
    form::FormatArgs,
    new_file::{AtomicFile, create_folder},
    played_matches::{MatchSelectionArgs, PlayedMatches, fail_if_damaged},
    progress::matches_bar,
    remote::{RemoteServer, ServerArgs},
    runtime,
};
use clap::{Args, ValueEnum};
use lastnim_proto::{
    json::{MessageJson, message_keys, message_to_json},
    pb,
};
use lastnim_report::{render::CsvLine, words::count_with_noun};
use prost::Name;
use serde_json::{Map, Value, json};
use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Maximum number of tournaments per page of a list. It is low because their settings may be long.
const TOURNAMENTS_PER_PAGE: u32 = 100;

/// Exports a server's matches, seats, plies and standings as tables
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TablesArgs {
    /// The format of the tables
    #[arg(long, value_enum)]
    format: TableFormat,
    #[command(flatten)]
    which: MatchSelectionArgs,
    /// The folder, created if it does not exist
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    form: FormatArgs,
    #[command(flatten)]
    server: ServerArgs,
}

const EXAMPLES: &str = "\
Examples:
  lastnim record tables --format csv --output tables
  lastnim record tables --format jsonl --tournament $ID --output tables

Only finished matches are exported. Existing tables are replaced once the new ones are complete. A missing value is empty in
CSV and null in JSON. docs/reference/files.md lists the columns.";

/// The format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TableFormat {
    /// One JSON object a line
    Jsonl,
    /// Comma-separated values, with the names of the columns in the first line
    Csv,
}

/// A table that is being written.
struct TableWriter {
    path: PathBuf,
    output: TableOutput,
    rows: u64,
}

enum TableOutput {
    Jsonl(AtomicFile),
    Csv(AtomicFile),
}

impl TableWriter {
    fn create<M: Name>(dir: &Path, name: &str, format: TableFormat) -> Result<Self, Failure> {
        let extension = match format {
            TableFormat::Jsonl => "jsonl",
            TableFormat::Csv => "csv",
        };
        let path = dir.join(format!("{name}.{extension}"));
        let mut file = AtomicFile::create(&path)?;
        let output = match format {
            TableFormat::Jsonl => TableOutput::Jsonl(file),
            TableFormat::Csv => {
                // The header is written even if the table has no rows.
                let keys = message_keys::<M>();
                let header = keys.iter().map(String::as_str).collect::<CsvLine>().finish();
                file.write_all(header.as_bytes()).map_err(|error| Failure::runtime(error, path.display()))?;
                TableOutput::Csv(file)
            }
        };
        Ok(Self { path, output, rows: 0 })
    }

    fn write_row(&mut self, row: &impl Name) -> Result<(), Failure> {
        self.rows += 1;
        let written = match &mut self.output {
            TableOutput::Csv(file) => file.write_all(csv_line(&message_to_json(row)).as_bytes()),
            TableOutput::Jsonl(file) => serde_json::to_writer(&mut *file, &MessageJson::of(row))
                .map_err(io::Error::from)
                .and_then(|()| file.write_all(b"\n")),
        };
        written.map_err(|error| Failure::runtime(error, self.path.display()))
    }

    fn finish(self) -> Result<u64, Failure> {
        let (TableOutput::Jsonl(file) | TableOutput::Csv(file)) = self.output;
        file.finish()?;
        Ok(self.rows)
    }
}

/// Returns the fields of a row as a line of CSV.
fn csv_line(row: &Value) -> String {
    let mut line = CsvLine::default();
    for cell in row.as_object().into_iter().flat_map(Map::values) {
        match cell {
            Value::Null => line.push_missing(),
            Value::String(text) => line.push_text(text),
            number => line.push_number(number),
        }
    }
    line.finish()
}

pub fn run(args: &TablesArgs) -> CommandResult {
    runtime::run_on_runtime(Some(1), async move {
        let remote = RemoteServer::connect(&args.server).await?;
        args.which.check_record_selection(&remote).await?;
        let dir = args.output.as_path();
        create_folder(dir)?;
        let mut matches = TableWriter::create::<pb::MatchRow>(dir, "matches", args.format)?;
        let mut seats = TableWriter::create::<pb::SeatRow>(dir, "seats", args.format)?;
        let mut plies = TableWriter::create::<pb::PlyRow>(dir, "plies", args.format)?;
        let mut standings = TableWriter::create::<pb::StandingRow>(dir, "standings", args.format)?;

        let expected = args.which.expected_matches(&remote).await?;
        let bar = matches_bar(expected);
        bar.set_message(dir.display().to_string());
        let mut played = PlayedMatches::new(&remote, &args.which, bar.clone(), |_| true);
        while let Some((game, sealed)) = played.next().await? {
            let played = ExportedMatch::of(&sealed, game);
            matches.write_row(&played.match_row())?;
            played.seat_rows().try_for_each(|row| seats.write_row(&row))?;
            played.ply_rows().try_for_each(|row| plies.write_row(&row))?;
            bar.inc(1);
        }
        let left_out = played.left_out();
        export_standings(&remote, &args.which, &mut standings).await?;
        bar.finish_and_clear();
        let [matches, seats, plies, standings] =
            [matches.finish()?, seats.finish()?, plies.finish()?, standings.finish()?];
        let json = || {
            json!({
                "dir": dir.display().to_string(),
                "matches": matches,
                "seats": seats,
                "plies": plies,
                "standings": standings,
                "still_open": left_out.still_open,
                "quarantined": left_out.quarantined,
                "pruned": left_out.pruned,
                "damaged": left_out.damaged,
            })
        };
        args.form.form().print_result(json, |output| {
            let dir = dir.display();
            write!(
                output,
                "{dir}: {}, {}, {}, {}",
                count_with_noun(matches, "match", "matches"),
                count_with_noun(seats, "seat", "seats"),
                count_with_noun(plies, "ply", "plies"),
                count_with_noun(standings, "line of standings", "lines of standings")
            )?;
            left_out.words().try_for_each(|words| write!(output, "; {words}"))?;
            writeln!(output)
        })?;
        fail_if_damaged(left_out.damaged)?;
        Ok(CommandExit::Done)
    })
}

/// Exports the standings: of the named tournament, of the tournaments that all named bots entered, or of all
/// tournaments.
async fn export_standings(
    remote: &RemoteServer,
    which: &MatchSelectionArgs,
    table: &mut TableWriter,
) -> Result<(), Failure> {
    if let Some(id) = which.tournament {
        return write_standings(remote, &remote.fetch_tournament(id).await?, table).await;
    }
    let bots: Vec<_> = which.bots.iter().map(ToString::to_string).collect();
    let mut request = pb::ListTournamentsRequest { page_size: TOURNAMENTS_PER_PAGE, ..Default::default() };
    loop {
        let page = remote.answer(remote.tournament_client().list_tournaments(request.clone())).await?;
        for tournament in page.tournaments {
            if bots.iter().all(|bot| tournament.field.contains(bot)) {
                write_standings(remote, &tournament, table).await?;
            }
        }
        if page.next_page_token.is_empty() {
            return Ok(());
        }
        request.page_token = page.next_page_token;
    }
}

async fn write_standings(
    remote: &RemoteServer,
    tournament: &pb::Tournament,
    table: &mut TableWriter,
) -> Result<(), Failure> {
    let request = pb::GetStandingsRequest { tournament_id: tournament.id.clone(), cross_table: false };
    let given = remote.answer(remote.tournament_client().get_standings(request)).await?;
    standing_rows(tournament, given.standings).try_for_each(|row| table.write_row(&row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_others_is_never_a_formula() {
        let row =
            json!({ "config": null, "version": "=HYPERLINK(1)", "luck": -2, "accuracy": 0.5, "won": true });
        assert_eq!(csv_line(&row), ",'=HYPERLINK(1),-2,0.5,true\n");
    }
}
