//! One setting of a tournament.

use super::format_names;
use crate::{
    json::enum_value_names,
    pb,
    record_text::{Utc, UtcError},
};
use lastnim_core::{
    duration_text::{duration_text, parse_duration},
    game::find_closest_word,
};
use lastnim_tournament::FormatProfile;
use serde_json::{Value, json};
use std::time::Duration;

/// A setting of a tournament.
#[derive(Debug, PartialEq, Eq)]
pub struct TournamentSetting {
    /// The path of its field in [`pb::TournamentSettings`]; a range sets two fields, whose names begin
    /// with `min_` and `max_`, and a clock also sets two.
    pub field: &'static str,
    /// The type of its value.
    pub kind: ValueKind,
    /// Its label in a form.
    pub label: &'static str,
    /// The valid values, such as `1 to 100`; empty if they are clear from the kind.
    pub range: &'static str,
    /// The value that is used if the setting is left out; `None` if it is required.
    pub default: Option<&'static str>,
    /// The value that a form suggests instead of the default.
    pub suggestion: &'static str,
    /// The description of the setting.
    pub help: &'static str,
    /// Its phrase in a report, with `{}` for the value. The phrase may continue a line that begins with other settings.
    /// A bar separates singular and plural, as in `{} match|{} matches`.
    pub phrase: &'static str,
}

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// Any text.
    Text,
    /// The name of a bot that plays.
    Bot,
    /// Names of bots, or beginnings of names with a star.
    Names,
    /// A whole number.
    Number,
    /// A whole number, at least 1, because the protocol reads 0 as "not given".
    Count,
    /// Any number, including fractions.
    Real,
    /// A number other than 0, which the protocol reads as "not given".
    Rate,
    /// A value of an enumeration, given by its name.
    Word,
    /// A format, which has its own table.
    Format,
    /// The counters in each pile of each position.
    Positions,
    /// The offsets of rows.
    Matrix,
    /// The minimum and the maximum of a number.
    Range,
    /// A duration in milliseconds, written with units.
    Duration,
    /// A point in time, written as RFC 3339 with an offset from UTC.
    Time,
    /// A bank and an increment, such as `10s+100ms`, which are two fields of the clock.
    Clock,
    /// `true`, or left out.
    Flag,
    /// `true` or `false`, which is the default.
    Switch,
}

impl ValueKind {
    /// Returns the name of the message member that contains the numbers of one inner list.
    fn list_member(self) -> &'static str {
        if self == Self::Positions { "counters" } else { "offsets" }
    }
}

impl TournamentSetting {
    /// Returns the path of the message that contains the setting's field; empty for the message of all settings.
    pub fn table(&self) -> &'static str {
        self.field.rsplit_once('.').map_or("", |(table, _)| table)
    }

    /// Returns the name of its field.
    pub fn name(&self) -> &'static str {
        self.field.rsplit('.').next().unwrap_or_default()
    }

    /// Returns its table and its name in a tournament file; `None` if a file cannot set it. In files, the value of
    /// `alliance` or `deal` is either a word or rows.
    pub fn file_key(&self) -> Option<(&'static str, &'static str)> {
        match self.field {
            "start_when" | "start_at_us" | "entries_close_at_us" => None,
            "alliance_matrix.rows" => Some(("", "alliance")),
            "deal_rows" => Some(("", "deal")),
            "format" => Some(("format", "kind")),
            "positions" => Some(("positions", "list")),
            "paper_positions" => Some(("positions", "paper")),
            _ if self.table() == "drawn_positions" => Some(("positions.drawn", self.name())),
            _ if self.table() == "clock" => Some(("", self.clock_key())),
            "talk.round_ms" => Some(("talk", "round_time")),
            _ if self.format().is_some() => Some(("format", self.name())),
            _ => Some((self.table(), self.name())),
        }
    }

    /// Returns its command-line flag without the dashes. Settings of different formats can have the same flag.
    pub fn flag(&self) -> String {
        match self.field {
            "positions" => "piles".to_owned(),
            "alliance_matrix.rows" => "matrix".to_owned(),
            "drawn_positions.count" => "draw-positions".to_owned(),
            _ if self.table() == "drawn_positions" => format!("draw-{}", self.name()),
            _ if self.table() == "retention" => format!("keep-{}", self.name()),
            _ if self.table() == "clock" => self.clock_key().replace('_', "-"),
            "talk.round_ms" => "talk-round-time".to_owned(),
            _ if self.table() == "talk" => format!("talk-{}", self.name().replace('_', "-")),
            _ => self.name().trim_end_matches("_us").replace('_', "-"),
        }
    }

    /// Returns the name that files and flags use for a part of the clock.
    fn clock_key(&self) -> &'static str {
        match self.name() {
            "declaration_ms" => "declare_within",
            name => name.trim_end_matches("_ms"),
        }
    }

    /// Returns the label of the line in a report that shows the setting.
    pub fn fact_label(&self) -> String {
        match (self.field, self.table()) {
            ("positions" | "paper_positions", _) | (_, "drawn_positions") => "positions".to_owned(),
            ("alliance" | "deal" | "deal_rows", _) | (_, "alliance_matrix") => "wants".to_owned(),
            ("ending", _) => "who wins".to_owned(),
            ("max_plies", _) => "most takes".to_owned(),
            ("concurrency" | "bot_concurrency", _) => "at once".to_owned(),
            ("start_when" | "start_at_us", _) => "starts".to_owned(),
            ("entries_close_at_us", _) => "entries".to_owned(),
            (_, "retention") => "records".to_owned(),
            (_, "talk") => "talk".to_owned(),
            ("clock", _) | (_, "clock") => "clock".to_owned(),
            _ if self.format().is_some() => "format".to_owned(),
            _ => self.name().replace('_', " "),
        }
    }

    /// Returns the format that it belongs to, if any.
    pub fn format(&self) -> Option<&'static FormatProfile> {
        FormatProfile::ALL.into_iter().find(|profile| profile.name == self.table())
    }

    /// Returns the words that are valid values, if the setting has a fixed set of them.
    pub fn words(&self) -> Vec<String> {
        if self.kind == ValueKind::Format {
            return format_names();
        }
        let words = enum_value_names::<pb::TournamentSettings>(self.field).into_iter();
        words.filter(|word| word != "unspecified").map(|word| word.replace('_', "-")).collect()
    }

    /// Converts text from a flag or a form to the value that a tournament file would have. If the text should be a
    /// number and is not, it remains a string, which is refused later.
    pub fn value_of_texts<T: AsRef<str>>(&self, texts: &[T]) -> Value {
        let text = texts.last().map(AsRef::as_ref).unwrap_or_default();
        match self.kind {
            ValueKind::Positions => texts.iter().map(|text| read_numbers(text.as_ref())).collect(),
            ValueKind::Matrix => {
                texts.iter().flat_map(|text| text.as_ref().split(';')).map(read_numbers).collect()
            }
            ValueKind::Range => read_numbers(text),
            ValueKind::Names => split_words(text).map(Value::from).collect(),
            ValueKind::Text
            | ValueKind::Bot
            | ValueKind::Word
            | ValueKind::Format
            | ValueKind::Duration
            | ValueKind::Time
            | ValueKind::Clock => text.into(),
            ValueKind::Number
            | ValueKind::Count
            | ValueKind::Real
            | ValueKind::Rate
            | ValueKind::Flag
            | ValueKind::Switch => read_number(text),
        }
    }

    /// Converts a value from a file or flag to the JSON of its fields in [`pb::TournamentSettings`].
    ///
    /// # Errors
    /// If the value is invalid. The error quotes it and says which values are valid.
    pub(super) fn message_value(&self, given: &Value) -> Result<Value, String> {
        let range = self.range;
        match self.kind {
            ValueKind::Count if given.as_f64() == Some(0.0) => {
                Err(format!("{given} is not a whole number from {range}"))
            }
            ValueKind::Rate if given.as_f64() == Some(0.0) => {
                Err(format!("{given} is not a number from {range}"))
            }
            ValueKind::Word | ValueKind::Format => {
                let words = self.words();
                let word = given.as_str().map(|word| word.replace('_', "-"));
                let known = word.filter(|word| words.contains(word));
                let known = known.map(|word| word.replace('-', "_").into());
                let meant = || find_closest_word(given.as_str()?, words.iter().map(String::as_str));
                known.ok_or_else(|| {
                    let meant = meant().map(|word| format!("did you mean {word:?}? ")).unwrap_or_default();
                    format!("{given}: {meant}expected one of {}", words.join(", "))
                })
            }
            ValueKind::Positions | ValueKind::Matrix => {
                let member = self.kind.list_member();
                let lists = given.as_array().map(|lists| lists.iter().map(|list| json!({ member: list })));
                let example = "a list of lists of whole numbers, such as [[3, 4, 5], [2, 2]]";
                lists.map(Iterator::collect).ok_or_else(|| format!("{given} is not {example}"))
            }
            ValueKind::Range => match given.as_array().map(Vec::as_slice) {
                Some([least, most]) => {
                    let name = self.name();
                    Ok(json!({ format!("min_{name}"): least, format!("max_{name}"): most }))
                }
                _ => Err(format!(
                    "{given}: expected two whole numbers, the minimum and the maximum, such as 2, 4"
                )),
            },
            ValueKind::Duration => Ok(parse_millis(&text_of(given))?.into()),
            ValueKind::Time => {
                let Utc(micros) = text_of(given).parse().map_err(|error: UtcError| error.to_string())?;
                Ok(micros.into())
            }
            ValueKind::Clock => {
                let text = text_of(given);
                let (bank, increment) = text.split_once('+').unwrap_or((&text, "0s"));
                let parts = parse_millis(bank).ok().zip(parse_millis(increment).ok());
                let (bank, increment) = parts.ok_or_else(|| {
                    format!("{text:?} is not a time and an increment with units, such as 10s+100ms")
                })?;
                Ok(json!({ "initial_ms": bank, "increment_ms": increment }))
            }
            ValueKind::Flag if given != true => {
                Err(format!("{given}: expected true; to turn this setting off, leave it out"))
            }
            ValueKind::Flag => Ok(json!({})),
            ValueKind::Switch if !given.is_boolean() => Err(format!("{given}: expected true or false")),
            ValueKind::Number => Ok(number_of_text(given).unwrap_or_else(|| given.clone())),
            _ => Ok(given.clone()),
        }
    }

    /// Returns its value in `settings`, the JSON of a [`pb::TournamentSettings`]; `None` if the setting is left out.
    ///
    /// The value is valid in a tournament file, except for words, which are spelled as in the protocol, and for numbers
    /// beyond TOML's range.
    pub fn value_in(&self, settings: &Value) -> Option<Value> {
        let pointer = |field: &str| settings.pointer(&format!("/{}", field.replace('.', "/")));
        match self.kind {
            ValueKind::Format => {
                let given =
                    FormatProfile::ALL.into_iter().find(|profile| settings.get(profile.name).is_some());
                Some(given.unwrap_or(FormatProfile::ROUND_ROBIN).name.into())
            }
            ValueKind::Range => {
                let end = |end: &str| pointer(&format!("{}.{end}_{}", self.table(), self.name())).cloned();
                Some(json!([end("min")?, end("max")?]))
            }
            ValueKind::Positions | ValueKind::Matrix => {
                let lists = pointer(self.field)?.as_array().filter(|lists| !lists.is_empty())?;
                Some(lists.iter().map(|list| list[self.kind.list_member()].clone()).collect())
            }
            ValueKind::Names => pointer(self.field).filter(|names| **names != json!([])).cloned(),
            ValueKind::Flag => pointer(self.field).map(|_| true.into()),
            ValueKind::Switch => pointer(self.field).filter(|on| **on == true).cloned(),
            ValueKind::Word => pointer(self.field).filter(|word| *word != "unspecified").cloned(),
            ValueKind::Duration => Some(millis_text(pointer(self.field)?)?.into()),
            ValueKind::Time => {
                let micros = pointer(self.field)?.as_u64().filter(|micros| *micros > 0)?;
                Some(Utc(micros).to_string().replace(".000000", "").into())
            }
            ValueKind::Clock => {
                let [bank, increment] = ["initial_ms", "increment_ms"]
                    .map(|part| millis_text(pointer(&format!("{}.{part}", self.field))?));
                Some(format!("{}+{}", bank?, increment?).into())
            }
            ValueKind::Count | ValueKind::Rate => {
                pointer(self.field).filter(|number| number.as_f64() != Some(0.0)).cloned()
            }
            ValueKind::Text | ValueKind::Bot | ValueKind::Number | ValueKind::Real => {
                pointer(self.field).cloned()
            }
        }
    }

    /// Returns its default as JSON.
    pub fn default_value(&self) -> Option<Value> {
        let default = self.default?;
        match self.kind {
            ValueKind::Text | ValueKind::Clock => Some(default.into()),
            ValueKind::Duration => parse_millis(default).is_ok().then(|| default.into()),
            ValueKind::Range => serde_json::from_str(&format!("[{default}]")).ok(),
            _ => serde_json::from_str(&default.replace(',', "")).ok(),
        }
    }
}

/// Returns a string without quotes, and any other value as JSON.
fn text_of(given: &Value) -> String {
    given.as_str().map_or_else(|| given.to_string(), str::to_owned)
}

/// Reads a duration in milliseconds.
fn parse_millis(text: &str) -> Result<u64, String> {
    let duration = parse_duration(text).map_err(|error| error.to_string())?;
    Ok(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

/// Writes a number of milliseconds as a duration.
fn millis_text(millis: &Value) -> Option<String> {
    Some(duration_text(Duration::from_millis(millis.as_u64()?)))
}

/// Reads a number in quotes if it is above 2^63 - 1, the largest whole number of TOML. Smaller numbers need no quotes.
fn number_of_text(given: &Value) -> Option<Value> {
    let number = given.as_str()?.parse::<u64>().ok()?;
    i64::try_from(number).is_err().then(|| number.into())
}

/// Reads numbers that are separated by commas or blanks.
fn read_numbers(text: &str) -> Value {
    split_words(text).map(read_number).collect()
}

/// Splits a text at commas and blanks.
fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| char == ',' || char.is_whitespace()).filter(|word| !word.is_empty())
}

/// Reads a number or a boolean; anything else is a string.
fn read_number(word: &str) -> Value {
    let number = word.parse::<u64>().map(Value::from);
    number.or_else(|_| serde_json::from_str(word)).unwrap_or_else(|_| word.into())
}
