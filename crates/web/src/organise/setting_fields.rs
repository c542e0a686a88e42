//! The settings of a tournament as form fields.

use lastnim_proto::tournament_settings::{
    SETTING_SECTIONS, SectionCondition, TournamentSetting, ValueKind, all_settings,
};
use lastnim_tournament::FormatProfile;

/// The field for the format.
pub(super) const FORMAT: &str = "format";
/// The field for the source of positions.
pub(super) const POSITION_SOURCE: &str = "position_source";

/// The sources of positions: for each, its field in the message, and the text of its option.
const POSITION_SOURCES: [(&str, &str); 3] = [
    ("positions", "listed here"),
    ("drawn_positions", "drawn from the seed"),
    ("paper_positions", "the 12 positions of the paper's tables"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormField {
    /// The source of positions.
    PositionSource,
    /// A setting. Its name is its path in the message, so errors of the service can be assigned to it.
    Setting(&'static TournamentSetting),
}

/// A group of fields.
#[derive(Debug)]
pub(super) struct FieldGroup {
    /// Its heading.
    pub legend: &'static str,
    /// When it applies.
    pub condition: SectionCondition,
    pub fields: Vec<FormField>,
}

impl FieldGroup {
    /// Returns all groups in the order of the form; the source of positions comes before the first list of positions.
    pub(super) fn all() -> Vec<Self> {
        let mut groups = Vec::new();
        for section in SETTING_SECTIONS {
            let (legend, condition) = (section.legend, section.condition);
            if condition == SectionCondition::PositionSource(POSITION_SOURCES[0].0) {
                let (condition, fields) = (SectionCondition::Always, vec![FormField::PositionSource]);
                groups.push(Self { legend: "Positions", condition, fields });
            }
            let settings = section.settings.iter().filter(|setting| has_field(setting));
            groups.push(Self { legend, condition, fields: settings.map(FormField::Setting).collect() });
        }
        groups.retain(|group| !group.fields.is_empty());
        groups
    }
}

impl FormField {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let settings = all_settings().filter(|setting| has_field(setting)).map(Self::Setting);
        [Self::PositionSource].into_iter().chain(settings)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PositionSource => POSITION_SOURCE,
            Self::Setting(setting) => setting.field,
        }
    }

    /// Returns the label.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::PositionSource => "Positions",
            Self::Setting(setting) => setting.label,
        }
    }

    /// Returns the initial value.
    pub(super) fn initial_value(self) -> String {
        match self {
            Self::PositionSource => POSITION_SOURCES[0].0.to_owned(),
            Self::Setting(setting) => match (setting.kind, setting.default) {
                (ValueKind::Format, _) => FormatProfile::ROUND_ROBIN.name.to_owned(),
                (ValueKind::Text | ValueKind::Range, Some(default)) => default.to_owned(),
                // If one field of the talk is filled in, seats talk.
                _ if setting.table() == "talk" => String::new(),
                (_, Some(default)) if setting.default_value().is_some() => default.replace(',', ""),
                _ => setting.suggestion.to_owned(),
            },
        }
    }

    /// Describes valid values.
    pub(super) fn hint(self) -> String {
        let Self::Setting(setting) = self else { return String::new() };
        if setting.kind == ValueKind::Format {
            return String::new();
        }
        let form = match setting.kind {
            ValueKind::Positions => ", one per line",
            ValueKind::Matrix => ", one row per line",
            _ => "",
        };
        let range = if setting.range.is_empty() { "" } else { ", " };
        let default =
            setting.default.filter(|default| !default.is_empty() && self.initial_value().is_empty());
        let default = default.map(|default| format!(". If empty: {default}")).unwrap_or_default();
        format!("{}{range}{}{form}{default}", setting.help, setting.range).replace('`', "")
    }

    /// Returns the options with their texts.
    pub(super) fn choices(self) -> Vec<(String, String)> {
        match self {
            Self::PositionSource => {
                POSITION_SOURCES.map(|(word, meaning)| (word.to_owned(), meaning.to_owned())).to_vec()
            }
            Self::Setting(setting) if setting.kind == ValueKind::Format => FormatProfile::ALL
                .map(|profile| (profile.name.to_owned(), format!("{}: {}", profile.title, profile.summary)))
                .to_vec(),
            Self::Setting(setting) if setting.kind == ValueKind::Word => {
                let words = setting.words().into_iter();
                let words = words.map(|word| (word.replace('-', "_"), word.replace('-', " ")));
                [(String::new(), String::new())].into_iter().chain(words).collect()
            }
            Self::Setting(setting) if setting.kind == ValueKind::Switch => {
                ["", "true", "false"].map(|word| (word.to_owned(), word.to_owned())).to_vec()
            }
            Self::Setting(_) => Vec::new(),
        }
    }
}

/// Returns whether the setting has a field in the form. If it has none, the source of positions implies its value.
fn has_field(setting: &TournamentSetting) -> bool {
    setting.kind != ValueKind::Flag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_field() {
        let groups = FieldGroup::all();
        let names: Vec<_> = groups.iter().flat_map(|group| &group.fields).map(|field| field.name()).collect();
        for setting in all_settings() {
            let is_source = POSITION_SOURCES.iter().any(|(source, _)| *source == setting.field);
            assert!(names.contains(&setting.field) || is_source, "{}", setting.field);
        }
        let mut fields: Vec<_> = FormField::all().map(FormField::name).collect();
        fields.sort_unstable();
        let mut shown = names;
        shown.sort_unstable();
        assert_eq!(shown, fields);
    }

    #[test]
    fn the_style_hides_fields_of_other_formats() {
        let style = include_str!("../assets/style.css");
        let formats = FormatProfile::ALL.map(|profile| ("format", profile.name));
        let sources = POSITION_SOURCES.map(|(source, _)| ("position_source", source));
        for (field, word) in formats.into_iter().chain(sources) {
            assert!(style.contains(&format!("#{field} option[value=\"{word}\"]:checked")), "{word}");
        }
    }
}
