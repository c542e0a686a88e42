//! The settings of a tournament or a match as flags.

use super::{KEYS, SettingKey, SettingsJsonDraft, ValueKind};
use crate::{
    Failure,
    args::given_flags::{FlagTable, GivenFlags},
};
use clap::{Arg, ArgAction, builder::PossibleValue};
use lastnim_proto::pb;
use serde_json::Value;

/// The flags of a tournament.
#[derive(Debug)]
pub struct TournamentFlags;

impl FlagTable for TournamentFlags {
    fn flags() -> Vec<Arg> {
        make_flags(|_| true)
    }
}

/// The flags of a match outside of tournaments.
#[derive(Debug)]
pub struct ExhibitionFlags;

impl FlagTable for ExhibitionFlags {
    fn flags() -> Vec<Arg> {
        let fields = ["ending", "alliance", "alliance_matrix.rows", "seed", "strikes", "max_plies"];
        make_flags(|key| key.table() == "clock" || fields.contains(&key.field))
    }
}

/// Makes the message from flags; whether its parts fit together is for the server to say.
///
/// # Errors
/// Names the first flag that is missing, that is for another format, or whose words do not fit.
pub fn settings_of_flags<T>(given: &GivenFlags<T>) -> Result<pb::TournamentSettings, Failure> {
    let mut draft = SettingsJsonDraft::default();
    let format = given.words("format").and_then(|words| words.last()).map_or(ROUND_ROBIN, String::as_str);
    let table = format.replace('-', "_");
    let fits = |key: &SettingKey| !key.is_of_format() || key.table() == table;
    for key in KEYS {
        let flag = key.flag();
        let Some(words) = given.words(&flag) else { continue };
        if fits(key) {
            if let Some(wrong) = draft.set_key(key, &json_of_words(key.kind, words)).first() {
                return Err(Failure::input(format!("--{flag}: {}", wrong.description)));
            }
        } else if !KEYS.iter().any(|other| other.flag() == flag && fits(other)) {
            return Err(Failure::input(format!("--{flag}: it is not for the format {format}")));
        }
    }
    if let Some(key) = draft.first_missing_key(&table) {
        return Err(Failure::input(format!("the format {format} needs --{}", key.flag())));
    }
    draft.finish().map_err(Failure::input)
}

/// The format of who does not choose one.
const ROUND_ROBIN: &str = "round-robin";
/// The flags that give positions; exactly one of them is given.
const POSITIONS: [&str; 3] = ["piles", "draw-positions", "paper-positions"];

/// Makes one flag for each that some of the keys have.
fn make_flags(has: impl Fn(&SettingKey) -> bool) -> Vec<Arg> {
    let keys = KEYS.iter().enumerate().filter(|(_, key)| has(key));
    let first = |index: usize, flag: &str| !KEYS[..index].iter().any(|other| other.flag() == flag);
    keys.filter(|(index, key)| first(*index, &key.flag())).map(|(_, key)| make_flag(key)).collect()
}

/// Makes the flag of a key, and of the keys of other formats that share it. What it says is read as what stands in files.
fn make_flag(key: &SettingKey) -> Arg {
    let flag = key.flag();
    let sharing: Vec<_> = KEYS.iter().filter(|other| other.flag() == flag).collect();
    let kinds: Vec<_> = sharing.iter().map(|key| key.table().replace('_', "-")).collect();
    let default = key.default.filter(|_| sharing.iter().all(|other| other.default == key.default));
    let parts = [
        Some(key.help.to_owned()),
        (!key.range.is_empty()).then(|| format!(", {}", key.range)),
        key.is_of_format().then(|| format!(" ({})", kinds.join(", "))),
        default.filter(|default| !default.is_empty()).map(|default| format!(" [default: {default}]")),
    ];
    let help: String = parts.into_iter().flatten().collect();
    let arg = Arg::new(flag.clone())
        .long(flag.clone())
        .help(help)
        .allow_negative_numbers(key.kind != ValueKind::Flag);
    let arg = match flag.as_str() {
        "piles" => arg.required_unless_present_any(&POSITIONS[1..]),
        "seats" => arg.required(true),
        // A file states it; there is one version.
        "methods" => arg.hide(true),
        _ => arg,
    };
    // What is drawn goes with its range.
    let others = POSITIONS.into_iter().filter(|other| *other != flag);
    let arg = match key.field {
        "positions" | "drawn_positions.count" | "paper_positions" => arg.conflicts_with_all(others),
        _ if key.kind == ValueKind::Range => arg.conflicts_with_all(["piles", "paper-positions"]),
        _ => arg,
    };
    match key.kind {
        ValueKind::Text => arg.value_name("TEXT"),
        ValueKind::Bot => arg.value_name("NAME"),
        ValueKind::Number | ValueKind::Count => {
            arg.value_name(if key.table() == "clock" { "MS" } else { "N" })
        }
        ValueKind::Real | ValueKind::Rate => arg.value_name("X"),
        ValueKind::Word | ValueKind::Format => {
            arg.value_name(flag.to_uppercase()).value_parser(possible_values(key))
        }
        ValueKind::Positions => arg.value_name("N,N,..").action(ArgAction::Append),
        ValueKind::Matrix => arg.value_name("ROW;ROW;.."),
        ValueKind::Range => arg.value_name("MIN,MAX"),
        ValueKind::Flag => arg.action(ArgAction::SetTrue),
    }
}

fn possible_values(key: &SettingKey) -> Vec<PossibleValue> {
    let value = |word: String| PossibleValue::new(word.clone()).alias(word.replace('-', "_"));
    key.words().into_iter().map(value).collect()
}

fn json_of_words(kind: ValueKind, words: &[String]) -> Value {
    let word = words.last().map(String::as_str).unwrap_or_default();
    match kind {
        ValueKind::Positions => words.iter().map(|word| json_of_numbers(word)).collect(),
        ValueKind::Matrix => word.split(';').map(json_of_numbers).collect(),
        ValueKind::Range => json_of_numbers(word),
        ValueKind::Text | ValueKind::Bot | ValueKind::Word | ValueKind::Format => word.into(),
        ValueKind::Number | ValueKind::Count | ValueKind::Real | ValueKind::Rate | ValueKind::Flag => {
            json_of_word(word)
        }
    }
}

/// Reads numbers with commas or blanks between them.
fn json_of_numbers(text: &str) -> Value {
    let words = text.split(|char: char| char == ',' || char.is_whitespace()).filter(|word| !word.is_empty());
    words.map(json_of_word).collect()
}

/// Reads a number or a truth value; what is neither is a text, which is refused by its name.
fn json_of_word(word: &str) -> Value {
    let number = word.parse::<u64>().map(Value::from);
    number.or_else(|_| serde_json::from_str(word)).unwrap_or_else(|_| word.into())
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
    fn what_is_not_given_is_the_servers_default() {
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
        let clock = settings("--piles 3 --initial-ms 500").unwrap().clock;
        let usual = pb::Clock::from(&lastnim_core::referee::Clock::default());
        assert_eq!(clock, Some(pb::Clock { initial_ms: 500, ..usual }));
        let drawn = settings("--draw-positions 5 --draw-piles 3,9").unwrap().other_positions;
        let (count, min_piles, max_piles, min_counters, max_counters) = (5, 3, 9, 1, 5);
        let expected = pb::DrawnPositions { count, min_piles, max_piles, min_counters, max_counters };
        assert_eq!(drawn, Some(OtherPositions::DrawnPositions(expected)));
    }

    #[test]
    fn a_matrix_is_given() {
        let made = settings("--piles 3 --matrix 0,1;1,0 --scoring win --ending last_mover_wins").unwrap();
        assert_eq!((made.alliance(), made.scoring()), (pb::AllianceMode::Given, pb::Scoring::Win));
        assert_eq!(made.ending(), pb::Ending::LastMoverWins);
        assert_eq!(made.alliance_matrix.unwrap().rows[1].offsets, [1, 0]);
    }

    #[test]
    fn flags_make_formats() {
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
        let words = "--format sprt --candidate new --baseline old --measure points --effect-none -0.1 --effect-some 0.1 --groups 500";
        assert_eq!(format(words), Ok(Some(Format::Sprt(sprt))));
    }

    #[test]
    fn flags_that_do_not_fit_are_named() {
        let refused = |words: &str| format(words).unwrap_err();
        assert_eq!(refused("--rounds 5"), "--rounds: it is not for the format round-robin");
        assert_eq!(refused("--format swiss"), "the format swiss needs --rounds");
        assert_eq!(refused("--format gauntlet"), "the format gauntlet needs --bot");
        assert_eq!(refused("--strikes 0"), "--strikes: 0 is not a whole number from 1 to 100");
        let rate = "--format sprt --candidate a --baseline b --effect-some 1 --groups 9 --alpha";
        assert_eq!(refused(&format!("{rate} 0")), "--alpha: 0 is not a number from 0.0001 to 0.5");
        assert_eq!(refused(&format!("{rate} nan")), "--alpha: \"nan\" is not a number");
        assert!(refused("--draw-counters 1,2").contains("cannot be used with"));
        assert!(refused("--paper-positions").contains("cannot be used with"));
        assert_eq!(settings("--piles 3,x").unwrap_err(), "--piles: \"x\" is not a whole number");
        assert!(settings("--title x").unwrap_err().contains("--piles"));
    }
}
