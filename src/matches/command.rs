//! `lastnim match`.

use super::exhibition::ExhibitionArgs;
use crate::{
    CommandExit, CommandResult, Failure, batch,
    connection_reporter::ConnectionReporter,
    form::{CsvArgs, FormatArgs, OutputFormat, table_page_report},
    played_matches::MatchSelectionArgs,
    record::transcript::{MatchQuestions, fetch_published_questions},
    remote::{MAX_PAGE_SIZE, RemoteServer, ServerArgs},
    runtime, screen,
};
use clap::{Args, Subcommand};
use lastnim_client::{SeenEvents, WatchUpdate};
use lastnim_core::game::MatchId;
use lastnim_proto::{
    json::MessageJson,
    pb::{self, record_event::Event},
};
use lastnim_report::{
    ReportReader,
    match_events::{SeatNames, event_line},
    matches::{AUDIT_WITHHELD_NOTE, audit_line, match_report, match_table},
};
use std::io::{self, IsTerminal as _, Write as _};

/// The maximum width of a model's reason, in terminal columns.
const MAX_REASON_COLUMNS: usize = 58;

/// Creates, shows, follows and lists matches on a server
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  MATCH=$(lastnim match create --bots random,greedy --piles 3,4,5)
  lastnim match list --tournament $ID
  lastnim match show $MATCH
  lastnim match watch $MATCH

`lastnim record` fetches the records of matches.")]
pub struct MatchArgs {
    #[command(subcommand)]
    action: MatchAction,
    #[command(flatten)]
    server: ServerArgs,
}

#[derive(Debug, Subcommand)]
enum MatchAction {
    /// Starts a match between named bots outside any tournament, and prints its id
    #[command(after_help = "Examples:
  lastnim match create --bots random,greedy --piles 3,4,5
  lastnim match create --bots random,greedy --piles 4,3 --first 1 --matrix '0 1; 1 0' --json
  lastnim match create --bots greedy,random --piles 2,7 --clock 500ms --declare-within 500ms --watch
  lastnim match create --bots me,oracle --piles 3,4,5 --token-file alice.token

This needs the admin's token, or a bot's own token for practice against hosted house bots. Only the id goes to standard
output, then the events with --watch. The match does not count towards standings or ratings. A bot's clock runs even
while the bot is not connected.")]
    Create {
        #[command(flatten)]
        exhibition: Box<ExhibitionArgs>,
        /// Follows the match to its end
        #[arg(long)]
        watch: bool,
        #[command(flatten)]
        form: FormatArgs,
    },
    /// Shows a match and its audit
    #[command(after_help = "Examples:
  lastnim match show $MATCH
  lastnim match show $MATCH --json")]
    Show {
        /// The match's id
        id: MatchId,
        #[command(flatten)]
        form: FormatArgs,
    },
    /// Follows a match to its end, one line for each event
    #[command(after_help = "Examples:
  lastnim match watch $MATCH
  lastnim match watch $MATCH --json

With --json, each line is an event of the match's record, without the event's hash. Otherwise, if the transcripts of a
finished match were published, each row and take is followed by what the model said, and by `unproved` if the record does
not prove that.")]
    Watch {
        /// The match's id
        id: MatchId,
        #[command(flatten)]
        form: FormatArgs,
    },
    /// Lists matches, newest first
    #[command(after_help = "Examples:
  lastnim match list
  lastnim match list --tournament $ID --limit 5
  lastnim match list --state open
  lastnim match list --bot alice --bot greedy --json    # matches of both
  lastnim match list --tournament $ID --state voided
  lastnim match list --reason all-forfeited --bot alice
  lastnim match list --limit 1000 --csv > matches.csv

A match is open, over, voided or quarantined. To continue a list, use the token printed at its end and the same
filters.")]
    List {
        #[command(flatten)]
        which: MatchSelectionArgs,
        /// Lists at most this many matches
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=MAX_PAGE_SIZE.into()))]
        limit: u32,
        /// Continues a list with the token printed at its end
        #[arg(long, value_name = "TOKEN", default_value = "", hide_default_value = true)]
        page_token: String,
        #[command(flatten)]
        csv: CsvArgs,
        #[command(flatten)]
        form: FormatArgs,
    },
}

pub fn run(args: MatchArgs) -> CommandResult {
    runtime::run_on_runtime(Some(1), async move {
        let remote = RemoteServer::connect(&args.server).await?;
        match args.action {
            MatchAction::Create { exhibition, watch: follows, form } => {
                let created = exhibition.create_match(&remote).await?;
                let form = form.form();
                form.print_message(&created, |out| writeln!(out, "{}", created.id))?;
                if follows {
                    watch_match(&remote, &created.id, form).await?;
                } else if form == OutputFormat::Text && io::stdout().is_terminal() {
                    screen::print_note(format_args!("next: lastnim match watch {}", created.id));
                }
            }
            MatchAction::Show { id, form } => show_match(&remote, id, form.form()).await?,
            MatchAction::Watch { id, form } => watch_match(&remote, &id.to_string(), form.form()).await?,
            MatchAction::List { which, limit, page_token, csv, form } => {
                which.check_selection(&remote).await?;
                let request = pb::ListMatchesRequest { page_token, ..which.list_request(limit) };
                list_matches(&remote, request, csv, form.form()).await?;
            }
        }
        Ok(CommandExit::Done)
    })
}

async fn show_match(remote: &RemoteServer, id: MatchId, form: OutputFormat) -> Result<(), Failure> {
    let request = pb::GetMatchRequest { match_id: id.to_string() };
    let shown = remote.answer(remote.match_client().get_match(request)).await?;
    let game = shown.r#match.as_ref().ok_or_else(|| remote.missing_part_failure("match"))?;
    form.print_message_report(&shown, || match_report(game, &shown, ReportReader::CommandLine))
}

/// Follows a match to its end. Shows the words of models only if the match is already over, because transcripts are
/// published after matches.
async fn watch_match(remote: &RemoteServer, id: &str, form: OutputFormat) -> Result<(), Failure> {
    let mut events = remote.watch_match(id);
    let mut questions = MatchQuestions::new();
    let (mut link, mut seen) = (ConnectionReporter::default(), SeenEvents::default());
    let mut players = SeatNames::default();
    let mut began_us = None;
    loop {
        let update = events.next_update().await.map_err(|status| remote.refusal_failure(&status))?;
        if matches!(update, WatchUpdate::Opened) {
            seen.restart();
        }
        let Some(watched) = link.extract_message(update, remote) else { continue };
        let pb::WatchMatchResponse { event, audit, audit_withheld } = watched;
        // A heartbeat has no event.
        let Some(timed) = event.filter(|event| seen.note(event)) else { continue };
        let mut output = screen::stdout();
        if form == OutputFormat::Json {
            batch::print_json_line(&mut output, &MessageJson::canonical(&timed))?;
        }
        // An event of a kind that this version does not know is skipped.
        let Some(event) = timed.event else { continue };
        if let Event::Created(setup) = &event {
            players = SeatNames::of_setup(setup);
            if form == OutputFormat::Text
                && let Ok(id) = id.parse()
            {
                questions = fetch_published_questions(remote, id, None).await?;
            }
        }
        if form == OutputFormat::Text {
            let passed_us = timed.at_us.saturating_sub(*began_us.get_or_insert(timed.at_us));
            let (seconds, millis) = (passed_us / 1_000_000, passed_us / 1_000 % 1_000);
            let described = event_line(&event, &players);
            writeln!(output, "{seconds:>4}.{millis:03} s  {described}").map_err(Failure::Output)?;
            if let Some(audit) = &audit {
                writeln!(output, "{:>12}{}", "", audit_line(audit, &players)).map_err(Failure::Output)?;
            } else if audit_withheld {
                writeln!(output, "{:>12}audit {AUDIT_WITHHELD_NOTE}", "").map_err(Failure::Output)?;
            }
            for (label, reason) in reasons_of_event(&questions, &event) {
                writeln!(output, "{:>12}{label}: {reason}", "").map_err(Failure::Output)?;
            }
        }
        if matches!(event, Event::Ended(_)) {
            return Ok(());
        }
    }
}

/// Returns the reasons that a model gave for the row or the take in an event, each with a label.
fn reasons_of_event(
    questions: &MatchQuestions,
    event: &Event,
) -> impl Iterator<Item = (&'static str, String)> {
    let place = match event {
        Event::Declared(declared) => Some((declared.seat, None)),
        Event::Took(took) => Some((took.seat, Some(took.ply))),
        _ => None,
    };
    place.into_iter().flat_map(|(seat, ply)| {
        let asked = questions.get(&ply).into_iter().flatten();
        let own = asked.filter(move |question| question.seat() == seat as usize);
        own.filter_map(|question| question.reason_fact(MAX_REASON_COLUMNS))
    })
}

async fn list_matches(
    remote: &RemoteServer,
    request: pb::ListMatchesRequest,
    csv: CsvArgs,
    form: OutputFormat,
) -> Result<(), Failure> {
    let list = remote.answer(remote.match_client().list_matches(request)).await?;
    csv.print_message_report(form, &list, || {
        table_page_report(match_table(&list.matches), &list.next_page_token)
    })
}
