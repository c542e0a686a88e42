//! What a tournament is, as `lastnim tournament show --json` prints it.

use crate::{
    cli::game_json,
    game::{BotName, TournamentId},
    tournament::{FieldChange, Settings},
    wire::{
        field_history::parse_field_history, json::message_from_json, parse_request, pb,
        tournament::parse_settings,
    },
};
use serde_json::Value;

/// A tournament as it was shown.
#[derive(Debug)]
pub struct ShownTournament {
    /// Its id.
    pub id: TournamentId,
    /// What it is.
    pub settings: Settings,
    /// The bots with which it started, in the order of joining.
    pub field: Vec<BotName>,
    /// What changed while it ran.
    pub changes: Vec<FieldChange>,
}

/// Reads a tournament from the JSON that shows it, or from that of `tournament watch`.
///
/// # Errors
/// Says what is missing or wrong.
pub fn read_shown_tournament(text: &str) -> Result<ShownTournament, String> {
    let pb::GetTournamentResponse { tournament, field_history, .. } = parse_tournament_response(text)?;
    let tournament = tournament.ok_or("tournament: it is missing")?;
    let settings = tournament.settings.ok_or("tournament.settings: they are missing")?;
    let settings = parse_request(|shown| parse_settings(&settings, shown.member("settings")));
    let settings = settings.map_err(|violations| violations.to_string())?;
    let bot = |name: &String| name.parse::<BotName>().map_err(|error| format!("tournament.field: {error}"));
    let (field, changes) = match field_history {
        None => (tournament.field.iter().map(bot).collect::<Result<_, _>>()?, Vec::new()),
        Some(history) => parse_field_and_changes(&history)?,
    };
    let id = tournament.id.parse().map_err(|error| format!("tournament.id: {error}"))?;
    Ok(ShownTournament { id, settings, field, changes })
}

fn parse_tournament_response(text: &str) -> Result<pb::GetTournamentResponse, String> {
    let document: Value = game_json::read_json(text).map_err(|error| error.to_string())?;
    let read = if document.get("standings").is_some() {
        message_from_json(&document).map(|pb::WatchTournamentResponse { tournament, verdict, .. }| {
            pb::GetTournamentResponse { tournament, verdict, field_history: None }
        })
    } else {
        message_from_json(&document)
    };
    read.map_err(|error| error.to_string())
}

/// Reads who was in a ladder when.
fn parse_field_and_changes(history: &pb::FieldHistory) -> Result<(Vec<BotName>, Vec<FieldChange>), String> {
    parse_request(|shown| parse_field_history(history, shown.member("field_history")))
        .map_err(|violations| violations.to_string())
}
