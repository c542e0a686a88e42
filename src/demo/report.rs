//! The demo's report, as text and as JSON.

use super::command::{DemoTournament, OpenServer};
use crate::{OwnCommand, form::write_report, screen};
use lastnim_core::{
    game::Seat,
    oracle::{Audit, PlyAudit},
    referee::Record,
};
use lastnim_proto::{
    json::{message_to_json, messages_to_json},
    pb,
};
use lastnim_report::{Report, Section, standings::standings_table, words::join_items};
use serde_json::{Value, json};
use std::io::{self, Write as _};

/// The maximum number of errors that are explained.
const MAX_WORST_ERRORS: usize = 3;

/// A match and its audit by the oracle.
#[derive(Debug)]
pub struct PlayedMatch {
    /// The record of the match.
    pub record: Record,
    /// The oracle's audit of the match.
    pub audit: Audit,
}

impl PlayedMatch {
    /// Returns the number of the match in its tournament.
    pub fn number(&self) -> u64 {
        self.record.state().setup().origin.as_ref().map_or(0, |origin| origin.number)
    }

    fn bot(&self, seat: Seat) -> &str {
        self.record.state().setup().bots[seat].as_str()
    }

    fn bots(&self) -> Vec<&str> {
        self.record.state().setup().bots.iter().map(lastnim_core::game::BotName::as_str).collect()
    }

    fn matrix(&self) -> String {
        self.record.state().game().map(|game| game.matrix.to_string()).unwrap_or_default()
    }
}

/// One error, with the match in which it was made.
struct WorstError<'a> {
    played: &'a PlayedMatch,
    ply: &'a PlyAudit,
}

/// Returns the worst errors, at most one per bot. An error is worse if it cost its seat more; on ties, errors with more
/// counters to choose from come first, then earlier ones.
fn worst_errors(matches: &[PlayedMatch]) -> Vec<WorstError<'_>> {
    let mut errors: Vec<WorstError<'_>> = matches
        .iter()
        .flat_map(|played| played.audit.plies.iter().map(move |ply| WorstError { played, ply }))
        .filter(|error| !error.ply.is_optimal())
        .collect();
    errors.sort_by_key(|error| {
        let ply = error.ply;
        (std::cmp::Reverse((ply.regret, ply.counters)), error.played.number(), ply.ply)
    });
    let mut worst: Vec<WorstError<'_>> = Vec::with_capacity(MAX_WORST_ERRORS);
    for error in errors {
        // The same error in another rotation of the seats shows nothing new, so only one error per bot is shown.
        let bot = error.played.bot(error.ply.seat);
        if worst.iter().all(|other| other.played.bot(other.ply.seat) != bot) {
            worst.push(error);
        }
        if worst.len() == MAX_WORST_ERRORS {
            break;
        }
    }
    worst
}

/// The numbers of takes, of errors, and of matches that the winner under optimal play won.
struct TakeTotals {
    plies: usize,
    errors: usize,
    won_as_predicted: usize,
}

fn count_takes_and_errors(matches: &[PlayedMatch]) -> TakeTotals {
    let audits = || matches.iter().map(|played| &played.audit);
    TakeTotals {
        plies: audits().map(|audit| audit.plies.len()).sum(),
        errors: audits().flat_map(|audit| &audit.plies).filter(|ply| !ply.is_optimal()).count(),
        won_as_predicted: audits().filter(|audit| audit.winner == audit.predicted_winner).count(),
    }
}

/// Prints the report as text.
pub fn print_report(played: &DemoTournament, own: &OwnCommand) -> io::Result<()> {
    write_report(&mut screen::stdout(), &demo_report(played, own))
}

fn demo_report(played: &DemoTournament, own: &OwnCommand) -> Report {
    let matches = &played.matches;
    let totals = count_takes_and_errors(matches);
    let settings = played.tournament.settings.clone().unwrap_or_default();
    let what = format!(
        "{} bots, {} positions, {} seats per match, every rotation: {} matches over gRPC, {} takes",
        played.tournament.field.len(),
        settings.positions.len(),
        settings.seats,
        matches.len(),
        totals.plies,
    );
    let standings = standings_table(&played.standings).without_columns(&["rating"]);
    let meanings: Vec<_> = standings.meanings().collect();
    let worst = worst_errors(matches);
    let optimal_play = format!(
        "The seat that wins under optimal play (an equilibrium, not a forced win) won in {} of {} matches; {} of {} takes were errors.",
        totals.won_as_predicted,
        matches.len(),
        totals.errors,
        totals.plies,
    );
    Report::with_title(settings.title)
        .with_section(Section::new().paragraph(what))
        .with_section(Section::with_heading("Standings (one point per win)").table(standings).paragraphs(meanings).paragraph(
            "only wins count here, so a bot that declares one row and plays for another, such as traitor, can come first; its regret shows this",
        ))
        .with_section(Section::with_heading("Optimal play").paragraph(optimal_play))
        .with_section(Section::with_heading("Each bot's worst error").numbered(1, worst.iter().map(error_text)))
        .with_section(next_steps_section(worst.first(), played, own))
}

fn error_text(WorstError { played, ply }: &WorstError<'_>) -> String {
    let seats = played.bots().into_iter().enumerate().map(|(seat, bot)| format!("{seat} {bot}"));
    format!(
        "{} on piles {} (seats: {}; rows: {})\n{ply}.",
        played.bot(ply.seat),
        played.record.state().setup().piles,
        join_items(seats, ", "),
        played.matrix(),
    )
}

fn next_steps_section(worst: Option<&WorstError<'_>>, played: &DemoTournament, own: &OwnCommand) -> Section {
    // The commands start with the name by which this program was started, so that they can be copied.
    let lastnim = &own.name;
    let mut section = Section::with_heading("Where to go next");
    if let Some(error) = worst {
        let (piles, matrix) = (&error.played.record.state().setup().piles, error.played.matrix());
        section = section
            .paragraph("optimal takes in the first match above:")
            .command(format!("{lastnim} oracle solve --piles {piles} --matrix '{matrix}'"));
    }
    section = match &played.open_server {
        Some(server) => section
            .paragraph("the tournament in a browser, until Ctrl-C:")
            .command(tournament_page(server, played))
            .paragraph("the page for organising tournaments, and the admin's token to sign in with:")
            .command(format!("{}organise", server.pages))
            .command(server.admin_token.clone()),
        None => section.paragraph("the same demo in a browser:").command(format!("{lastnim} demo --serve")),
    };
    section
        .paragraph("your own server, to which you can connect your bots:")
        .command(format!("{lastnim} serve"))
        .paragraph("the same demo as JSON:")
        .command(format!("{lastnim} demo --json"))
        .paragraph("a bot in ten lines, in Rust, Python or TypeScript: README.md")
}

fn tournament_page(server: &OpenServer, played: &DemoTournament) -> String {
    format!("{}tournaments/{}", server.pages, played.tournament.id)
}

/// Prints the report as one JSON document.
pub fn print_json(played: &DemoTournament) -> io::Result<()> {
    let totals = count_takes_and_errors(&played.matches);
    let worst: Vec<Value> = worst_errors(&played.matches).iter().map(error_json).collect();
    let mut document = json!({
        "tournament": message_to_json(&played.tournament),
        "matches": played.matches.len(),
        "plies": totals.plies,
        "errors": totals.errors,
        "won_as_predicted": totals.won_as_predicted,
        "standings": messages_to_json(&played.standings),
        "worst_errors": worst,
    });
    if let Some(server) = &played.open_server {
        document["pages"] = server.pages.clone().into();
        document["tournament_page"] = tournament_page(server, played).into();
        document["admin_token"] = server.admin_token.clone().into();
    }
    writeln!(screen::stdout(), "{document:#}")
}

fn error_json(error: &WorstError<'_>) -> Value {
    let WorstError { played, ply } = error;
    let state = played.record.state();
    json!({
        "match_id": played.record.id().to_string(),
        "setup": message_to_json(&pb::MatchSetup::from(state.setup())),
        "alliance_matrix": state.game().map(|game| message_to_json(&pb::AllianceMatrix::from(&game.matrix))),
        "bot": played.bot(ply.seat),
        "ply": message_to_json(&pb::PlyAudit::from(*ply)),
        "explanation": ply.to_string(),
    })
}
