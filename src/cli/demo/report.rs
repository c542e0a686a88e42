//! What the demo prints.

use super::command::DemoTournament;
use crate::{
    cli::text::{standings::standings_table, table},
    game::Seat,
    oracle::{Audit, PlyAudit},
    referee::Record,
    wire::{
        json::{message_to_json, messages_to_json},
        pb,
    },
};
use serde_json::{Value, json};
use std::io::{self, Write as _};

/// Errors that are explained.
const WORST: usize = 3;

/// A match and what the oracle says of it.
#[derive(Debug)]
pub struct PlayedMatch {
    /// Everything that happened.
    pub record: Record,
    /// The audit.
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
        self.record.state().setup().bots.iter().map(crate::game::BotName::as_str).collect()
    }

    fn matrix(&self) -> String {
        self.record.state().game().map(|game| game.matrix.to_string()).unwrap_or_default()
    }
}

/// One error, with the match in which it was made.
struct Error<'a> {
    played: &'a PlayedMatch,
    ply: &'a PlyAudit,
}

/// Returns the worst errors: those that cost their seat most, of equal ones those made with most counters to choose from,
/// then the earliest.
fn worst_errors(matches: &[PlayedMatch]) -> Vec<Error<'_>> {
    let mut errors: Vec<Error<'_>> = matches
        .iter()
        .flat_map(|played| played.audit.plies.iter().map(move |ply| Error { played, ply }))
        .filter(|error| !error.ply.is_optimal())
        .collect();
    errors.sort_by_key(|error| {
        let ply = error.ply;
        (std::cmp::Reverse((ply.regret, ply.counters)), error.played.number(), ply.ply)
    });
    let mut worst: Vec<Error<'_>> = Vec::with_capacity(WORST);
    for error in errors {
        // The rotations of one mistake teach nothing new: one error a bot.
        let bot = error.played.bot(error.ply.seat);
        if worst.iter().all(|other| other.played.bot(other.ply.seat) != bot) {
            worst.push(error);
        }
        if worst.len() == WORST {
            break;
        }
    }
    worst
}

/// How many takes there were, how many of them errors, and in how many matches the winner of optimal play won.
struct Totals {
    plies: usize,
    errors: usize,
    as_predicted: usize,
}

fn totals(matches: &[PlayedMatch]) -> Totals {
    let audits = || matches.iter().map(|played| &played.audit);
    Totals {
        plies: audits().map(|audit| audit.plies.len()).sum(),
        errors: audits().flat_map(|audit| &audit.plies).filter(|ply| !ply.is_optimal()).count(),
        as_predicted: audits().filter(|audit| audit.winner == audit.predicted_winner).count(),
    }
}

/// Prints the report for people.
pub fn print(played: &DemoTournament) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let matches = &played.matches;
    let totals = totals(matches);
    let settings = played.tournament.settings.clone().unwrap_or_default();
    writeln!(out, "{}", settings.title)?;
    writeln!(
        out,
        "{} bots, {} positions, {} seats a match, every rotation: {} matches over gRPC, {} takes\n",
        played.tournament.field.len(),
        settings.positions.len(),
        settings.seats,
        matches.len(),
        totals.plies,
    )?;
    writeln!(out, "Standings (a point a win)")?;
    table::print(&mut out, &standings_table(&played.standings))?;
    writeln!(
        out,
        "\n accuracy: share of own takes that were optimal for the declared row; regret: ranks lost by own errors;\n \
         luck: ranks gained by the others' errors\n \
         only wins count: a bot that declares one thing and plays another, as traitor does, may win; its regret shows it"
    )?;
    writeln!(
        out,
        "\nOptimal play\n The winner of optimal play won {} of {} matches; {} of {} takes were errors.",
        totals.as_predicted,
        matches.len(),
        totals.errors,
        totals.plies,
    )?;
    writeln!(out, "\nThe worst errors, one a bot")?;
    for (place, error) in worst_errors(matches).iter().enumerate() {
        let Error { played, ply } = error;
        let seats: Vec<_> =
            played.bots().iter().enumerate().map(|(seat, bot)| format!("{seat} {bot}")).collect();
        writeln!(
            out,
            " {}. {} on piles {} (seats: {}; rows: {})\n    {ply}.",
            place + 1,
            played.bot(ply.seat),
            played.record.state().setup().piles,
            seats.join(", "),
            played.matrix(),
        )?;
    }
    print_next_steps(&mut out, matches)
}

fn print_next_steps(out: &mut impl io::Write, matches: &[PlayedMatch]) -> io::Result<()> {
    // As it was called, so that the lines can be copied.
    let lastnim = std::env::args().next().unwrap_or_else(|| "lastnim".to_owned());
    writeln!(out, "\nWhere to go next")?;
    if let Some(error) = worst_errors(matches).first() {
        let piles = &error.played.record.state().setup().piles;
        let matrix = error.played.matrix();
        writeln!(out, " what was optimal in the first of these matches:")?;
        writeln!(out, "   {lastnim} solve --piles {piles} --matrix '{matrix}'")?;
    }
    writeln!(out, " your own server, and bots by hand:")?;
    writeln!(out, "   {lastnim} serve")?;
    writeln!(out, " all of this as JSON:")?;
    writeln!(out, "   {lastnim} demo --json")?;
    writeln!(out, " a bot in ten lines, in Rust or Python: README.md")
}

/// Prints the report as one JSON document.
pub fn print_json(played: &DemoTournament) -> io::Result<()> {
    let totals = totals(&played.matches);
    let worst: Vec<Value> = worst_errors(&played.matches).iter().map(error_json).collect();
    let document = json!({
        "tournament": message_to_json(&played.tournament),
        "matches": played.matches.len(),
        "plies": totals.plies,
        "errors": totals.errors,
        "won_as_predicted": totals.as_predicted,
        "standings": messages_to_json(&played.standings),
        "worst_errors": worst,
    });
    writeln!(io::stdout().lock(), "{document:#}")
}

fn error_json(error: &Error<'_>) -> Value {
    let Error { played, ply } = error;
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
