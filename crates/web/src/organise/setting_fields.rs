//! The settings of a tournament as form fields.

use crate::typed_wants::{DEALT_OPTION, DECLARED_OPTION, GIVEN_OPTION, STANDARD_OPTION};
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

/// The field with the list of preference orders that are dealt.
pub(super) const DEALT_ORDERS: &str = "deal_rows";

/// The words in hints for the values of other fields. Earlier names contain later ones.
const OTHER_FIELDS: [(&str, &str); 3] = [
    ("`seats` - 1", "one less than the number of seats"),
    ("`seats`", "the number of seats"),
    ("`effect_none`", "the next number"),
];

/// The options of settings with a fixed set of words, each with its text. The empty word is the default.
const CHOICES: [(&str, &[(&str, &str)]); 9] = [
    (
        "ladder.pairing",
        &[
            ("", "by turns the bot with the least certain rating, and the one that has waited longest"),
            ("least_certain", "always the bot with the least certain rating"),
        ],
    ),
    ("sprt.measure", &[("", "fewer places lost by its own errors"), ("points", "more points")]),
    (
        "ending",
        &[("", "the seat to move when no counter is left"), ("last_mover_wins", "the seat that moved last")],
    ),
    (
        "alliance",
        &[
            (
                "",
                "as written below, if anything is; else two seats each want to win, and more say what they want",
            ),
            DECLARED_OPTION,
            STANDARD_OPTION,
            ("random", "drawn from the seed for each duplicate group"),
            GIVEN_OPTION,
            DEALT_OPTION,
        ],
    ),
    ("deal", &[("", "any preference order"), ("self_first", "orders with the seat itself first")]),
    (
        "scoring",
        &[
            (
                "",
                "1 for a win if seats say what they want, or if two seats each want to win; else by the winner",
            ),
            ("win", "1 for a win, 0 otherwise"),
            ("satisfaction", "by the winner: 1 for the seat's first choice, 0 for its last, others between"),
        ],
    ),
    ("oracle", &[("", "bots may use the oracle"), ("closed", "no oracle, audits or practice until the end")]),
    (
        "talk.privacy",
        &[
            ("", "private, and never published"),
            ("published", "private, and published when the match is over"),
            ("open", "not possible: all seats read all messages"),
        ],
    ),
    (
        "talk.pacts",
        &[
            ("", "seats cannot sign pacts"),
            ("true", "seats can sign pacts: with 2 rounds of talk or more, and at most 8 seats"),
        ],
    ),
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
        let (range, form) = match setting.kind {
            // The options say what they mean.
            ValueKind::Format | ValueKind::Word | ValueKind::Switch => return String::new(),
            ValueKind::Matrix if setting.field == DEALT_ORDERS => (
                "",
                ", one per line, as seat 1 would have it: 1>3>2 is its own win, then the win of the seat two places on",
            ),
            ValueKind::Matrix => ("", ", one line for each seat, such as 1>3>2"),
            ValueKind::Positions => (setting.range, ", one per line"),
            ValueKind::Clock => (setting.range, ": 10m+5s is 10 minutes, and 5 seconds for each take"),
            _ => (setting.range, ""),
        };
        let comma = if range.is_empty() { "" } else { ", " };
        let default =
            setting.default.filter(|default| !default.is_empty() && self.initial_value().is_empty());
        let default = default.map(|default| format!(". If empty: {default}")).unwrap_or_default();
        let hint = format!("{}{comma}{range}{form}{default}", setting.help);
        OTHER_FIELDS.iter().fold(hint, |hint, (name, words)| hint.replace(name, words))
    }

    /// Returns the options with their texts. The first option of a word is its default.
    pub(super) fn choices(self) -> Vec<(String, String)> {
        let owned = |(word, meaning): (&str, &str)| (word.to_owned(), meaning.to_owned());
        match self {
            Self::PositionSource => POSITION_SOURCES.map(owned).to_vec(),
            Self::Setting(setting) if setting.kind == ValueKind::Format => FormatProfile::ALL
                .map(|profile| (profile.name.to_owned(), format!("{}: {}", profile.title, profile.summary)))
                .to_vec(),
            Self::Setting(setting) => {
                let choices = CHOICES.iter().find(|(field, _)| *field == setting.field);
                choices.into_iter().flat_map(|(_, choices)| *choices).copied().map(owned).collect()
            }
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
    use lastnim_proto::tournament_settings::SettingsJsonDraft;

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
    fn every_word_is_an_option_or_the_default() {
        for setting in all_settings() {
            let words = match setting.kind {
                ValueKind::Word => setting.words(),
                ValueKind::Switch => vec!["true".to_owned(), "false".to_owned()],
                _ => continue,
            };
            let choices = FormField::Setting(setting).choices();
            assert_eq!(choices[0].0, "", "{}", setting.field);
            for word in words {
                let is_default = setting.default.is_some_and(|default| default.starts_with(&word));
                let is_option = choices.iter().any(|(option, _)| *option == word.replace('-', "_"));
                assert!(is_default || is_option, "{} {word}", setting.field);
            }
            let mut draft = SettingsJsonDraft::default();
            for (option, _) in &choices[1..] {
                let wrong = draft.set_value(setting, &setting.value_of_texts(&[option]));
                assert!(wrong.is_empty(), "{wrong:?}");
            }
        }
    }

    #[test]
    fn hints_name_no_key_of_a_file() {
        for field in FormField::all() {
            let hint = field.hint();
            assert!(!hint.contains(['`', '_']) && !hint.contains("offset"), "{hint}");
        }
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
