//! `lastnim audit match`: compares one match, or a batch of matches, with optimal play.

use super::match_input;
use crate::{
    CommandExit, CommandResult, Failure,
    batch::{self, AuditAnswer},
    form::FormatArgs,
    game_json, record_input, screen,
};
use clap::Args;
use lastnim_proto::json::MessageJson;
use lastnim_report::{audit::audit_report, talk_audit::talk_sections};
use serde_json::{Map, Value};
use std::{io::Read, path::PathBuf};

/// The maximum size of a document in bytes.
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Compares a match with optimal play: which seats erred, the optimal takes, and the cost of errors
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct MatchAuditArgs {
    /// A record of a match, or a game in JSON with its takes; - for standard input
    #[arg(value_name = "FILE|-", default_value = "-")]
    file: PathBuf,
    /// Reads many documents, one per line, and prints one line of JSON for each
    #[arg(long)]
    batch: bool,
    #[command(flatten)]
    form: FormatArgs,
}

const EXAMPLES: &str = r#"Examples:
  lastnim record get $MATCH | lastnim audit match -
  echo '{"piles":[3],"alliance_matrix":[[0,1],[0,1]],"takes":[1,2]}' | lastnim audit match --json -
  echo '{"piles":[3],"players":2,"takes":[1,2]}' | lastnim audit match --batch

A record is the JSON or the text that `lastnim record get` prints. In a game, "first" defaults to 0 and "ending" to
"to_move_wins", and the takes play the game to its end. docs/why/audits.md defines regret, luck and satisfaction."#;

pub fn run(args: &MatchAuditArgs) -> CommandResult {
    let what = args.file.display().to_string();
    if args.file.is_dir() {
        return Err(Failure::input(format!(
            "{what}: this is a folder: use `lastnim audit bot` or `lastnim audit field`"
        )));
    }
    let what = &record_input::input_name(&args.file);
    let input = record_input::open_input(&args.file).map_err(|error| Failure::runtime(error, what))?;
    if args.batch {
        let audit =
            |line: &str| match_input::audit_document(line).map(|audit| AuditAnswer::from(audit.to_message()));
        return batch::answer_lines(input, what, screen::stdout(), audit);
    }
    let document = read_document(input, what)?;
    let audit = match_input::audit_document(&document).map_err(|error| {
        let hint = if is_json_lines(&document) {
            ": these are several documents, one per line: use --batch"
        } else {
            ""
        };
        Failure::input(format!("{what}: {error}{hint}"))
    })?;
    args.form.form().print_report(
        || MessageJson::of(&audit.to_message()),
        || audit_report(&audit.audit).with_sections(audit.talk.iter().flat_map(talk_sections)),
    )?;
    Ok(CommandExit::Done)
}

/// Returns whether a text contains several JSON documents, one per line.
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
        return Err(Failure::input(format!("{what}: longer than the limit of {MAX_DOCUMENT_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to() + 1;
        Failure::input(format!("{what}: byte {byte} is not UTF-8"))
    })
}
