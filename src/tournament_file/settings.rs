//! The settings of a tournament in its file.

use crate::toml_file::{TomlDocument, member_path};
use lastnim_proto::{
    Violation, pb,
    tournament_settings::{SettingsJsonDraft, TournamentSetting, ValueKind, all_settings, file_tables},
};
use lastnim_tournament::FormatProfile;

/// The tables of the file that do not contain tournament settings.
const OTHER_TABLES: [&str; 3] = ["llm", "sandbox", "bot"];

/// The settings that a file may not have, and the flags that take their place.
const NOT_IN_FILES: [(&str, &str); 3] = [
    (
        "start_when",
        "to start as soon as a given number of bots have joined, use `lastnim tournament create --start-when`",
    ),
    ("start_at", "to start at a given time, use `lastnim tournament create --start-at`"),
    (
        "entries_close_at",
        "to let bots enter up to a given time, use `lastnim tournament create --entries-close-at`",
    ),
];

/// Reads the settings of a file.
#[derive(Debug, Default)]
pub struct SettingsReader {
    draft: SettingsJsonDraft,
    /// The format, once it is known.
    format: Option<&'static FormatProfile>,
    /// The bots that the format names, and their paths in the file.
    pub named: Vec<(String, String)>,
    /// The fields whose mistakes are already reported, so that the check of the message does not report them again.
    reported: Vec<String>,
}

impl SettingsReader {
    /// Reads all settings, and reports and skips the bad ones.
    pub fn read(&mut self, toml: &mut TomlDocument) -> Option<pb::TournamentSettings> {
        let kind = toml.get("format.kind").and_then(|kind| kind.as_str()).unwrap_or_default();
        self.format = FormatProfile::ALL.into_iter().find(|profile| profile.hyphenated_name() == kind);
        for (key, instead) in NOT_IN_FILES {
            let why = "not allowed in a file: the tournament starts when all its bots have joined, including those with `remote = true`";
            toml.refuse_key(key, &format!("{why}; {instead}"));
        }
        for table in file_tables() {
            self.read_table(table, toml);
        }
        self.check_positions(toml);
        std::mem::take(&mut self.draft).finish().ok()
    }

    fn read_table(&mut self, table: &str, toml: &mut TomlDocument) {
        let places = all_settings().filter_map(|setting| Some((setting.file_key()?, setting)));
        let is_here =
            |setting: &TournamentSetting| setting.format().is_none_or(|format| Some(format) == self.format);
        let settings = places.filter(|((place, _), setting)| *place == table && is_here(setting));
        let settings: Vec<_> = settings.map(|((_, name), setting)| (name, setting)).collect();
        let prefix = member_path(table, "");
        let inner = file_tables().into_iter().filter_map(|inner| inner.strip_prefix(prefix.as_str()));
        let inner = inner.filter(|inner| !inner.is_empty() && !inner.contains('.'));
        let others = OTHER_TABLES.into_iter().filter(|_| table.is_empty());
        // If the format is unknown, so are its keys, and they are not checked.
        let is_open = table == "format" && self.format.is_none();
        let names = settings.iter().filter(|(_, setting)| setting.kind != ValueKind::Matrix);
        let known = names.map(|(name, _)| *name).chain(inner).chain(others).filter(|_| !is_open);
        if !toml.has_table(table, &known.collect::<Vec<_>>()) {
            return;
        }
        for (name, setting) in settings {
            let path = member_path(table, name);
            if toml.get(&path).is_some() {
                self.read_key(setting, &path, toml);
            } else if setting.kind == ValueKind::Format {
                let kinds = setting.words().join(", ");
                toml.report_mistake(&path, format_args!("missing: expected one of {kinds}"));
            } else if setting.default.is_none() {
                toml.report_missing(&path);
                self.note_reported(setting);
            }
        }
    }

    fn read_key(&mut self, setting: &TournamentSetting, path: &str, toml: &mut TomlDocument) {
        let Some(value) = toml.get(path).cloned() else { return };
        // The keys `alliance` and `deal` have either a word or rows, which are two separate settings.
        let is_for_other = match setting.field {
            "alliance" | "deal" => value.is_array(),
            _ => setting.kind == ValueKind::Matrix && !value.is_array(),
        };
        if is_for_other {
            return;
        }
        for Violation { field, description } in self.draft.set_value(setting, &value) {
            toml.report_mistake(&field.replacen(setting.field, path, 1), description);
            if field == setting.field { self.note_reported(setting) } else { self.reported.push(field) }
        }
        if let (ValueKind::Bot, Some(name)) = (setting.kind, value.as_str()) {
            self.named.push((name.to_owned(), path.to_owned()));
        }
    }

    /// Checks that the positions are given in exactly one way.
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
                format_args!("{ways}: expected exactly one of `list`, `drawn` and `paper = true`"),
            );
        }
        if given != ["list"] {
            self.reported.push("positions".to_owned());
        }
    }

    /// Notes that a mistake in a setting was reported, so that the check of the message does not report it again. That
    /// check treats all settings for drawn positions as one field.
    fn note_reported(&mut self, setting: &TournamentSetting) {
        let field = if setting.table() == "drawn_positions" { setting.table() } else { setting.field };
        self.reported.push(field.to_owned());
    }

    /// Reports a violation on the line of its field in the file.
    pub fn report_violation(&self, violation: &Violation, toml: &mut TomlDocument) {
        let field = violation.field.trim_start_matches("settings.");
        let rests = self.reported.iter().filter_map(|reported| field.strip_prefix(reported.as_str()));
        if !rests.into_iter().any(|rest| rest.is_empty() || rest.starts_with('.')) {
            toml.report_mistake(&path_of_field(field), &violation.description);
        }
    }
}

/// Returns the path in a file for a field of the message, or for an element of that field.
fn path_of_field(field: &str) -> String {
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[']);
    let rest_of = |setting: &TournamentSetting| field.strip_prefix(setting.field).filter(|rest| is_end(rest));
    // The longest match is needed because both `clock.lag_quota_ms` and `clock` are settings.
    let settings = all_settings().filter(|setting| rest_of(setting).is_some());
    let longest = settings.max_by_key(|setting| setting.field.len());
    let place = longest.and_then(|setting| Some((setting.file_key()?, rest_of(setting)?)));
    match (place, field) {
        (Some(((table, name), rest)), _) => {
            let element = rest.find(']').map_or("", |end| &rest[..=end]);
            member_path(table, name) + element
        }
        (None, "drawn_positions") => "positions.drawn".to_owned(),
        (None, "alliance_matrix") => "alliance".to_owned(),
        _ => field.to_owned(),
    }
}
