//! The settings of a tournament as an organiser has typed them.

use super::setting_fields::{
    FORMAT, FieldGroup, FieldKind, GROUPS, GroupCondition, POSITION_SOURCE, SettingField,
};
use crate::forms::FormFields;
use lastnim_proto::json::message_from_json;
use lastnim_proto::number_text::read_numbers;
use lastnim_proto::pb;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use tonic::Status;
use tonic_types::StatusExt as _;

/// What was typed into each field, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypedSettings {
    values: BTreeMap<&'static str, String>,
    mistakes: BTreeMap<&'static str, String>,
    /// What is wrong with no field of its own.
    pub other_mistakes: Vec<String>,
}

impl TypedSettings {
    /// Returns what stands in the form at first.
    pub(super) fn at_first() -> Self {
        let values = all_fields().map(|field| (field.name, field.default.to_owned())).collect();
        Self { values, mistakes: BTreeMap::new(), other_mistakes: Vec::new() }
    }

    /// Takes what a form carries.
    pub(super) fn of_form(fields: &FormFields) -> Self {
        let values = all_fields().map(|field| (field.name, fields.value(field.name).to_owned())).collect();
        Self { values, mistakes: BTreeMap::new(), other_mistakes: Vec::new() }
    }

    /// Returns what was typed into a field.
    pub(super) fn value(&self, name: &str) -> &str {
        self.values.get(name).map(String::as_str).unwrap_or_default()
    }

    /// Returns what is wrong with a field; nothing if it is right.
    pub(super) fn mistake(&self, name: &str) -> &str {
        self.mistakes.get(name).map(String::as_str).unwrap_or_default()
    }

    /// Returns how many mistakes there are.
    pub(super) fn mistake_count(&self) -> usize {
        self.mistakes.len() + self.other_mistakes.len()
    }

    /// Makes the message; `None` if something is wrong, which is noted. Whether the settings fit together is for the service to say.
    pub(super) fn read(&mut self) -> Option<pb::TournamentSettings> {
        let mut settings = Map::new();
        let format = self.value(FORMAT).to_owned();
        let source = self.value(POSITION_SOURCE).to_owned();
        for group in GROUPS.iter().filter(|group| group.counts(&format, &source)) {
            for field in group.fields {
                match read_field(field, self.value(field.name)) {
                    Ok(Some(value)) => insert_at_path(&mut settings, field.name, value),
                    Ok(None) => {}
                    Err(mistake) => drop(self.mistakes.insert(field.name, mistake)),
                }
            }
        }
        settings.entry(format).or_insert_with(|| json!({}));
        if source != "positions" {
            settings.entry(source).or_insert_with(|| json!({}));
        }
        if !self.mistakes.is_empty() {
            return None;
        }
        let read = message_from_json(&Value::Object(settings));
        read.map_err(|error| self.other_mistakes.push(error.to_string())).ok()
    }

    /// Takes note of what the service found wrong.
    pub(super) fn note_refusal(&mut self, status: &Status) {
        let request = status.get_details_bad_request();
        let violations = request.map(|request| request.field_violations).unwrap_or_default();
        if violations.is_empty() {
            self.other_mistakes.push(status.message().to_owned());
        }
        for violation in violations {
            let path = violation.field.trim_start_matches("settings.");
            match field_of_path(path) {
                Some(field) => {
                    let mistake = self.mistakes.entry(field.name).or_default();
                    if !mistake.is_empty() {
                        mistake.push_str("; ");
                    }
                    mistake.push_str(&violation.description);
                }
                None => self.other_mistakes.push(format!("{path}: {}", violation.description)),
            }
        }
    }
}

impl FieldGroup {
    fn counts(&self, format: &str, source: &str) -> bool {
        match self.condition {
            GroupCondition::Always | GroupCondition::Seldom => true,
            GroupCondition::Format(own) => own == format,
            GroupCondition::PositionSource(own) => own == source,
        }
    }
}

fn all_fields() -> impl Iterator<Item = &'static SettingField> {
    GROUPS.iter().flat_map(|group| group.fields)
}

/// Returns the field in which what has a path was typed: the longest that it begins with.
fn field_of_path(path: &str) -> Option<&'static SettingField> {
    let begins = |field: &&SettingField| {
        path.strip_prefix(field.name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let of_part = |field: &&SettingField| field.name.starts_with(&format!("{path}."));
    let matrix =
        |field: &&SettingField| path.starts_with("alliance_matrix") && field.kind == FieldKind::Matrix;
    all_fields()
        .filter(begins)
        .max_by_key(|field| field.name.len())
        .or_else(|| all_fields().find(matrix).or_else(|| all_fields().find(of_part)))
}

/// Reads a field as JSON; `None` if nothing was typed.
fn read_field(field: &SettingField, typed: &str) -> Result<Option<Value>, String> {
    let typed = typed.trim();
    if typed.is_empty() && !matches!(field.kind, FieldKind::Choice(_)) {
        return Ok(None);
    }
    let lines = || typed.lines().map(str::trim).filter(|line| !line.is_empty());
    let lists = |member: &str| -> Result<Value, String> {
        let list = |(index, line): (usize, &str)| {
            Ok(json!({ member: read_numbers(line, &format!("line {}", index + 1))? }))
        };
        lines().enumerate().map(list).collect::<Result<Vec<_>, String>>().map(Value::from)
    };
    let value = match field.kind {
        FieldKind::Text | FieldKind::Word => typed.into(),
        FieldKind::Number => {
            typed.parse::<u64>().map_err(|_| format!("{typed:?} is not a whole number of 0 or more"))?.into()
        }
        FieldKind::Real => {
            let number = typed.parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| format!("{typed:?} is not a number"))?.into()
        }
        FieldKind::Positions => lists("counters")?,
        FieldKind::Matrix => lists("offsets")?,
        FieldKind::Choice(choices) => {
            if !choices.iter().any(|(word, _)| *word == typed) {
                let words: Vec<_> = choices.iter().map(|(word, _)| *word).collect();
                return Err(format!("{typed:?}: expected one of {}", words.join(", ")));
            }
            return Ok(None);
        }
    };
    let mut alone = Map::new();
    insert_at_path(&mut alone, field.name, value.clone());
    let checked = message_from_json::<pb::TournamentSettings>(&Value::Object(alone));
    checked.map(|_| Some(value)).map_err(|error| error.flaw().to_string())
}

fn insert_at_path(object: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => drop(object.insert(path.to_owned(), value)),
        Some((name, rest)) => {
            let inner = object.entry(name).or_insert_with(|| json!({}));
            if let Some(inner) = inner.as_object_mut() {
                insert_at_path(inner, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn typed(changes: &[(&'static str, &str)]) -> TypedSettings {
        let mut typed = TypedSettings::at_first();
        typed.values.extend(changes.iter().map(|&(name, value)| (name, value.to_owned())));
        typed
    }

    #[test]
    fn what_is_typed_becomes_the_message() {
        let changes = [
            ("title", " Spring "),
            ("positions", "3 4 5\n\n2,2\r\n"),
            ("format", "swiss"),
            ("swiss.rounds", "7"),
            ("ending", "last_mover_wins"),
            // It is of another format, and does not count.
            ("sprt.alpha", "nonsense"),
        ];
        let settings = typed(&changes).read().unwrap();
        assert_eq!((settings.title.as_str(), settings.seats), ("Spring", 3));
        assert_eq!(settings.positions[1].counters, [2, 2]);
        assert_eq!(settings.ending(), pb::Ending::LastMoverWins);
        let swiss = pb::SwissFormat { rounds: 7, table_groups: 1 };
        assert_eq!(settings.format, Some(pb::tournament_settings::Format::Swiss(swiss)));
        let paper = typed(&[("position_source", "paper_positions")]).read().unwrap();
        assert!(paper.positions.is_empty() && paper.other_positions.is_some());
        let given = typed(&[("alliance", "given"), ("alliance_matrix.rows", "0 1 2\n1 0 2\n2 1 0")]);
        assert_eq!(given.clone().read().unwrap().alliance_matrix.unwrap().rows[1].offsets, [1, 0, 2]);
    }

    #[test]
    fn mistakes_stand_beside_their_fields() {
        let mut wrong = typed(&[
            ("seats", "many"),
            ("positions", "3 4\nx"),
            ("format", "sprt"),
            ("sprt.effect_some", "inf"),
            ("ending", "never"),
            ("seed", "-1"),
        ]);
        assert_eq!(wrong.read(), None);
        assert_eq!(wrong.mistake("seats"), "\"many\" is not a whole number of 0 or more");
        assert_eq!(wrong.mistake("positions"), "line 2: \"x\" is not a whole number of 0 or more");
        assert_eq!(wrong.mistake("sprt.effect_some"), "\"inf\" is not a number");
        assert!(wrong.mistake("ending").contains("never") && !wrong.mistake("seed").is_empty(), "{wrong:?}");
        assert_eq!(wrong.mistake_count(), 5);
        let mut unknown = typed(&[("format", "<b>")]);
        assert_eq!(unknown.read(), None);
        assert!(unknown.mistake("format").starts_with("\"<b>\": expected one of round_robin"));
        for (path, field) in [
            ("swiss.rounds", "swiss.rounds"),
            ("positions[3].counters[0]", "positions"),
            ("positions", "positions"),
            ("alliance_matrix", "alliance_matrix.rows"),
            ("clock", "clock.initial_ms"),
        ] {
            assert_eq!(field_of_path(path).unwrap().name, field);
        }
        assert_eq!(field_of_path("nothing"), None);
    }

    proptest! {
        #[test]
        fn whatever_is_typed_breaks_nothing(field in 0..60_usize, value in "\\PC{0,40}", format in 0..7_usize) {
            let names: Vec<_> = all_fields().map(|field| field.name).collect();
            let formats = ["round_robin", "gauntlet", "swiss", "knockout", "ladder", "sprt", "x"];
            let mut typed = typed(&[("format", formats[format]), (names[field % names.len()], &value)]);
            let _ = typed.read();
        }
    }
}
