//! The draft of a tournament's settings.

use super::{TournamentSetting, ValueKind, all_settings, settings_of_table};
use crate::{
    Violation,
    json::{MessageJsonError, message_from_json},
    pb,
};
use serde_json::{Map, Value, json};

/// A draft of a tournament's settings, kept as the JSON of the message.
#[derive(Debug, Default)]
pub struct SettingsJsonDraft {
    fields: Map<String, Value>,
}

impl SettingsJsonDraft {
    /// Sets a setting to a value in the notation of tournament files. Returns the mistakes in the value.
    pub fn set_value(&mut self, setting: &TournamentSetting, given: &Value) -> Vec<Violation> {
        let path = if setting.kind == ValueKind::Range { setting.table() } else { setting.field };
        let mut value = match setting.message_value(given) {
            Ok(Value::String(format)) if setting.kind == ValueKind::Format => {
                self.fields.entry(format).or_insert_with(|| json!({}));
                return Vec::new();
            }
            Ok(value) => value,
            Err(description) => return vec![Violation { field: setting.field.to_owned(), description }],
        };
        let check = |field: String, value: Value| {
            let error = message_from_json::<pb::TournamentSettings>(&nest_value(path, value)).err()?;
            Some(Violation { field, description: error.flaw().to_string() })
        };
        let mut violations = Vec::new();
        if let Value::Array(elements) = &mut value {
            // Each element is checked separately, so that every bad one is reported.
            for (index, element) in elements.iter_mut().enumerate() {
                let wrong = check(format!("{}[{index}]", setting.field), json!([element]));
                violations.extend(wrong.inspect(|_| *element = json!({})));
            }
        } else if let Some(wrong) = check(setting.field.to_owned(), value.clone()) {
            return vec![wrong];
        }
        merge_fields(&mut self.fields, nest_value(path, value));
        violations
    }

    /// Returns the first setting that a table requires but the draft does not have.
    pub fn first_missing(&self, table: &str) -> Option<&'static TournamentSetting> {
        let given = self.fields.get(table).and_then(Value::as_object);
        let is_given =
            |setting: &TournamentSetting| given.is_some_and(|given| given.contains_key(setting.name()));
        settings_of_table(table).find(|setting| setting.default.is_none() && !is_given(setting))
    }

    /// Creates the message. The defaults of a missing title and of missing parts of a clock or of drawn positions are
    /// filled in; all other missing settings are left to the server.
    ///
    /// # Errors
    /// If the fields do not form a valid message.
    pub fn finish(mut self) -> Result<pb::TournamentSettings, MessageJsonError> {
        // Positions that are given in two ways are refused elsewhere. Here, one of the two is kept, so that other
        // mistakes are found.
        let mut ways = ["positions", "drawn_positions", "paper_positions"].into_iter();
        ways.find(|way| self.fields.contains_key(*way));
        ways.for_each(|other| drop(self.fields.remove(other)));
        if self.fields.contains_key("alliance_matrix") {
            self.fields.entry("alliance").or_insert_with(|| "given".into());
        }
        let mut filled = Self::default();
        for setting in all_settings() {
            let is_filled = match setting.kind {
                ValueKind::Text => true,
                // If the message that contains such a field is present, the protocol would take a missing number as 0.
                ValueKind::Number | ValueKind::Range | ValueKind::Duration => {
                    self.fields.contains_key(setting.table())
                }
                ValueKind::Clock => self.fields.contains_key(setting.field),
                _ => false,
            };
            if let Some(default) = setting.default_value().filter(|_| is_filled) {
                filled.set_value(setting, &default);
            }
        }
        merge_fields(&mut filled.fields, Value::Object(self.fields));
        message_from_json(&Value::Object(filled.fields))
    }
}

/// Wraps a value in nested objects, one for each name in the path.
fn nest_value(path: &str, value: Value) -> Value {
    path.rsplit('.').fold(value, |value, name| json!({ name: value }))
}

/// Merges the members of an object into another one, recursively.
fn merge_fields(fields: &mut Map<String, Value>, more: Value) {
    let Value::Object(more) = more else { return };
    for (name, value) in more {
        match fields.get_mut(&name).and_then(Value::as_object_mut) {
            Some(inner) if value.is_object() => merge_fields(inner, value),
            _ => {
                fields.insert(name, value);
            }
        }
    }
}
