//! TOML text and the mistakes in it.

use super::FileMistake;
use lastnim_core::game::find_closest_word;
use serde_json::{Map, Value as Json, json};
use std::{collections::HashMap, fmt, ops::Range};
use toml_edit::{Document, Item, Key, TableLike, Value};

/// The maximum number of known keys that the message about an unknown key lists.
const MAX_LISTED_KEYS: usize = 32;

/// A TOML text converted to JSON, with the line of each value by its path, such as `bot[1].name`. It also collects the
/// mistakes in the text.
#[derive(Debug)]
pub struct TomlDocument {
    json: Json,
    lines: HashMap<String, usize>,
    mistakes: Vec<FileMistake>,
}

impl TomlDocument {
    /// Parses TOML text.
    ///
    /// # Errors
    /// The first mistake, if the text is not TOML.
    pub fn parse(text: &str) -> Result<Self, Vec<FileMistake>> {
        let mut lines = LineFinder { text, lines: HashMap::new() };
        match Document::parse(text) {
            Ok(document) => {
                let json = lines.read_table(document.as_table(), "");
                Ok(Self { json, lines: lines.lines, mistakes: Vec::new() })
            }
            Err(error) => {
                let line = lines.line_of_span(error.span().as_ref()).unwrap_or(1);
                let text_of_error = error.message();
                let hint = if text_of_error.contains("overflow") {
                    ": the largest whole number in TOML is 2^63 - 1; put a larger one in quotes"
                } else {
                    ""
                };
                Err(vec![FileMistake { line, what: format!("not valid TOML: {text_of_error}{hint}") }])
            }
        }
    }

    /// Returns the value at a path such as `format.kind`, in which each name before the last is a table.
    pub fn get(&self, path: &str) -> Option<&Json> {
        path.split('.').try_fold(&self.json, |value, name| value.get(name))
    }

    /// Removes a top-level key that is not allowed, and reports it if it was present.
    pub fn refuse_key(&mut self, key: &str, why: &str) {
        if self.json.as_object_mut().is_some_and(|table| table.remove(key).is_some()) {
            self.report_mistake(key, why);
        }
    }

    /// Returns whether a table is present, and reports each of its unknown keys; `known` is empty if every key is
    /// allowed.
    pub fn has_table(&mut self, path: &str, known: &[&str]) -> bool {
        let value = if path.is_empty() { Some(&self.json) } else { self.get(path) };
        let Some(value) = value.cloned() else { return false };
        self.check_table(path, &value, known)
    }

    /// Returns whether a value is a table, and reports its unknown keys.
    pub fn check_table(&mut self, path: &str, value: &Json, known: &[&str]) -> bool {
        let Some(table) = value.as_object() else {
            let example =
                known.first().map(|key| format!(" such as `{{ {key} = ... }}`")).unwrap_or_default();
            self.report_mistake(path, format_args!("{value}: expected a table{example}"));
            return false;
        };
        // A longer list would make the message unreadable.
        let listed = if known.len() > MAX_LISTED_KEYS {
            format!("{} known keys", known.len())
        } else {
            known.join(", ")
        };
        for key in table.keys().filter(|key| !known.is_empty() && !known.contains(&key.as_str())) {
            let meant = find_closest_word(key, known.iter().copied());
            let meant = meant.map(|word| format!("did you mean `{word}`? ")).unwrap_or_default();
            self.report_mistake(
                &member_path(path, key),
                format_args!("unknown key: {meant}expected one of {listed}"),
            );
        }
        true
    }

    /// Returns the line of a value, or of the table that would contain it.
    pub fn line_of_path(&self, path: &str) -> usize {
        let around = path.rfind(['.', '[']).map(|end| &path[..end]);
        let line = self.lines.get(path).copied();
        line.or_else(|| around.map(|around| self.line_of_path(around))).unwrap_or(1)
    }

    /// Reports a mistake in the value at a path.
    pub fn report_mistake(&mut self, path: &str, what: impl fmt::Display) {
        self.report_at_line(path, format_args!("{path}: {what}"));
    }

    /// Reports a missing key.
    pub fn report_missing(&mut self, path: &str) {
        self.report_mistake(path, "missing");
    }

    /// Reports a mistake on the line of a path, without the path in front of it.
    pub fn report_at_line(&mut self, path: &str, what: impl fmt::Display) {
        self.mistakes.push(FileMistake { line: self.line_of_path(path), what: what.to_string() });
    }

    /// Returns the value, or reports that it has the wrong type.
    pub fn some_or_report<T>(
        &mut self,
        value: Option<T>,
        path: &str,
        given: &Json,
        expected: &str,
    ) -> Option<T> {
        if value.is_none() {
            self.report_mistake(path, format_args!("{given}: expected {expected}"));
        }
        value
    }

    /// Finishes reading.
    ///
    /// # Errors
    /// All mistakes, top to bottom.
    pub fn finish(mut self) -> Result<(), Vec<FileMistake>> {
        self.mistakes.sort_by_key(|mistake| mistake.line);
        if self.mistakes.is_empty() { Ok(()) } else { Err(self.mistakes) }
    }
}

/// Returns the path of a key in a table.
pub fn member_path(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
}

/// Converts TOML to JSON, and notes the line of each value.
struct LineFinder<'t> {
    text: &'t str,
    lines: HashMap<String, usize>,
}

impl LineFinder<'_> {
    fn line_of_span(&self, span: Option<&Range<usize>>) -> Option<usize> {
        let before = self.text.get(..span?.start)?;
        Some(1 + before.matches('\n').count())
    }

    fn note_line(&mut self, path: &str, span: Option<&Range<usize>>) {
        if let Some(line) = self.line_of_span(span) {
            self.lines.insert(path.to_owned(), line);
        }
    }

    fn read_table(&mut self, table: &dyn TableLike, path: &str) -> Json {
        let mut members = Map::new();
        for (key, item) in table.iter() {
            let path = member_path(path, key);
            self.note_line(&path, table.key(key).and_then(Key::span).or_else(|| item.span()).as_ref());
            members.insert(key.to_owned(), self.read_item(item, &path));
        }
        Json::Object(members)
    }

    fn read_item(&mut self, item: &Item, path: &str) -> Json {
        match item {
            Item::None => Json::Null,
            Item::Value(value) => self.read_value(value, path),
            Item::Table(table) => self.read_table(table, path),
            Item::ArrayOfTables(tables) => {
                let read_entry = |(index, table): (usize, &toml_edit::Table)| {
                    let path = format!("{path}[{index}]");
                    self.note_line(&path, table.span().as_ref());
                    self.read_table(table, &path)
                };
                tables.iter().enumerate().map(read_entry).collect()
            }
        }
    }

    fn read_value(&mut self, value: &Value, path: &str) -> Json {
        match value {
            Value::String(text) => text.value().as_str().into(),
            Value::Integer(number) => (*number.value()).into(),
            // JSON has neither infinity nor NaN.
            Value::Float(number) if !number.value().is_finite() => number.value().to_string().into(),
            Value::Float(number) => (*number.value()).into(),
            Value::Boolean(truth) => (*truth.value()).into(),
            // No setting is a date, so a date must not be accepted as a string.
            Value::Datetime(date) => json!({ "date": date.value().to_string() }),
            Value::InlineTable(table) => self.read_table(table, path),
            Value::Array(list) => {
                let read_entry = |(index, value): (usize, &Value)| {
                    let path = format!("{path}[{index}]");
                    self.note_line(&path, value.span().as_ref());
                    self.read_value(value, &path)
                };
                list.iter().enumerate().map(read_entry).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_reported_on_the_line_of_its_value() {
        let text = "a = 1\nb = [\n 2,\n]\n[c]\nd = 1979-05-27\ne.f = nan\n[[g]]\n[[g]]\nh = 1\n";
        let mut toml = TomlDocument::parse(text).unwrap();
        let (date, nan) = (json!({ "date": "1979-05-27" }), json!("NaN"));
        assert_eq!(
            (toml.get("b"), toml.get("c.d"), toml.get("c.e.f")),
            (Some(&json!([2])), Some(&date), Some(&nan))
        );
        assert!(
            !toml.has_table("x", &["y"]) && !toml.has_table("a", &["y"]) && toml.has_table("c", &["dd", "e"])
        );
        for path in ["b[0].counters", "b[1]", "g[1].name", "x.y"] {
            toml.report_mistake(path, "wrong");
        }
        let mistakes = toml.finish().unwrap_err();
        let found: Vec<_> =
            mistakes.iter().map(|FileMistake { line, what }| format!("{line}: {what}")).collect();
        let expected = [
            "1: a: 1: expected a table such as `{ y = ... }`",
            "1: x.y: wrong",
            "2: b[1]: wrong",
            "3: b[0].counters: wrong",
            "6: c.d: unknown key: did you mean `dd`? expected one of dd, e",
            "9: g[1].name: wrong",
        ];
        assert_eq!(found, expected);
        assert_eq!(TomlDocument::parse("a = 1\na = 2\n").unwrap_err()[0].line, 2);
    }
}
