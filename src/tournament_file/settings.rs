//! The settings of a tournament in its file.

use crate::{
    toml_file::{TomlDocument, member_path},
    tournament_settings::{KEYS, SettingKey, SettingsJsonDraft, ValueKind},
};
use lastnim_proto::{Violation, pb};

/// The tables of the file that have settings.
const TABLES: [&str; 6] = ["", "clock", "retention", "format", "positions", "positions.drawn"];

/// What a file says instead of how many bots have to join.
const WHY_NO_START: &str = "a file needs none: its tournament starts once all of its bots have come, those with `remote = true` as well; \
    `lastnim tournament create --start-at` starts one of which only the number of bots is known";

/// The settings of a file, being read.
#[derive(Debug, Default)]
pub struct SettingsReader {
    draft: SettingsJsonDraft,
    /// The field that has the settings of the format; empty as long as that is not known.
    format: String,
    /// The bots that the format is about, and the paths at which they are named.
    pub named: Vec<(String, String)>,
    /// The fields whose mistakes are reported, about which the protocol need not complain as well.
    reported: Vec<String>,
}

impl SettingsReader {
    /// Reads all settings. What is wrong is reported and left out.
    pub fn read(&mut self, toml: &mut TomlDocument) -> Option<pb::TournamentSettings> {
        let kind = toml.get("format.kind").and_then(|kind| kind.as_str()).unwrap_or_default();
        let is_format = |key: &&SettingKey| key.is_of_format() && key.table().replace('_', "-") == kind;
        self.format = KEYS.iter().find(is_format).map(|key| key.table().to_owned()).unwrap_or_default();
        toml.refuse_key("start_at", WHY_NO_START);
        for table in TABLES {
            self.read_table(table, toml);
        }
        self.check_positions(toml);
        std::mem::take(&mut self.draft).finish().ok()
    }

    fn read_table(&mut self, table: &str, toml: &mut TomlDocument) {
        let places = KEYS.iter().filter_map(|key| Some((key.file_place()?, key)));
        let is_here = |key: &SettingKey| !key.is_of_format() || key.table() == self.format;
        let keys = places.filter(|((place, _), key)| *place == table && is_here(key));
        let keys: Vec<_> = keys.map(|((_, name), key)| (name, key)).collect();
        let others: &[&str] = match table {
            "" => &["clock", "retention", "format", "positions", "llm", "bot"],
            "positions" => &["drawn"],
            _ => &[],
        };
        // The keys of a format that is not known are not known either.
        let is_open = table == "format" && self.format.is_empty();
        let known = keys.iter().map(|(name, _)| *name).chain(others.iter().copied()).filter(|_| !is_open);
        if !toml.has_table(table, &known.collect::<Vec<_>>()) {
            return;
        }
        for (name, key) in keys {
            let path = member_path(table, name);
            if toml.get(&path).is_some() {
                self.read_key(key, &path, toml);
            } else if key.kind == ValueKind::Format {
                let kinds = key.words().join(", ");
                toml.report_mistake(&path, format_args!("required, but missing: one of {kinds}"));
            } else if key.default.is_none() {
                toml.report_missing(&path);
                self.note_reported(key);
            }
        }
    }

    fn read_key(&mut self, key: &SettingKey, path: &str, toml: &mut TomlDocument) {
        let Some(value) = toml.get(path).cloned() else { return };
        // Rows that are given stand in the place of the word for it.
        let matrix = KEYS.iter().find(|other| key.field == "alliance" && other.kind == ValueKind::Matrix);
        let key = matrix.filter(|_| value.is_array()).unwrap_or(key);
        for Violation { field, description } in self.draft.set_key(key, &value) {
            toml.report_mistake(&field.replacen(key.field, path, 1), description);
            if field == key.field { self.note_reported(key) } else { self.reported.push(field) }
        }
        if let (ValueKind::Bot, Some(name)) = (key.kind, value.as_str()) {
            self.named.push((name.to_owned(), path.to_owned()));
        }
    }

    /// Checks that positions are given in one way.
    fn check_positions(&mut self, toml: &mut TomlDocument) {
        let Some(positions) = toml.get("positions") else {
            self.reported.push("positions".to_owned());
            return toml.report_missing("positions");
        };
        let given = ["list", "drawn", "paper"].into_iter().filter(|way| positions.get(*way).is_some());
        let given: Vec<_> = given.collect();
        if given.len() != 1 && positions.is_object() {
            let ways = if given.is_empty() { "nothing".to_owned() } else { given.join(" and ") };
            toml.report_mistake(
                "positions",
                format_args!("{ways}: it has one of `list`, `drawn` and `paper = true`"),
            );
        }
        if given != ["list"] {
            self.reported.push("positions".to_owned());
        }
    }

    /// Keeps the protocol from complaining of a setting as well. It judges what is drawn as a whole.
    fn note_reported(&mut self, key: &SettingKey) {
        let field = if key.table() == "drawn_positions" { key.table() } else { key.field };
        self.reported.push(field.to_owned());
    }

    /// Reports what the protocol says of a field, where that stands in the file.
    pub fn report_violation(&self, violation: &Violation, toml: &mut TomlDocument) {
        let field = violation.field.trim_start_matches("settings.");
        let rests = self.reported.iter().filter_map(|reported| field.strip_prefix(reported.as_str()));
        if !rests.into_iter().any(|rest| rest.is_empty() || rest.starts_with('.')) {
            toml.report_mistake(&path_of_field(field), &violation.description);
        }
    }
}

/// Returns where a field, or an element of it, stands in a file.
fn path_of_field(field: &str) -> String {
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[']);
    let key =
        KEYS.iter().find_map(|key| Some((key, field.strip_prefix(key.field).filter(|rest| is_end(rest))?)));
    match (key, field) {
        (Some((key, rest)), _) => {
            let (table, name) = key.file_place().unwrap_or(("", "alliance"));
            let element = rest.find(']').map_or("", |end| &rest[..=end]);
            member_path(table, name) + element
        }
        (None, "drawn_positions") => "positions.drawn".to_owned(),
        (None, "alliance_matrix") => "alliance".to_owned(),
        _ => field.to_owned(),
    }
}
