//! Reads JSON documents, and reports faults with their positions.

use super::JsonError;
use lastnim_proto::json::{JsonFlaw, MessageJsonError, describe_json_error, parse_document};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A document in which only known keys are allowed.
pub trait KnownKeys {
    /// The known keys and the shapes of their values.
    const KEYS: &'static [(&'static str, ValueShape)];
    /// The keys that the document must have.
    const REQUIRED_KEYS: &'static [&'static str] = &[];
    /// An example of a valid document, which errors show.
    const EXAMPLE: &'static str;
}

/// The shape that a value must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueShape {
    /// A whole number of 0 or more.
    Number,
    /// A list of whole numbers of 0 or more.
    Numbers,
    /// A list of lists, each with this many numbers.
    ListsOf(usize),
    /// A list of lists of numbers, or `"standard"` for the standard matrix.
    Matrix,
    /// A string, such as the name of an ending.
    Word,
}

impl ValueShape {
    /// Checks a value.
    fn check(self, value: &Value) -> Result<(), MessageJsonError> {
        let fits =
            |fits: bool, expected| if fits { Ok(()) } else { Err(JsonFlaw::wrong_type(value, expected)) };
        match self {
            Self::Number => fits(value.is_u64(), "a whole number, 0 or more")?,
            Self::Word => fits(value.is_string(), "a word")?,
            Self::Numbers => Self::check_list(value, "a list", |_, each| Self::Number.check(each))?,
            Self::ListsOf(length) => Self::check_list(value, "a list", |_, each| {
                if each.as_array().is_some_and(|list| list.len() != length) {
                    return Err(JsonFlaw::wrong_type(each, "a list of three numbers").into());
                }
                Self::Numbers.check(each)
            })?,
            Self::Matrix if value.as_str() == Some("standard") => {}
            Self::Matrix => Self::check_list(value, "a list of rows, or \"standard\"", |_, each| {
                Self::Numbers.check(each)
            })?,
        }
        Ok(())
    }

    fn check_list(
        value: &Value,
        expected: &'static str,
        check: impl Fn(usize, &Value) -> Result<(), MessageJsonError>,
    ) -> Result<(), MessageJsonError> {
        let list = value.as_array().ok_or_else(|| JsonFlaw::wrong_type(value, expected))?;
        let each =
            |(index, each)| check(index, each).map_err(|error: MessageJsonError| error.in_element(index));
        list.iter().enumerate().try_for_each(each)
    }
}

/// Reads a JSON document.
///
/// # Errors
/// The error names the value that is missing or has the wrong type.
pub fn read_json<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    serde_json::from_str(text).map_err(|error| JsonError::Shape(describe_json_error(&error, text)))
}

/// Reads a JSON document with only known keys.
///
/// # Errors
/// The error names a key that is unknown or missing, or a bad value.
pub fn read_known_json<T: DeserializeOwned + KnownKeys>(text: &str) -> Result<T, JsonError> {
    // Serde would also accept a list of the values in the order of the keys. The meaning of such a list would change if
    // a key were added.
    if text.trim_ascii_start().starts_with('{')
        && let Ok(read) = serde_json::from_str(text)
    {
        return Ok(read);
    }
    let document = parse_document(text).map_err(JsonError::Shape)?;
    check_members::<T>(&document)?;
    read_json(text)
}

/// Reads the keys of an object that `K` has, and ignores all others.
///
/// # Errors
/// If the text is not JSON, it is not an object, or a key of `K` is missing or has a value of the wrong type. If it is not
/// an object, the error shows the example of `T`.
pub fn read_some_keys<K: DeserializeOwned, T: KnownKeys>(text: &str) -> Result<K, JsonError> {
    if !text.trim_ascii_start().starts_with('{') {
        check_members::<T>(&parse_document(text).map_err(JsonError::Shape)?)?;
    }
    read_json(text)
}

/// Checks that a document has valid keys and values, and returns an error about the first one that is not valid.
fn check_members<T: KnownKeys>(document: &Value) -> Result<(), JsonError> {
    let Some(members) = document.as_object() else {
        return Err(JsonError::NoObject {
            given: JsonFlaw::wrong_type(document, "an object"),
            example: T::EXAMPLE,
        });
    };
    for (key, value) in members {
        let Some((_, shape)) = T::KEYS.iter().find(|(known, _)| known == key) else {
            let keys = T::KEYS.iter().map(|&(key, _)| key.to_owned()).collect();
            return Err(JsonFlaw::unknown_key(key, keys).into());
        };
        shape.check(value).map_err(|error| JsonError::Value(error.in_member(key)))?;
    }
    match T::REQUIRED_KEYS.iter().find(|&&key| !members.contains_key(key)) {
        Some(&key) => Err(JsonError::Missing { key, example: T::EXAMPLE }),
        None => Ok(()),
    }
}
