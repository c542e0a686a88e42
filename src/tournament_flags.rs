//! Command-line flags for the settings of a tournament or a match.

use crate::{
    Failure,
    args::given_flags::{FlagTable, GivenFlags},
};
use clap::{Arg, ArgAction, builder::PossibleValue};
use lastnim_proto::{
    pb,
    tournament_settings::{SettingsJsonDraft, TournamentSetting, ValueKind, all_settings},
};
use lastnim_report::words::join_with_and;
use lastnim_tournament::FormatProfile;

/// Flags for the settings of a tournament.
#[derive(Debug)]
pub struct TournamentFlags;

impl FlagTable for TournamentFlags {
    fn flags() -> Vec<Arg> {
        make_flags(|_| true)
    }
}

/// Flags for the settings of a match outside a tournament.
#[derive(Debug)]
pub struct ExhibitionFlags;

impl FlagTable for ExhibitionFlags {
    fn flags() -> Vec<Arg> {
        let rows = ["alliance", "alliance_matrix.rows", "deal", "deal_rows"];
        let fields = ["ending", "seed", "strikes", "max_plies"];
        make_flags(|setting| {
            let field = setting.field;
            field.starts_with("clock")
                || setting.table() == "talk"
                || rows.contains(&field)
                || fields.contains(&field)
        })
    }
}

/// Builds the settings from flags; the server checks that they are consistent.
///
/// # Errors
/// Names the first flag that is missing, belongs to another format, or has a bad value.
pub fn settings_of_flags<T>(given: &GivenFlags<T>) -> Result<pb::TournamentSettings, Failure> {
    let mut draft = SettingsJsonDraft::default();
    let round_robin = FormatProfile::ROUND_ROBIN.hyphenated_name();
    let format = given.words("format").and_then(|words| words.last()).unwrap_or(&round_robin);
    let table = format.replace('-', "_");
    let fits = |setting: &TournamentSetting| setting.format().is_none() || setting.table() == table;
    for setting in all_settings() {
        let flag = setting.flag();
        let Some(words) = given.words(&flag) else { continue };
        if fits(setting) {
            if let Some(wrong) = draft.set_value(setting, &setting.value_of_texts(words)).first() {
                return Err(Failure::input(format!("--{flag}: {}", wrong.description)));
            }
        } else if !settings_of_flag(&flag).any(fits) {
            return Err(Failure::input(format!("--{flag}: the format {format} does not have this setting")));
        }
    }
    if let Some(setting) = draft.first_missing(&table) {
        return Err(Failure::input(format!("the format {format} needs --{}", setting.flag())));
    }
    draft.finish().map_err(Failure::input)
}

/// Flags that give the positions; exactly one of them is required.
const POSITION_FLAGS: [&str; 3] = ["piles", "draw-positions", "paper-positions"];

/// Returns the settings that share a flag.
fn settings_of_flag(flag: &str) -> impl Iterator<Item = &'static TournamentSetting> {
    all_settings().filter(move |setting| setting.flag() == flag)
}

/// Creates the flags of the settings for which `has` is true. A flag that several settings share is created once.
fn make_flags(has: impl Fn(&TournamentSetting) -> bool) -> Vec<Arg> {
    let is_first = |setting: &&'static TournamentSetting| {
        settings_of_flag(&setting.flag()).next().is_some_and(|first| first.field == setting.field)
    };
    all_settings().filter(|setting| has(setting)).filter(is_first).map(make_flag).collect()
}

/// Creates the flag of a setting. Settings of other formats may share this flag.
fn make_flag(setting: &TournamentSetting) -> Arg {
    let flag = setting.flag();
    let formats: Vec<_> = settings_of_flag(&flag).filter_map(TournamentSetting::format).collect();
    let formats: Vec<_> = formats.into_iter().map(FormatProfile::hyphenated_name).collect();
    let is_shared = settings_of_flag(&flag).all(|other| other.default == setting.default);
    let default = setting.default.filter(|default| is_shared && !default.is_empty());
    let before_range = if setting.kind == ValueKind::Positions { "; may be repeated," } else { "," };
    let parts = [
        Some(setting.help.to_owned()),
        (!setting.range.is_empty()).then(|| format!("{before_range} {}", setting.range)),
        default.map(|default| format!(" [default: {default}]")),
    ];
    let help: String = parts.into_iter().flatten().collect();
    let arg = Arg::new(flag.clone())
        .long(flag.clone())
        .help_heading(heading_of_setting(setting))
        .allow_negative_numbers(!matches!(setting.kind, ValueKind::Flag | ValueKind::Switch));
    let arg = match formats.as_slice() {
        [] => arg.help(help),
        formats => {
            let word = if formats.len() == 1 { "format" } else { "formats" };
            let long_help = format!(
                "{help}\n\nFor the {word} {}.",
                join_with_and(&formats.iter().map(String::as_str).collect::<Vec<_>>())
            );
            arg.help(help).long_help(long_help)
        }
    };
    // The ranges of drawn positions are only valid with --draw-positions.
    let others = POSITION_FLAGS.into_iter().filter(|other| *other != flag);
    let arg = match setting.field {
        "positions" => arg.required_unless_present_any(&POSITION_FLAGS[1..]).conflicts_with_all(others),
        "drawn_positions.count" | "paper_positions" => arg.conflicts_with_all(others),
        _ if setting.kind == ValueKind::Range => arg.conflicts_with_all(["piles", "paper-positions"]),
        "seats" => arg.required(true),
        // Only one version of the methods exists, so the flag is hidden; a file may state the version.
        "methods" => arg.hide(true),
        _ => arg,
    };
    match setting.kind {
        ValueKind::Text => arg.value_name("TEXT"),
        ValueKind::Bot => arg.value_name("NAME"),
        ValueKind::Names => arg.value_name("NAME,NAME,.."),
        ValueKind::Number | ValueKind::Count => arg.value_name("N"),
        ValueKind::Time => arg.value_name("TIME"),
        ValueKind::Duration => arg.value_name("DURATION"),
        ValueKind::Clock => arg.value_name("BANK+INCREMENT"),
        ValueKind::Real | ValueKind::Rate => arg.value_name("X"),
        ValueKind::Word | ValueKind::Format => {
            arg.value_name(flag.to_uppercase()).value_parser(possible_values(setting))
        }
        ValueKind::Positions => arg.value_name("N,N,..").action(ArgAction::Append),
        ValueKind::Matrix => arg.value_name("ROW;ROW;.."),
        ValueKind::Range => arg.value_name("MIN,MAX"),
        ValueKind::Flag | ValueKind::Switch => arg.action(ArgAction::SetTrue),
    }
}

/// Returns the heading of a setting in the help.
fn heading_of_setting(setting: &TournamentSetting) -> &'static str {
    match (setting.field, setting.table()) {
        ("title" | "seats" | "start_when" | "start_at_us" | "entries_close_at_us" | "allow", _) => {
            "Tournament"
        }
        ("format", _) => "Format",
        ("positions" | "paper_positions", _) | (_, "drawn_positions") => "Positions",
        ("clock", _) | (_, "clock") => "Clock",
        ("concurrency" | "bot_concurrency", _) | (_, "retention") => "Concurrency and retention",
        (_, "talk") => "Talk",
        _ if setting.format().is_some() => "Format",
        _ => "Rules and scoring",
    }
}

fn possible_values(setting: &TournamentSetting) -> Vec<PossibleValue> {
    let value = |word: String| PossibleValue::new(word.clone()).alias(word.replace('-', "_"));
    setting.words().into_iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;
    use pb::tournament_settings::{Format, OtherPositions};

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        flags: GivenFlags<TournamentFlags>,
    }

    fn settings(words: &str) -> Result<pb::TournamentSettings, String> {
        let words = ["create", "--seats", "2"].into_iter().chain(words.split(' '));
        let cli = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
        settings_of_flags(&cli.flags).map_err(|failure| failure.to_string())
    }

    fn format(words: &str) -> Result<Option<Format>, String> {
        settings(&format!("--piles 3 {words}")).map(|settings| settings.format)
    }

    #[test]
    fn omitted_flags_keep_server_defaults() {
        let made = settings("--piles 3,4,5 --piles 1,2").unwrap();
        let positions = [[3, 4, 5].to_vec(), [1, 2].to_vec()].map(|counters| pb::Piles { counters });
        let expected = pb::TournamentSettings {
            title: "Last Nim".into(),
            seats: 2,
            positions: positions.to_vec(),
            ..pb::TournamentSettings::default()
        };
        assert_eq!(made, expected);
    }

    #[test]
    fn one_time_leaves_the_others_at_their_defaults() {
        let clock = settings("--piles 3 --clock 500ms").unwrap().clock;
        let usual = pb::Clock::from(&lastnim_core::referee::Clock::default());
        assert_eq!(clock, Some(pb::Clock { initial_ms: 500, increment_ms: 0, ..usual }));
        let drawn = settings("--draw-positions 5 --draw-piles 3,9").unwrap().other_positions;
        let (count, min_piles, max_piles, min_counters, max_counters) = (5, 3, 9, 1, 5);
        let expected = pb::DrawnPositions { count, min_piles, max_piles, min_counters, max_counters };
        assert_eq!(drawn, Some(OtherPositions::DrawnPositions(expected)));
    }

    #[test]
    fn flags_can_give_a_matrix() {
        let made = settings("--piles 3 --matrix 0,1;1,0 --scoring win --ending last_mover_wins").unwrap();
        assert_eq!((made.alliance(), made.scoring()), (pb::AllianceMode::Given, pb::Scoring::Win));
        assert_eq!(made.ending(), pb::Ending::LastMoverWins);
        assert_eq!(made.alliance_matrix.unwrap().rows[1].offsets, [1, 0]);
    }

    #[test]
    fn flags_give_allowed_bots() {
        assert_eq!(settings("--piles 3 --allow alice,team-*").unwrap().allow, ["alice", "team-*"]);
    }

    #[test]
    fn flags_select_the_format() {
        let sample = Format::RoundRobin(pb::RoundRobinFormat { groups: 9 });
        assert_eq!(format("--groups 9"), Ok(Some(sample)));
        let swiss = pb::SwissFormat { rounds: 5, table_groups: 2 };
        assert_eq!(format("--format swiss --rounds 5 --table-groups 2"), Ok(Some(Format::Swiss(swiss))));
        let sprt = pb::SprtFormat {
            candidate: "new".into(),
            baseline: "old".into(),
            measure: pb::Measure::Points.into(),
            effect_none: -0.1,
            effect_some: 0.1,
            groups: 500,
            ..pb::SprtFormat::default()
        };
        let flags = "--format sprt --candidate new --baseline old --measure points --effect-none -0.1 --effect-some 0.1 --groups 500";
        assert_eq!(format(flags), Ok(Some(Format::Sprt(sprt))));
    }

    #[test]
    fn flags_that_do_not_fit_are_named() {
        let refusal = |words: &str| format(words).unwrap_err();
        assert_eq!(refusal("--rounds 5"), "--rounds: the format round-robin does not have this setting");
        assert_eq!(refusal("--format swiss"), "the format swiss needs --rounds");
        assert_eq!(refusal("--format gauntlet"), "the format gauntlet needs --bot");
        let clock = "\"500\" is not a time and an increment with units, such as 10s+100ms";
        assert_eq!(refusal("--clock 500"), format!("--clock: {clock}"));
        let within = "\"10\" is not a duration with units (ms, s, m, h, d), such as 10s or 1m30s";
        assert_eq!(refusal("--declare-within 10"), format!("--declare-within: {within}"));
        assert_eq!(refusal("--strikes 0"), "--strikes: 0 is not a whole number from 1 to 100");
        let rate = "--format sprt --candidate a --baseline b --effect-some 1 --groups 9 --alpha";
        assert_eq!(refusal(&format!("{rate} 0")), "--alpha: 0 is not a number from 0.0001 to 0.5");
        assert_eq!(refusal(&format!("{rate} nan")), "--alpha: \"nan\" is not a number");
        assert!(refusal("--draw-counters 1,2").contains("cannot be used with"));
        assert!(refusal("--paper-positions").contains("cannot be used with"));
        assert_eq!(settings("--piles 3,x").unwrap_err(), "--piles: \"x\" is not a whole number");
        assert!(settings("--title x").unwrap_err().contains("--piles"));
    }
}
