//! A tournament in words.

use crate::{
    cli::{
        Failure,
        form::Form,
        text::{
            format::{format, format_name, positions},
            numbers,
            standings::print_standings,
            table::{self, align_left, table},
            word::{phrase, word},
        },
    },
    wire::{pb, record_text::Utc},
};
use comfy_table::Table;
use std::io::{self, Write};

fn state(tournament: &pb::Tournament) -> String {
    phrase(tournament.state().as_str_name(), "TOURNAMENT_STATE_")
}

fn progress(tournament: &pb::Tournament) -> String {
    let waiting = if tournament.awaits_bots { ", waiting for bots to join" } else { "" };
    match (tournament.state(), tournament.matches_total) {
        (pb::TournamentState::Open, _) | (pb::TournamentState::Cancelled, 0) => state(tournament),
        (_, 0) => format!("{}, {} matches played{waiting}", state(tournament), tournament.matches_played),
        (_, total) => {
            format!("{}, {} of {total} matches played{waiting}", state(tournament), tournament.matches_played)
        }
    }
}

/// Writes a time to the second.
fn time(micros: u64) -> String {
    let text = Utc(micros).to_string();
    text.split('.').next().unwrap_or(&text).replace('T', " ")
}

/// Says in one line where a tournament stands.
pub fn line(tournament: &pb::Tournament) -> String {
    format!("tournament {}: {}", tournament.id, progress(tournament))
}

/// Says in one line how much time seats have.
pub fn clock(clock: &pb::Clock) -> String {
    format!(
        "{} ms and {} ms a take; {} ms to declare; lag given back: {} ms a take, {} ms in all",
        clock.initial_ms, clock.increment_ms, clock.declaration_ms, clock.lag_quota_ms, clock.lag_total_ms
    )
}

/// Prints all that is known of a tournament, a line for each thing.
pub fn print(output: &mut impl Write, tournament: &pb::Tournament) -> io::Result<()> {
    let settings = tournament.settings.clone().unwrap_or_default();
    let clock = settings.clock.unwrap_or_default();
    let mut alliance = word(settings.alliance().as_str_name(), "ALLIANCE_MODE_");
    if let Some(matrix) = &settings.alliance_matrix {
        let rows = numbers::join_rows(matrix.rows.iter().map(|row| row.offsets.as_slice()));
        alliance = format!("{alliance}: {rows}");
    }
    let field = match tournament.field.as_slice() {
        [] => "nobody yet".to_owned(),
        field => field.join(", "),
    };
    let start_at = match settings.start_at {
        0 => "when told to".to_owned(),
        bots => format!("by itself with {bots} bots"),
    };
    let at_once = match settings.bot_concurrency {
        0 => format!("{} matches", settings.concurrency),
        of_a_bot => format!("{} matches, {of_a_bot} of a bot", settings.concurrency),
    };
    let lines = [
        ("id", tournament.id.clone()),
        ("title", settings.title.clone()),
        ("created", format!("{} UTC", time(tournament.created_at_us))),
        ("state", progress(tournament)),
        ("field", field),
        ("starts", start_at),
        ("seats", settings.seats.to_string()),
        ("format", format(&settings)),
        ("positions", positions(&settings)),
        ("ending", word(settings.ending().as_str_name(), "ENDING_")),
        ("rows", alliance),
        ("scoring", word(settings.scoring().as_str_name(), "SCORING_")),
        ("seed", settings.seed.to_string()),
        ("clock", self::clock(&clock)),
        ("strikes", settings.strikes.to_string()),
        ("max plies", settings.max_plies.to_string()),
        ("at once", at_once),
    ];
    lines.iter().try_for_each(|(label, value)| writeln!(output, "{label:<10} {value}"))
}

/// Prints a table of tournaments, a row each.
pub fn print_list(output: &mut impl Write, tournaments: &[pb::Tournament]) -> io::Result<()> {
    table::print(output, &list(tournaments))
}

fn list(tournaments: &[pb::Tournament]) -> Table {
    let mut table =
        table(&["id", "created (UTC)", "state", "format", "seats", "bots", "played", "of", "title"]);
    align_left(&mut table, &[0, 1, 2, 3, 8]);
    for tournament in tournaments {
        let settings = tournament.settings.clone().unwrap_or_default();
        let total = tournament.matches_total;
        table.add_row([
            tournament.id.clone(),
            time(tournament.created_at_us),
            state(tournament),
            format_name(&settings).to_owned(),
            settings.seats.to_string(),
            tournament.field.len().to_string(),
            tournament.matches_played.to_string(),
            if total == 0 { "-".to_owned() } else { total.to_string() },
            settings.title,
        ]);
    }
    table
}

/// Prints how far a tournament is, its standings, and what its format says besides.
pub fn print_end(seen: &pb::WatchTournamentResponse, form: Form) -> Result<(), Failure> {
    form.print_message(seen, |out| {
        seen.tournament.iter().try_for_each(|tournament| writeln!(out, "{}", line(tournament)))?;
        print_standings(out, &seen.standings, seen.verdict.as_ref())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_played_is_told_where_the_end_is_not_known() {
        let told = |state: pb::TournamentState, matches_played, matches_total| {
            let state = state.into();
            progress(&pb::Tournament { state, matches_played, matches_total, ..Default::default() })
        };
        assert_eq!(told(pb::TournamentState::Open, 0, 0), "open");
        assert_eq!(told(pb::TournamentState::Running, 7, 0), "running, 7 matches played");
        assert_eq!(told(pb::TournamentState::Finished, 6, 6), "finished, 6 of 6 matches played");
        assert_eq!(told(pb::TournamentState::Cancelled, 0, 0), "cancelled");
    }

    #[test]
    fn a_time_is_told_to_the_second() {
        assert_eq!(time(1_700_000_000_123_456), "2023-11-14 22:13:20");
    }
}
