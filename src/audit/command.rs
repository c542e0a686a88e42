//! `lastnim audit`: a played game held against optimal play.

use super::{
    bot_audit::{self, BotAuditArgs},
    input,
};
use crate::{
    CommandExit, CommandResult, Failure,
    batch::{self, AuditAnswer},
    form::{CsvArgs, OutputForm},
    game_json,
    remote::ServerArgs,
};
use clap::Args;
use lastnim_proto::{json::MessageJson, pb};
use lastnim_report::audit::audit_report;
use serde_json::{Map, Value};
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// The most bytes of a document that is audited whole.
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Holds a played game against optimal play: who erred, what would have been optimal, who paid for it; or a bot over many
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct AuditArgs {
    /// A file with a match's record, or with a game in JSON and its takes; - or no file for standard input. With --bot or
    /// --field files of records, folders of them and - for standard input; no file for the matches of the server
    #[arg(value_name = "FILE|-")]
    files: Vec<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    csv: CsvArgs,
    /// Reads many games, one a line, and prints one line of JSON for each
    #[arg(long)]
    batch: bool,
    #[command(flatten)]
    many: BotAuditArgs,
    #[command(flatten)]
    server: ServerArgs,
}

const EXAMPLES: &str = r#"Examples:
  echo '{"piles":[1,2,2],"alliance_matrix":[[0,2,1],[0,1,2],[0,2,1]],"takes":[2,1,1,1]}' | lastnim audit -
  echo '{"piles":[3],"alliance_matrix":[[0,1],[0,1]],"takes":[1,2]}' | lastnim audit --json -
  echo '{"piles":[3],"alliance_matrix":[[0,1],[0,1]],"takes":[1,2]}' | lastnim audit --batch
  lastnim record export --tournament $ID --dir records
  lastnim audit --bot greedy records
  lastnim audit --bot greedy --tournament $ID
  lastnim audit --field records
  lastnim audit --transcript cup.run --tournament $ID

A record is what `lastnim record get` prints: the JSON of lastnim.v1.MatchRecord, also inside {"record":..}, or text. In a game
"first" is 0 and "ending" is "to_move_wins" unless given; the takes play the game to its last counter. Regret counts
the ranks, in the mover's own row, that a take cost its mover; luck counts those that other seats' takes gave. The winner under
optimal play is an equilibrium outcome and no forced win: a guaranteed rank is what the mover can force against all others
together, a risky take is optimal and gives some of it up, and a safe error costs predicted rank and keeps it.

With --bot or --field every record is verified first. One that does not verify, that nobody signed or another key than --key, that is not
over, or that is another record of a match that counts already, is named, left out, and makes the exit code 3, be there one that counts or
none. The same record given twice counts once. A bot that plays in none of the files' records makes it 2. Of a server, matches that are
still open are only counted. The folders in a folder are not read. Intervals are over duplicate
groups. A pair is flagged if the mover's errors favour the other by more than chance makes of who sits where, by 0.1 ranks or more each, or if
the mover declares better ranks for the other's place because the other sits there and pays for it or has it returned: with a p-value, corrected
for all tests, of 0.05 or less. docs/audits.md says how often that is wrong.

With --transcript only the seats of these models are measured, in the matches that a record proves their transcripts of; docs/ai-tournaments.md
says what each figure means."#;

pub fn run(args: &AuditArgs) -> CommandResult {
    let form = if args.json { OutputForm::Json } else { OutputForm::Text };
    if let Some(scope) = args.many.scope().filter(|_| !args.csv.is_wanted()) {
        return bot_audit::run(&scope, &args.many, &args.files, &args.server, form);
    }
    if !args.many.transcripts().is_empty() {
        return bot_audit::models::run(&args.many, &args.files, &args.server, args.csv, form);
    }
    if args.csv.is_wanted() {
        return Err(Failure::input("--csv is for the figures of language models: give --transcript as well"));
    }
    if let Some(flag) = args.many.flag() {
        return Err(Failure::input(format!(
            "{flag} is for an audit of many matches: give --bot, --field or --transcript as well"
        )));
    }
    let file = match args.files.as_slice() {
        [] => Path::new("-"),
        [file] => file,
        _ => return Err(Failure::input("several files: give one, or --bot or --field as well")),
    };
    let what = file.display().to_string();
    if file.is_dir() {
        return Err(Failure::input(format!("{what}: a folder: give --bot NAME or --field")));
    }
    let (what, input): (&str, Box<dyn Read>) = match what.as_str() {
        "-" => ("standard input", Box::new(io::stdin().lock())),
        path => {
            let file = File::open(file).map_err(|error| Failure::runtime(error, path))?;
            (path, Box::new(file))
        }
    };
    if args.batch {
        let audit =
            |line: &str| input::audit_document(line).map(|audit| AuditAnswer::from(pb::Audit::from(&audit)));
        return batch::answer_lines(input, what, io::stdout().lock(), audit);
    }
    let document = read_document(input, what)?;
    let audit = input::audit_document(&document).map_err(|error| {
        let hint = if is_json_lines(&document) {
            ": these are several documents, one a line: give --batch as well"
        } else {
            ""
        };
        Failure::input(format!("{what}: {error}{hint}"))
    })?;
    form.print_report(|| MessageJson::of(&pb::Audit::from(&audit)), || audit_report(&audit))?;
    Ok(CommandExit::Done)
}

/// Returns whether a text is several documents, each in a line of its own.
fn is_json_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let is_document = |line: &str| game_json::read_json::<Map<String, Value>>(line).is_ok();
    lines.next().is_some_and(is_document) && lines.next().is_some_and(is_document)
}

fn read_document(input: impl Read, what: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    input
        .take(MAX_DOCUMENT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::runtime(error, what))?;
    if bytes.len() as u64 > MAX_DOCUMENT_BYTES {
        return Err(Failure::input(format!(
            "{what}: more than {MAX_DOCUMENT_BYTES} bytes: that is the most"
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to() + 1;
        Failure::input(format!("{what}: byte {byte} is no UTF-8"))
    })
}
