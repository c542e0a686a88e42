//! What a tournament is, as `lastnim tournament show --json` prints it.

use crate::{
    game::{BotName, TournamentId},
    tournament::{FieldChange, Settings},
    wire::{Field, Violations, field_history::parse_field_history, pb, tournament::parse_settings},
};
use serde_json::{Map, Value, json};

/// A tournament as it was shown.
#[derive(Debug)]
pub(super) struct Shown {
    /// Its id.
    pub(super) id: TournamentId,
    /// What it is.
    pub(super) settings: Settings,
    /// The bots with which it started, in the order of joining.
    pub(super) field: Vec<BotName>,
    /// What changed while it ran.
    pub(super) changes: Vec<FieldChange>,
}

/// Reads a tournament from the JSON that shows it, or from that of `tournament watch`.
///
/// # Errors
/// Says what is missing or wrong.
pub(super) fn read(text: &str) -> Result<Shown, String> {
    let whole: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let shown = whole.get("tournament").unwrap_or(&whole);
    let id = shown.get("id").and_then(Value::as_str).ok_or("a tournament has an id")?;
    let field = shown.get("field").and_then(Value::as_array).ok_or("a tournament has a field")?;
    let bot = |name: &Value| {
        let name = name.as_str().ok_or("field: a bot has a name")?;
        name.parse::<BotName>().map_err(|error| format!("field: {error}"))
    };
    let settings = shown.get("settings").and_then(Value::as_object).ok_or("a tournament has settings")?;
    let settings = as_on_the_wire(settings);
    let settings: pb::TournamentSettings =
        serde_json::from_value(settings).map_err(|error| format!("settings: {error}"))?;
    let mut violations = Violations::default();
    let parsed = parse_settings(&settings, Field::root("settings"), &mut violations);
    let settings = violations.finish(parsed).map_err(|violations| violations.to_string())?;
    let (field, changes) = match whole.get("field_history").filter(|history| !history.is_null()) {
        None => (field.iter().map(bot).collect::<Result<_, String>>()?, Vec::new()),
        Some(history) => read_history(history)?,
    };
    Ok(Shown { id: id.parse().map_err(|error| format!("id: {error}"))?, settings, field, changes })
}

/// Reads who was in a ladder when.
fn read_history(shown: &Value) -> Result<(Vec<BotName>, Vec<FieldChange>), String> {
    let mut history = shown.clone();
    for change in history.get_mut("changes").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(movement) = change.get_mut("movement") {
            named(movement, "FIELD_MOVEMENT_");
        }
    }
    let history: pb::FieldHistory =
        serde_json::from_value(history).map_err(|error| format!("field_history: {error}"))?;
    let mut violations = Violations::default();
    let parsed = parse_field_history(&history, Field::root("field_history"), &mut violations);
    violations.finish(parsed).map_err(|violations| violations.to_string())
}

/// Makes the JSON of the wire: words become the names of enumerations, and what stands under `format` and `other_positions`
/// stands beside the others.
fn as_on_the_wire(shown: &Map<String, Value>) -> Value {
    let mut settings = Map::new();
    for (key, value) in shown {
        match key.as_str() {
            "format" | "other_positions" => {
                for (name, inner) in value.as_object().into_iter().flatten() {
                    let mut inner = inner.clone();
                    if let Some(measure) = inner.get_mut("measure") {
                        named(measure, "MEASURE_");
                    }
                    if let Some(pairing) = inner.get_mut("pairing") {
                        named(pairing, "LADDER_PAIRING_");
                    }
                    settings.insert(name.clone(), inner);
                }
            }
            "alliance_matrix" => {
                if let Some(rows) = value.as_array() {
                    let rows: Value = rows.iter().map(|row| json!({ "offsets": row })).collect();
                    settings.insert(key.clone(), json!({ "rows": rows }));
                }
            }
            "positions" => {
                let positions = value.as_array().into_iter().flatten();
                let positions: Value = positions.map(|piles| json!({ "counters": piles })).collect();
                settings.insert(key.clone(), positions);
            }
            _ => {
                let mut value = value.clone();
                match key.as_str() {
                    "ending" => named(&mut value, "ENDING_"),
                    "alliance" => named(&mut value, "ALLIANCE_MODE_"),
                    "scoring" => named(&mut value, "SCORING_"),
                    _ => {}
                }
                settings.insert(key.clone(), value);
            }
        }
    }
    Value::Object(settings)
}

/// Makes the name of an enumeration's value of its word.
fn named(word: &mut Value, prefix: &str) {
    if let Some(text) = word.as_str() {
        *word = Value::String(format!("{prefix}{}", text.to_ascii_uppercase()));
    }
}
