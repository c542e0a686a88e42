//! One setting of a tournament.

use super::format_words;
use crate::{json::field_words, pb};
use lastnim_core::game::find_closest_word;
use lastnim_tournament::FormatProfile;
use serde_json::{Value, json};

/// A setting of a tournament.
#[derive(Debug, PartialEq, Eq)]
pub struct TournamentSetting {
    /// The path of its field in [`pb::TournamentSettings`]; a range has two fields, `min_` and `max_`.
    pub field: &'static str,
    /// How it is given.
    pub kind: ValueKind,
    /// What it is called beside others of its kind, as in a form.
    pub label: &'static str,
    /// What may be given, such as `1 to 100`; empty where that is plain.
    pub range: &'static str,
    /// What holds where it is left out; none if it is needed.
    pub default: Option<&'static str>,
    /// What a form suggests where that is not its default.
    pub suggestion: &'static str,
    /// What it is.
    pub help: &'static str,
    /// What a report says of it, with `{}` for the value, behind other settings in the same line. If one reads differently, it stands first: `{} match|{} matches`.
    pub phrase: &'static str,
}

/// How a setting is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// A text.
    Text,
    /// The name of a bot that plays.
    Bot,
    /// A whole number.
    Number,
    /// A whole number from 1 on: the protocol reads 0 as "not given".
    Count,
    /// A number.
    Real,
    /// A number that is not 0, which the protocol reads as "not given".
    Rate,
    /// A word of an enumeration.
    Word,
    /// A format, which has a table of its own.
    Format,
    /// The counters of the piles of each position.
    Positions,
    /// The offsets of each seat's row.
    Matrix,
    /// The least and the most of a number.
    Range,
    /// Something that is so, or not said.
    Flag,
}

impl ValueKind {
    /// Returns the member of the messages in a list of lists.
    fn list_member(self) -> &'static str {
        if self == Self::Positions { "counters" } else { "offsets" }
    }
}

impl TournamentSetting {
    /// Returns the message that its field is in, by the path; empty for the settings themselves.
    pub fn table(&self) -> &'static str {
        self.field.rsplit_once('.').map_or("", |(table, _)| table)
    }

    /// Returns the name of its field.
    pub fn name(&self) -> &'static str {
        self.field.rsplit('.').next().unwrap_or_default()
    }

    /// Returns its table in the file of a tournament and its name there; none if it has no place there. A matrix stands in the
    /// place of the word for how rows come about.
    pub fn file_place(&self) -> Option<(&'static str, &'static str)> {
        match self.field {
            "start_at" => None,
            "alliance_matrix.rows" => Some(("", "alliance")),
            "format" => Some(("format", "kind")),
            "positions" => Some(("positions", "list")),
            "paper_positions" => Some(("positions", "paper")),
            _ if self.table() == "drawn_positions" => Some(("positions.drawn", self.name())),
            _ if self.format().is_some() => Some(("format", self.name())),
            _ => Some((self.table(), self.name())),
        }
    }

    /// Returns its flag, without the dashes in front. Formats share flags.
    pub fn flag(&self) -> String {
        match self.field {
            "positions" => "piles".to_owned(),
            "alliance_matrix.rows" => "matrix".to_owned(),
            "drawn_positions.count" => "draw-positions".to_owned(),
            _ if self.table() == "drawn_positions" => format!("draw-{}", self.name()),
            _ if self.table() == "retention" => format!("keep-{}", self.name()),
            _ => self.name().replace('_', "-"),
        }
    }

    /// Returns the line of a report in which it stands, with others.
    pub fn fact(&self) -> String {
        match (self.field, self.table()) {
            ("positions" | "paper_positions", _) | (_, "drawn_positions") => "positions".to_owned(),
            ("alliance", _) | (_, "alliance_matrix") => "rows".to_owned(),
            ("concurrency" | "bot_concurrency", _) => "at once".to_owned(),
            ("start_at", _) => "starts".to_owned(),
            (_, "retention") => "records".to_owned(),
            (_, "clock") => "clock".to_owned(),
            _ if self.format().is_some() => "format".to_owned(),
            _ => self.name().replace('_', " "),
        }
    }

    /// Returns the format that it belongs to, if it is about one.
    pub fn format(&self) -> Option<&'static FormatProfile> {
        FormatProfile::ALL.into_iter().find(|profile| profile.name == self.table())
    }

    /// Returns the words that may stand for it, if only some may.
    pub fn words(&self) -> Vec<String> {
        if self.kind == ValueKind::Format {
            return format_words();
        }
        let words = field_words::<pb::TournamentSettings>(self.field).into_iter();
        words.filter(|word| word != "unspecified").map(|word| word.replace('_', "-")).collect()
    }

    /// Reads what is typed, in a flag or in a form, as what may stand in a file. What is no number is a text, which is refused by its name.
    pub fn value_of_texts<T: AsRef<str>>(&self, texts: &[T]) -> Value {
        let text = texts.last().map(AsRef::as_ref).unwrap_or_default();
        match self.kind {
            ValueKind::Positions => texts.iter().map(|text| read_numbers(text.as_ref())).collect(),
            ValueKind::Matrix => {
                texts.iter().flat_map(|text| text.as_ref().split(';')).map(read_numbers).collect()
            }
            ValueKind::Range => read_numbers(text),
            ValueKind::Text | ValueKind::Bot | ValueKind::Word | ValueKind::Format => text.into(),
            ValueKind::Number | ValueKind::Count | ValueKind::Real | ValueKind::Rate | ValueKind::Flag => {
                read_number(text)
            }
        }
    }

    /// Makes the JSON of the fields of [`pb::TournamentSettings`] from what a file or a flag says.
    ///
    /// # Errors
    /// Names the offending value, and says what would be right.
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
                _ => Err(format!("{given} is not two whole numbers, the fewest and the most, such as 2, 4")),
            },
            ValueKind::Flag if given != true => Err(format!("{given}: it is true, or left out")),
            ValueKind::Flag => Ok(json!({})),
            ValueKind::Number => Ok(number_of_text(given).unwrap_or_else(|| given.clone())),
            _ => Ok(given.clone()),
        }
    }

    /// Returns what [`pb::TournamentSettings`], as JSON, have of it: what may stand in a file, but for the words of the protocol and
    /// numbers that TOML does not hold. None if they leave it out.
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
            ValueKind::Flag => pointer(self.field).map(|_| true.into()),
            ValueKind::Word => pointer(self.field).filter(|word| *word != "unspecified").cloned(),
            ValueKind::Count | ValueKind::Rate => {
                pointer(self.field).filter(|number| number.as_f64() != Some(0.0)).cloned()
            }
            ValueKind::Text | ValueKind::Bot | ValueKind::Number | ValueKind::Real => {
                pointer(self.field).cloned()
            }
        }
    }

    /// Returns what stands for it in JSON where it is left out.
    pub fn default_value(&self) -> Option<Value> {
        let default = self.default?;
        match self.kind {
            ValueKind::Text => Some(default.into()),
            ValueKind::Range => serde_json::from_str(&format!("[{default}]")).ok(),
            _ => serde_json::from_str(&default.replace(',', "")).ok(),
        }
    }
}

/// Reads a number that TOML does not hold: its whole numbers end at 2^63 - 1, and a greater one stands in quotes.
fn number_of_text(given: &Value) -> Option<Value> {
    let number = given.as_str()?.parse::<u64>().ok()?;
    i64::try_from(number).is_err().then(|| number.into())
}

/// Reads numbers with commas or blanks between them.
fn read_numbers(text: &str) -> Value {
    let words = text.split(|char: char| char == ',' || char.is_whitespace()).filter(|word| !word.is_empty());
    words.map(read_number).collect()
}

/// Reads a number or a truth value; what is neither is a text.
fn read_number(word: &str) -> Value {
    let number = word.parse::<u64>().map(Value::from);
    number.or_else(|_| serde_json::from_str(word)).unwrap_or_else(|_| word.into())
}
