//! Tests that flags, files that are read or written, and reports support every setting of every format.

use super::plan::TournamentPlan;
use crate::{
    args::given_flags::GivenFlags,
    tournament_flags::{TournamentFlags, settings_of_flags},
};
use clap::Parser as _;
use lastnim_proto::{
    pb,
    tournament_settings::{SettingsJsonDraft, TournamentSetting, ValueKind, all_settings},
};
use lastnim_report::{ReportReader, tournament_settings::setting_facts, tournament_toml::tournament_toml};
use lastnim_tournament::{FormatProfile, METHODS_VERSION};
use serde_json::{Value, json};

#[derive(clap::Parser)]
struct Cli {
    #[command(flatten)]
    flags: GivenFlags<TournamentFlags>,
}

/// The bots, including those that a setting may name.
const FIELD: [&str; 6] = ["bot0", "bot1", "candidate0", "candidate1", "baseline0", "baseline1"];

/// The value given to each setting, as written in a file.
type GivenSettings = Vec<(&'static TournamentSetting, Value)>;

/// Returns a valid value for a setting; variants 0 and 1 give two different values if the setting allows it.
fn some_value(setting: &TournamentSetting, variant: u8) -> Value {
    let real = f64::from(variant) / 4.0;
    match setting.kind {
        ValueKind::Text | ValueKind::Bot => format!("{}{variant}", setting.name()).into(),
        ValueKind::Number | ValueKind::Count if setting.name() == "methods" => METHODS_VERSION.into(),
        ValueKind::Number | ValueKind::Count if setting.name() == "seats" => (3 + variant).into(),
        ValueKind::Number | ValueKind::Count if setting.name() == "groups" => (20 + variant).into(),
        // Pacts need two rounds.
        ValueKind::Number | ValueKind::Count if setting.field == "talk.rounds" => (2 + variant).into(),
        ValueKind::Number | ValueKind::Count => (1 + variant).into(),
        ValueKind::Real => (if setting.name() == "effect_some" { real + 1.0 } else { real }).into(),
        ValueKind::Rate => (real / 2.0 + 0.125).into(),
        ValueKind::Word | ValueKind::Format => setting.words()[usize::from(variant)].clone().into(),
        ValueKind::Positions => json!([[3, 1 + variant], [2]]),
        ValueKind::Matrix => json!([[0, 1, 2], [0, 2, 1], [1, 0, 2]]),
        ValueKind::Range => json!([1, 2 + variant]),
        ValueKind::Names => json!(["*", format!("b{variant}")]),
        ValueKind::Time => format!("2027-01-31T18:00:0{variant}Z").into(),
        ValueKind::Duration => format!("{}s", 1 + variant).into(),
        ValueKind::Clock => format!("{}m+10ms", 1 + variant).into(),
        ValueKind::Flag => true.into(),
        ValueKind::Switch => (variant == 0).into(),
    }
}

/// The settings of the start, of entries and of the rows. They need special values, or a file cannot have them.
const SPECIAL_FIELDS: [&str; 6] =
    ["start_when", "start_at_us", "entries_close_at_us", "alliance_matrix.rows", "deal", "deal_rows"];

/// Returns every setting that applies to this format and source of positions, each with a sample value, except the
/// special ones.
fn usual_settings(format: &FormatProfile, source: &str) -> GivenSettings {
    let has = |setting: &&TournamentSetting| match (setting.field, setting.format()) {
        (field, _) if SPECIAL_FIELDS.contains(&field) => false,
        ("positions" | "paper_positions", _) => setting.field == source,
        _ if setting.table() == "drawn_positions" => setting.table() == source,
        (_, of) => of.is_none_or(|of| of == format),
    };
    let value = |setting: &'static TournamentSetting| match setting.kind {
        ValueKind::Format => format.hyphenated_name().into(),
        _ => some_value(setting, 0),
    };
    all_settings().filter(has).map(|setting| (setting, value(setting))).collect()
}

/// Returns whether a setting can have two values in the same format: flags are only present or absent, and the methods
/// have only one version.
fn has_two_values(setting: &TournamentSetting) -> bool {
    !matches!(setting.kind, ValueKind::Format | ValueKind::Flag) && setting.field != "methods"
}

/// Changes the settings to those of a tournament that deals rows.
fn deal_rows(given: &mut GivenSettings) {
    let deal = all_settings().find(|setting| setting.field == "deal").unwrap();
    given.push((deal, "all".into()));
    for (setting, value) in given {
        match setting.field {
            "alliance" => *value = "dealt".into(),
            "scoring" => *value = "satisfaction".into(),
            _ => {}
        }
    }
}

fn message_of(given: &GivenSettings) -> pb::TournamentSettings {
    let mut draft = SettingsJsonDraft::default();
    for (setting, value) in given {
        assert_eq!(draft.set_value(setting, value), [], "{}", setting.field);
    }
    draft.finish().unwrap()
}

/// Writes settings as flags, and reads the flags back.
fn message_of_flags(given: &GivenSettings) -> pb::TournamentSettings {
    let arguments = given.iter().flat_map(|(setting, value)| -> Vec<String> {
        let numbers = |list: &Value| list.to_string().replace(['[', ']'], "");
        let flag = format!("--{}", setting.flag());
        let lists = || value.as_array().unwrap().iter().map(numbers);
        match setting.kind {
            ValueKind::Switch if *value == false => Vec::new(),
            ValueKind::Flag | ValueKind::Switch => vec![flag],
            ValueKind::Positions => lists().map(|list| format!("{flag}={list}")).collect(),
            ValueKind::Matrix => vec![format!("{flag}={}", lists().collect::<Vec<_>>().join(";"))],
            ValueKind::Range => vec![format!("{flag}={}", numbers(value))],
            ValueKind::Names => vec![format!("{flag}={}", numbers(value).replace('"', ""))],
            _ => vec![format!("{flag}={}", value.as_str().map_or(value.to_string(), str::to_owned))],
        }
    });
    let cli = Cli::try_parse_from([String::from("create")].into_iter().chain(arguments));
    settings_of_flags(&cli.unwrap_or_else(|error| panic!("{error}")).flags).unwrap()
}

/// Writes settings as a file, and checks that the file has the same settings, except for those of the start and of
/// entries, which no file has.
fn file_of(settings: &pb::TournamentSettings) -> String {
    let field = FIELD.map(str::to_owned).to_vec();
    let tournament = pb::Tournament { settings: Some(settings.clone()), field, ..Default::default() };
    let file = tournament_toml(&tournament);
    let plan = TournamentPlan::parse(&file).unwrap_or_else(|mistakes| panic!("{mistakes:?}\n{file}"));
    let (start_when, start_at_us, entries_close_at_us) = Default::default();
    let expected =
        pb::TournamentSettings { start_when, start_at_us, entries_close_at_us, ..settings.clone() };
    assert_eq!(plan.settings(), expected, "{file}");
    file
}

#[test]
fn every_setting_of_every_format_is_given_exported_and_reported() {
    let mut changed_fields = Vec::new();
    for format in FormatProfile::ALL {
        for source in ["positions", "drawn_positions", "paper_positions"] {
            let usual = usual_settings(format, source);
            let message = message_of(&usual);
            assert_eq!(message_of_flags(&usual), message);
            let (file, facts) = (file_of(&message), setting_facts(&message, ReportReader::CommandLine));
            let special = all_settings().filter(|setting| SPECIAL_FIELDS.contains(&setting.field));
            assert!(file.contains("\nmethods = ") && facts.iter().any(|(label, _)| label == "methods"));
            let changeable =
                usual.iter().map(|(setting, _)| *setting).filter(|setting| has_two_values(setting));
            for setting in changeable.chain(special) {
                let mut given = usual.clone();
                if setting.field.starts_with("deal") {
                    deal_rows(&mut given);
                }
                // Seats whose rows are assigned do not talk.
                if setting.field.starts_with("alliance") {
                    given.retain(|(other, _)| other.table() != "talk");
                }
                let message = message_of(&given);
                let (file, facts) = (file_of(&message), setting_facts(&message, ReportReader::CommandLine));
                // `alliance` has either a word or rows, so given rows replace the word.
                given.retain(|(other, _)| {
                    let replaces = [("alliance_matrix.rows", "alliance"), ("deal_rows", "deal")];
                    other.field != setting.field && !replaces.contains(&(setting.field, other.field))
                });
                let value = some_value(setting, 1);
                let value = if setting.field == "start_when" { 5.into() } else { value };
                given.push((setting, value));
                let changed = message_of(&given);
                assert_ne!(changed, message, "{}", setting.field);
                assert_eq!(message_of_flags(&given), changed, "{}", setting.field);
                assert_ne!(file_of(&changed), file, "{} is not written as a file", setting.field);
                assert_ne!(
                    setting_facts(&changed, ReportReader::CommandLine),
                    facts,
                    "{} is not reported",
                    setting.field
                );
                changed_fields.push(setting.field);
            }
        }
    }
    for setting in all_settings() {
        assert_eq!(changed_fields.contains(&setting.field), has_two_values(setting), "{}", setting.field);
    }
}
