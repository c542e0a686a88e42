//! Reads JSON documents, and says what is wrong with one and where.

use super::JsonError;
use crate::wire::json::JsonFlaw;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, error::Category};

/// A document of known keys.
pub trait KnownKeys {
    /// All of its keys.
    const KEYS: &'static [&'static str];
}

/// Says what is wrong with a document, and where; if it has one line only, the column alone says that.
fn describe_json_error(error: &serde_json::Error, document: &str) -> String {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let what = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
    let place = if line <= 1 { format!("column {column}") } else { format!("line {line} column {column}") };
    match error.classify() {
        Category::Syntax => {
            let what = if what == "expected ident" { "expected a value" } else { what };
            format!("not valid JSON: {what} at {place}, found {:?}", word_at(document, line, column))
        }
        Category::Eof => {
            let what = what.replace("EOF while parsing", "the text ends within");
            format!("not valid JSON: {what} at {place}")
        }
        Category::Data | Category::Io => format!("{what} at {place}"),
    }
}

/// The most characters of a document that a refusal repeats.
const MAX_CHARACTERS: usize = 20;

/// Returns the word, or else the character, at a byte of a line, both counted from 1.
fn word_at(document: &str, line: usize, column: usize) -> String {
    let line = document.split('\n').nth(line.saturating_sub(1)).unwrap_or_default();
    let is_in_word = |char: char| char.is_alphanumeric() || char == '_';
    let mut at = column.saturating_sub(1).min(line.len());
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    let before = line[..at].chars().rev().take(MAX_CHARACTERS).take_while(|&char| is_in_word(char));
    let start = at - before.map(char::len_utf8).sum::<usize>();
    let found = &line[if line[at..].starts_with(is_in_word) { start } else { at }..];
    let word: String = found.chars().take(MAX_CHARACTERS).take_while(|&char| is_in_word(char)).collect();
    if word.is_empty() { found.chars().take(1).collect() } else { word }
}

/// Reads a JSON document.
///
/// # Errors
/// Says what is missing or of another type.
pub fn read_json<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    serde_json::from_str(text).map_err(|error| JsonError::Shape(describe_json_error(&error, text)))
}

/// Reads a JSON document that has no other keys than are known.
///
/// # Errors
/// Names a key that is unknown, and says what is missing or of another type.
pub fn read_known_json<T: DeserializeOwned + KnownKeys>(text: &str) -> Result<T, JsonError> {
    read_json(text).map_err(|error| find_unknown_key(text, T::KEYS).map_or(error, JsonError::UnknownKey))
}

/// Finds a key of a document that nobody reads: it would be answered for what it does not say.
fn find_unknown_key(text: &str, keys: &[&str]) -> Option<JsonFlaw> {
    let given: Map<String, Value> = serde_json::from_str(text).ok()?;
    let unknown = given.keys().find(|key| !keys.contains(&key.as_str()))?;
    Some(JsonFlaw::unknown_key(unknown, keys.iter().map(ToString::to_string).collect()))
}
