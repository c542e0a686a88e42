//! The table of all settings of a tournament.

use super::{TournamentSetting, ValueKind};
use lastnim_tournament::FormatProfile;

/// A section of settings that belong together.
#[derive(Debug, PartialEq, Eq)]
pub struct SettingSection {
    /// The heading of the section.
    pub legend: &'static str,
    /// The condition under which the settings apply.
    pub condition: SectionCondition,
    /// The settings.
    pub settings: &'static [TournamentSetting],
}

/// The condition under which the settings of a section apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionCondition {
    /// They apply to every tournament.
    Always,
    /// They apply to every tournament, but are rarely changed.
    RarelyChanged,
    /// They apply to tournaments of this format.
    Format(&'static FormatProfile),
    /// They apply if the positions are given by this field of the message.
    PositionSource(&'static str),
}

use SectionCondition::{Always, Format, PositionSource, RarelyChanged};

/// Expands to the default of a setting and the value that a form suggests.
macro_rules! default {
    (needed $suggestion:literal) => {
        (None::<&str>, $suggestion)
    };
    ($default:literal) => {
        (Some($default), "")
    };
    ($default:literal suggest $suggestion:literal) => {
        (Some($default), $suggestion)
    };
}

macro_rules! sections {
    ($($legend:literal, $condition:expr => {
        $($field:literal $kind:ident $label:literal $range:literal, [$($default:tt)+], $help:literal, $phrase:literal;)+
    })+) => {
        &[$(SettingSection {
            legend: $legend,
            condition: $condition,
            settings: &[$(TournamentSetting {
                field: $field,
                kind: ValueKind::$kind,
                label: $label,
                range: $range,
                default: default!($($default)+).0,
                suggestion: default!($($default)+).1,
                help: $help,
                phrase: $phrase,
            },)+],
        },)+]
    };
}

/// All settings. Each line states the field, kind, label, range, default, help and report phrase of one setting.
pub const SETTING_SECTIONS: &[SettingSection] = sections! {
    "Tournament", Always => {
        "title" Text "Title" "1 to 100 characters", ["Last Nim"], "The title", "{}";
        "seats" Number "Seats" "2 to 32", [needed "3"], "Seats per match", "{}";
        "start_when" Count "Starts with" "`seats` to 10,000", ["it waits until somebody starts it"],
            "Starts when this many bots have joined", "automatically with {} bots";
        "start_at_us" Time "Starts at" "such as 2027-01-31T18:00:00+01:00", ["no time starts it"],
            "Starts at this time, or later when enough bots have joined", " or automatically at {}";
        "entries_close_at_us" Time "Entries close at" "such as 2027-01-31T17:30:00+01:00", ["at the start, or never in a ladder"],
            "The time after which no bot can enter", "close at {}";
        "allow" Names "Allowed bots" "up to 1,000 names, or beginnings such as team-*", ["every bot"],
            "The bots that can enter", "{}";
        "format" Format "Format" "", ["round-robin"], "Which bots play against each other", "{}";
    }
    "Round robin", Format(FormatProfile::ROUND_ROBIN) => {
        "round_robin.groups" Count "Duplicate groups" "1 to 10,000,000", ["all sets of bots on every position"],
            "Duplicate groups: a balanced sample of all sets of bots", ", balanced sample, {} group|, balanced sample, {} groups";
    }
    "Gauntlet", Format(FormatProfile::GAUNTLET) => {
        "gauntlet.bot" Bot "Bot" "", [needed ""], "The bot that sits at every table", " of {}";
        "gauntlet.groups" Count "Duplicate groups" "1 to 10,000,000",
            ["on every position, each opponent sits at one table less than `seats`"],
            "Duplicate groups in total", ", {} group|, {} groups";
    }
    "Swiss", Format(FormatProfile::SWISS) => {
        "swiss.rounds" Count "Rounds" "1 to 1,000", [needed "5"], "Rounds", ", {} round|, {} rounds";
        "swiss.table_groups" Count "Groups per table" "1 to 1,000", ["1"],
            "Duplicate groups per table and round", ", {} group per table|, {} groups per table";
    }
    "Knockout", Format(FormatProfile::KNOCKOUT) => {
        "knockout.advance" Count "Advance" "1 to `seats` - 1", ["1"], "Bots per table that advance",
            ", {} per table advances|, {} per table advance";
        "knockout.table_groups" Count "Groups per table" "1 to 1,000", ["1"],
            "Duplicate groups per table and round", ", {} group per table|, {} groups per table";
    }
    "Ladder", Format(FormatProfile::LADDER) => {
        "ladder.groups" Count "Duplicate groups" "1 to 10,000,000", ["it runs until it is stopped"],
            "Duplicate groups in total", ", {} group|, {} groups";
        "ladder.table_groups" Count "Groups per table" "1 to 1,000", ["1"],
            "Duplicate groups per table and round", ", {} group per table|, {} groups per table";
        "ladder.suspend_after" Count "Suspends after" "1 to 1,000", ["5"],
            "Suspends a bot after this many lost seats in a row",
            ", suspends after {} lost seat|, suspends after {} lost seats in a row";
        "ladder.pairing" Word "Pairing" "", ["by-turns"],
            "Who plays next: always the bot with the least certain rating, or alternately the longest-waiting one", ", paired {}";
    }
    "Sequential test", Format(FormatProfile::SPRT) => {
        "sprt.candidate" Bot "Candidate" "", [needed ""], "The bot that may be better", ": is {}";
        "sprt.baseline" Bot "Baseline" "", [needed ""], "The bot that the candidate is compared with", " better than {}";
        "sprt.measure" Word "Measure" "", ["regret"], "What counts as better: fewer places lost by a bot's own errors, or more points",
            ", by {}";
        "sprt.effect_some" Real "Better" "above `effect_none`, up to 31", [needed ""],
            "The smallest gain per match that counts as better", ", with a gain of {} or more per match";
        "sprt.effect_none" Real "No better" "-31 to 31", ["0"], "The largest gain per match that counts as no better", ", rather than {} or less";
        "sprt.alpha" Rate "Alpha" "0.0001 to 0.5", ["0.05"], "The probability of calling a candidate better when it is not",
            "; alpha {}";
        "sprt.beta" Rate "Beta" "0.0001 to 0.5", ["0.05"], "The probability of calling a candidate no better when it is",
            ", beta {}";
        "sprt.groups" Count "Duplicate groups" "1 to 10,000,000", [needed "1000"],
            "Duplicate groups after which the test ends undecided", "; at most {} group|; at most {} groups";
    }
    "Listed positions", PositionSource("positions") => {
        "positions" Positions "Piles" "1 to 1,000 positions", ["" suggest "3 4 5"],
            "The counters in each pile; the last pile is played first", "{}";
    }
    "Drawn positions", PositionSource("drawn_positions") => {
        "drawn_positions.count" Count "How many" "1 to 1,000", [needed "20"], "How many positions are drawn from the seed", "{} drawn";
        "drawn_positions.piles" Range "Piles" "1 to 1,024", ["2, 4"], "Minimum and maximum piles in drawn positions",
            ", of {} piles";
        "drawn_positions.counters" Range "Counters" "1 to 2^63 - 1", ["1, 5"],
            "Minimum and maximum counters in a drawn pile", " of {} counters";
    }
    "The paper's positions", PositionSource("paper_positions") => {
        "paper_positions" Flag "" "", [""], "The 12 positions of the paper's tables", "the paper's";
    }
    "Rules and scoring", RarelyChanged => {
        "ending" Word "Who wins" "", ["to-move-wins"], "Who wins when no counter is left", "{}";
        "alliance" Word "What the seats want" "", ["standard for two seats, declared for more; given with a matrix"],
            "What the seats want: declared, standard, drawn from the seed, given, or dealt and declared", "{}";
        "alliance_matrix.rows" Matrix "Wants" "as offsets from the seat", [""],
            "What each seat wants, with the most preferred winner first", ": {}";
        "deal" Word "What is dealt" "", ["all, if preference orders are dealt"],
            "Which preference orders are dealt: all, those that put the seat itself first, or those of a list", ", from {}";
        "deal_rows" Matrix "Orders to deal" "1 to 1,000 rows of offsets", [""],
            "The preference orders that are dealt, most preferred winner first", ", from {}";
        "scoring" Word "Scoring" "",
            ["win if seats declare what they want, and for two seats with standard wants; otherwise satisfaction"],
            "A seat's points: 1 if it wins and 0 if not, or how well the winner suits it, from 0 to 1", "{}";
        "oracle" Word "Oracle" "", ["open"],
            "Whether bots may use the oracle during the tournament; closed also withholds audits and practice", "{}";
        "seed" Number "Seed" "0 to 2^64 - 1", ["0"], "The seed of all random choices", "{}";
        "strikes" Count "Strikes" "1 to 100", ["3"], "Refused takes, called strikes, after which a seat is forfeited", "{}";
        "max_plies" Count "Most takes" "1 to 65,536", ["10,000"], "Takes after which the oracle decides the match", "{}";
        "methods" Count "Methods" "3", ["3"], "The version of the pairing, rating and judging methods", "version {}";
    }
    "Clocks", RarelyChanged => {
        "clock" Clock "Time" "1ms to 1d, and 0s to 1h a take", ["10s+100ms"],
            "Every seat's time for its takes, and what each take adds", "{}";
        "clock.declaration_ms" Duration "Time to declare" "1ms to 1h", ["10s"], "How long a seat has to declare what it wants",
            "; {} to declare";
        "clock.return_within_ms" Duration "Time to return" "1ms to 1d", ["its whole clock"],
            "How long a bot that is to move may be disconnected before its seat is forfeited", "; {} to return when disconnected";
        "clock.lag_quota_ms" Duration "Lag per take" "0s to 10s", ["100ms"], "Maximum network delay given back per take",
            "; network delay given back: up to {} per take";
        "clock.lag_total_ms" Duration "Lag in total" "0s to 10m", ["10s"], "Maximum network delay given back per seat and match",
            ", {} in total";
    }
    "Talk before the seats declare what they want", RarelyChanged => {
        "talk.rounds" Count "Rounds of talk" "1 to 4", ["seats do not talk"],
            "Rounds of talk before the seats declare what they want", "{} round|{} rounds";
        "talk.round_ms" Duration "Round time" "1ms to 1h", ["1m"], "Maximum length of a round of talk", " of at most {}";
        "talk.text_chars" Count "Text length" "1 to 1,000", ["500"], "Maximum characters of a text",
            ", texts of at most {} character|, texts of at most {} characters";
        "talk.privacy" Word "Messages to some seats" "", ["private"],
            "Whether seats may send private messages, and whether these are published at the end",
            "; {}";
        "talk.pacts" Switch "Pacts" "", ["false"],
            "Whether seats can sign pacts, which need 2 rounds and at most 8 seats", "; with pacts";
    }
    "Matches at once, and how long records are kept", RarelyChanged => {
        "concurrency" Count "Matches at once" "1 to 10,000", ["64"], "Matches at once", "{} match|{} matches";
        "bot_concurrency" Count "Matches per bot" "1 to 10,000", ["no limit"], "Matches that a bot plays at once", ", {} per bot";
        "retention.matches" Count "Records kept" "1 to 10,000,000", ["no limit"],
            "How many of the newest finished matches keep their records", "of the newest {} match|of the newest {} matches";
        "retention.days" Count "Days kept" "1 to 36,500", ["no limit"],
            "For how many days finished matches keep their records", " and of the last {} day| and of the last {} days";
    }
};

/// Returns all settings, in the order of the table.
pub fn all_settings() -> impl Iterator<Item = &'static TournamentSetting> {
    SETTING_SECTIONS.iter().flat_map(|section| section.settings)
}

/// Returns the settings that are fields of the message at the path `table`.
pub fn settings_of_table(table: &str) -> impl Iterator<Item = &'static TournamentSetting> {
    all_settings().filter(move |setting| setting.table() == table)
}

/// Returns the names of the tables of a tournament file, in order. The empty name stands for the top level.
pub fn file_tables() -> Vec<&'static str> {
    let mut tables = Vec::new();
    for (table, _) in all_settings().filter_map(TournamentSetting::file_key) {
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    tables
}

/// Returns the names of the formats.
pub fn format_names() -> Vec<String> {
    FormatProfile::ALL.map(FormatProfile::hyphenated_name).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        json::{message_descriptor, message_from_json, message_to_json},
        parse_request, pb,
        tournament::{parse_settings_and_terms, settings_message},
    };
    use prost_reflect::MessageDescriptor;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    /// Returns the paths of a message's leaf fields: those that contain no other fields.
    fn leaf_fields(message: &MessageDescriptor, path: &str) -> Vec<String> {
        let leaves = message.fields().flat_map(|field| {
            let path = format!("{path}{}", field.name());
            match field.kind().as_message() {
                Some(inner) if !field.is_list() && inner.fields().len() > 0 => {
                    leaf_fields(inner, &format!("{path}."))
                }
                _ => vec![path],
            }
        });
        leaves.collect()
    }

    #[test]
    fn every_field_of_the_message_is_a_setting() {
        let message = message_descriptor::<pb::TournamentSettings>();
        let fields: BTreeSet<_> = leaf_fields(&message, "").into_iter().collect();
        let settings = all_settings().filter(|setting| setting.kind != ValueKind::Format);
        let described: BTreeSet<_> = settings
            .flat_map(|setting| match setting.kind {
                ValueKind::Clock => ["initial", "increment"].map(|part| format!("clock.{part}_ms")).to_vec(),
                ValueKind::Range => {
                    ["min", "max"].map(|end| format!("{}.{end}_{}", setting.table(), setting.name())).to_vec()
                }
                _ => vec![setting.field.to_owned()],
            })
            .collect();
        assert_eq!(described, fields);
        let formats = message.oneofs().find(|choice| choice.name() == "format").unwrap();
        let formats: Vec<_> = formats.fields().map(|field| field.name().to_owned()).collect();
        assert_eq!(formats, FormatProfile::ALL.map(|profile| profile.name));
    }

    #[test]
    fn every_setting_of_a_section_applies_when_the_section_does() {
        for section in SETTING_SECTIONS {
            for setting in section.settings {
                let counts = match (section.condition, setting.format()) {
                    (SectionCondition::Format(profile), of) => of == Some(profile),
                    (SectionCondition::PositionSource(source), None) => setting.field.starts_with(source),
                    (_, of) => of.is_none(),
                };
                assert!(counts, "{} in {:?}", setting.field, section.legend);
            }
        }
    }

    #[test]
    fn defaults_agree_with_the_protocol() {
        for profile in FormatProfile::ALL {
            let name = profile.name;
            let mut given = json!({ "title": "x", "seats": 2, "positions": [{ "counters": [1] }], name: {} });
            let needed = settings_of_table(name).filter(|setting| setting.default.is_none());
            for (index, setting) in needed.enumerate() {
                let bot = format!("bot{index}");
                given[name][setting.name()] =
                    if setting.kind == ValueKind::Bot { bot.into() } else { 1.into() };
            }
            let given: pb::TournamentSettings = message_from_json(&given).unwrap();
            let parsed = parse_request(|shown| parse_settings_and_terms(&given, shown.member("settings")));
            let (settings, terms) = parsed.unwrap_or_else(|violations| panic!("{name}: {violations}"));
            let full = message_to_json(&settings_message(&settings, &terms));
            for setting in all_settings().filter(|setting| setting.kind != ValueKind::Text) {
                let Some(value) = setting.value_in(&full) else { continue };
                match (setting.default_value(), setting.default, value) {
                    (Some(Value::Number(default)), _, value) => {
                        assert_eq!(value.as_f64(), default.as_f64(), "{}", setting.field);
                    }
                    (_, Some(default), Value::String(text))
                        if matches!(setting.kind, ValueKind::Duration | ValueKind::Clock) =>
                    {
                        assert_eq!(text, default, "{}", setting.field);
                    }
                    (_, Some(default), Value::String(word)) if setting.kind == ValueKind::Word => {
                        assert!(default.starts_with(&word.replace('_', "-")), "{}: {default}", setting.field);
                    }
                    _ => {}
                }
            }
        }
    }
}
