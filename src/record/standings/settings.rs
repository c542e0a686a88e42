//! A tournament as `lastnim tournament show --json` prints it.

use crate::game_json;
use lastnim_core::game::{BotName, TournamentId};
use lastnim_proto::{
    field_history::parse_field_history, json::message_from_json, manifest::Manifest, parse_request, pb,
    tournament::parse_settings, tournament_event::parse_tournament_event,
};
use lastnim_tournament::{FieldChange, Rulings, Settings, TournamentState};
use serde_json::Value;

/// A tournament as `show` printed it.
#[derive(Debug)]
pub struct ShownTournament {
    /// The id of the tournament.
    pub id: TournamentId,
    /// The settings.
    pub settings: Settings,
    /// The bots with which it started, in the order of joining.
    pub field: Vec<BotName>,
    /// The changes to the field during the tournament.
    pub changes: Vec<FieldChange>,
    /// The rulings of the organiser.
    pub rulings: Rulings,
    /// The interventions of the organiser, as protocol messages.
    pub events: Vec<pb::TournamentEvent>,
    /// The state of the tournament; `None` if its records decide whether it has finished.
    pub state: Option<TournamentState>,
}

impl ShownTournament {
    /// Reads the tournament that a manifest describes.
    ///
    /// # Errors
    /// If its settings or events are invalid.
    pub fn of_manifest(manifest: &Manifest) -> Result<Self, String> {
        let (id, field, changes) = (manifest.id, manifest.field.clone(), manifest.changes.clone());
        let (settings, rulings) = (read_settings(&manifest.settings)?, read_rulings(&manifest.events)?);
        let events = manifest.events.clone();
        let state = Some(manifest.state);
        Ok(Self { id, settings, field, changes, rulings, events, state })
    }
}

/// Reads a tournament from the JSON of `tournament show` or `tournament watch`.
///
/// # Errors
/// Names the missing or bad value.
pub fn parse_shown_tournament(text: &str) -> Result<ShownTournament, String> {
    let pb::GetTournamentResponse { tournament, field_history, events, .. } =
        parse_tournament_response(text)?;
    let tournament = tournament.ok_or("tournament: this key is missing")?;
    let settings = tournament.settings.as_ref().ok_or("tournament.settings: this key is missing")?;
    let settings = read_settings(settings)?;
    let bot = |name: &String| name.parse::<BotName>().map_err(|error| format!("tournament.field: {error}"));
    let (field, changes) = match field_history {
        None => (tournament.field.iter().map(bot).collect::<Result<_, _>>()?, Vec::new()),
        Some(history) => parse_field_and_changes(&history)?,
    };
    let id = tournament.id.parse().map_err(|error| format!("tournament.id: {error}"))?;
    let rulings = read_rulings(&events)?;
    let is_cancelled = tournament.state() == pb::TournamentState::Cancelled;
    let state = is_cancelled.then_some(TournamentState::Cancelled);
    Ok(ShownTournament { id, settings, field, changes, rulings, events, state })
}

fn read_settings(settings: &pb::TournamentSettings) -> Result<Settings, String> {
    parse_request(|shown| parse_settings(settings, shown.member("settings")))
        .map_err(|violations| violations.to_string())
}

/// Returns the rulings that follow from the interventions.
fn read_rulings(events: &[pb::TournamentEvent]) -> Result<Rulings, String> {
    let read = parse_request(|shown| shown.member("events").parse_each(events, parse_tournament_event));
    let events = read.map_err(|violations| violations.to_string())?;
    Ok(Rulings::of(events.iter().map(|timed| &timed.event)))
}

fn parse_tournament_response(text: &str) -> Result<pb::GetTournamentResponse, String> {
    let document: Value = game_json::read_json(text).map_err(|error| error.to_string())?;
    let response = if document.get("standings").is_some() {
        message_from_json(&document).map(
            |pb::WatchTournamentResponse { tournament, verdict, events, .. }| pb::GetTournamentResponse {
                tournament,
                verdict,
                events,
                ..Default::default()
            },
        )
    } else {
        message_from_json(&document)
    };
    response.map_err(|error| error.to_string())
}

/// Reads the field of a ladder and its changes.
fn parse_field_and_changes(history: &pb::FieldHistory) -> Result<(Vec<BotName>, Vec<FieldChange>), String> {
    parse_request(|shown| parse_field_history(history, shown.member("field_history")))
        .map_err(|violations| violations.to_string())
}
