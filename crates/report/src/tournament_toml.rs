//! Tournament files with which a tournament can be repeated.

use super::tournament_settings::setting_fact;
use lastnim_proto::{
    json::message_to_json,
    pb,
    tournament_settings::{ValueKind, all_settings, file_tables},
};
use serde_json::Value;
use std::fmt::Write as _;

/// Writes the settings and the field of a tournament as a tournament file. Bots are `remote`, since the server does not
/// know which programs run them.
pub fn tournament_toml(tournament: &pb::Tournament) -> String {
    let settings = tournament.settings.clone().unwrap_or_default();
    let mut text = format!("# Tournament {}\n", tournament.id);
    if settings.start_when > 0 || settings.start_at_us > 0 {
        text.extend([
            "# The original started ",
            &setting_fact(&settings, "starts"),
            "; a tournament from a file starts once all its bots have joined.\n",
        ]);
    }
    if settings.entries_close_at_us > 0 {
        let entries = setting_fact(&settings, "entries");
        text.extend(["# Entries to the original: ", &entries, ".\n"]);
    }
    if tournament.field.is_empty() {
        text.push_str("# No bots joined this tournament. Add a [[bot]] table for each bot.\n");
    }
    let json = message_to_json(&settings);
    for table in file_tables() {
        let entries = table_entries(table, &json);
        if !table.is_empty() && !entries.is_empty() {
            text.extend(["\n[", table, "]\n"]);
        }
        text.extend(entries.iter().map(|(name, value)| format!("{name} = {value}\n")));
    }
    let bots = tournament.field.iter();
    text.extend(bots.map(|bot| format!("\n[[bot]]\nname = {}\nremote = true\n", quoted_text(bot))));
    text
}

/// Returns the settings in a table of the file: their names, and their values as TOML.
fn table_entries(table: &str, settings: &Value) -> Vec<(&'static str, String)> {
    let mut entries: Vec<(&str, String)> = Vec::new();
    for setting in all_settings() {
        let place = setting.file_key().filter(|(place, _)| *place == table);
        let Some(((_, name), value)) = place.zip(setting.value_in(settings)) else { continue };
        let is_word = matches!(setting.kind, ValueKind::Word | ValueKind::Format);
        let value = value_text(&value);
        let value = if is_word { value.replace('_', "-") } else { value };
        // A matrix has the same key as the word that chooses the kind of rows, and replaces it.
        entries.retain(|(earlier, _)| *earlier != name);
        entries.push((name, value));
    }
    entries
}

/// Writes a value. TOML integers end at 2^63 - 1; larger ones are quoted.
fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => quoted_text(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(value_text).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Number(number) if number.is_u64() && !number.is_i64() => quoted_text(&number.to_string()),
        value => value.to_string(),
    }
}

/// Writes a quoted string.
fn quoted_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            character if character.is_control() => {
                // Writing to a string does not fail.
                let _ = write!(quoted, "\\u{:04X}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted + "\""
}
