//! Checks that JSON texts are valid and have no duplicate keys, before they are read as messages.

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value, error::Category};
use std::fmt;

/// Reads a JSON text and refuses duplicate keys.
///
/// # Errors
/// Describes the first mistake and its position.
pub fn parse_document(text: &str) -> Result<Value, String> {
    let parsed = serde_json::from_str::<UniqueKeys>(text);
    parsed.map(|UniqueKeys(value)| value).map_err(|error| describe_json_error(&error, text))
}

/// Describes a mistake in a document and its position: the column, and after the first line also the line.
pub fn describe_json_error(error: &serde_json::Error, document: &str) -> String {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let what = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
    let place = if line <= 1 { format!("column {column}") } else { format!("line {line} column {column}") };
    match error.classify() {
        Category::Syntax => {
            let what =
                if matches!(what, "expected ident" | "expected value") { "expected a value" } else { what };
            format!("not valid JSON: {what} at {place}, found {:?}", word_at(document, line, column))
        }
        Category::Eof => {
            let what = what.replace("EOF while parsing", "the text ends inside");
            format!("not valid JSON: {what} at {place}")
        }
        Category::Data | Category::Io => format!("{what} at {place}"),
    }
}

/// The maximum number of characters of the document that an error message shows.
const MAX_CHARACTERS: usize = 20;

/// Returns the word or the character at a position. `line` and `column` count from 1, and columns are bytes.
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

/// A JSON value that was read without duplicate keys. Duplicates are refused because JSON readers differ in which of
/// the two values they use.
struct UniqueKeys(Value);

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueKeysVisitor).map(Self)
    }
}

struct UniqueKeysVisitor;

impl<'de> Visitor<'de> for UniqueKeysVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(UniqueKeys(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            if members.contains_key(&key) {
                let short: String = key.chars().take(MAX_CHARACTERS).collect();
                return Err(A::Error::custom(format!("the key {short:?} appears a second time")));
            }
            let UniqueKeys(value) = object.next_value()?;
            members.insert(key, value);
        }
        Ok(members.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_without_duplicate_keys_is_read() {
        for text in ["null", "[1,-2,3.5,1e300,\"x\",true,{\"a\":{\"b\":[]},\"c\":18446744073709551615}]"] {
            assert_eq!(parse_document(text), Ok(serde_json::from_str::<Value>(text).unwrap()));
        }
    }

    #[test]
    fn duplicate_key_is_named_at_any_depth() {
        let refusal = |text: &str| parse_document(text).unwrap_err();
        assert_eq!(refusal("{\"a\":1,\"a\":1}"), "the key \"a\" appears a second time at column 10");
        assert_eq!(
            refusal("[\n{\"b\":{\"a\":1,\"a\":2}}]"),
            "the key \"a\" appears a second time at line 2 column 15"
        );
        assert_eq!(refusal("{\"a\":1,}"), "not valid JSON: trailing comma at column 8, found \"}\"");
        assert!(refusal(&"[".repeat(1_000)).contains("recursion limit"));
    }
}
