//! The types that the values of settings can have.

use lastnim_core::duration_text::{duration_text, parse_duration};
use serde_json::Value;
use std::{fmt::Display, ops::RangeInclusive, path::PathBuf, str::FromStr, time::Duration};

/// The value of a setting. It is read and written as JSON: a number, a string, a boolean, or a list of strings.
pub trait SettingValue {
    /// Returns the value; null if it is not set or must not be shown.
    fn to_json(&self) -> Value;

    /// Changes the value. `range` limits numbers, and also durations, in milliseconds.
    ///
    /// # Errors
    /// Names the bad value and says what is valid.
    fn set(&mut self, json: &Value, range: &RangeInclusive<u64>) -> Result<(), String>;

    /// Returns the JSON for command-line arguments. Only a list may have several arguments.
    fn json_from_arguments(&self, words: &[String]) -> Value {
        words.last().map_or(Value::Null, |word| word.as_str().into())
    }
}

fn number_from_arguments(words: &[String]) -> Value {
    let word = words.last().map(String::as_str).unwrap_or_default();
    word.parse::<u64>().map_or_else(|_| word.into(), Value::from)
}

/// Reads a whole number within a range; `largest` is the maximum of the number's type.
fn read_number(json: &Value, range: &RangeInclusive<u64>, largest: u64) -> Result<u64, String> {
    let (first, last) = (*range.start(), largest.min(*range.end()));
    let number = json.as_u64().filter(|number| (first..=last).contains(number));
    number.ok_or_else(|| format!("{json} is not a whole number from {first} to {last}"))
}

/// Parses a value from a string.
///
/// # Errors
/// Returns the type's own parsing error, or says that the value is not a string.
pub fn read_text<T: FromStr<Err: Display>>(json: &Value) -> Result<T, String> {
    let text = json.as_str().ok_or_else(|| format!("{json} is not a string"))?;
    text.parse().map_err(|error: T::Err| error.to_string())
}

macro_rules! number_settings {
    ($($type:ty, $largest:expr;)+) => {$(
        impl SettingValue for $type {
            fn to_json(&self) -> Value {
                (*self).into()
            }

            fn set(&mut self, json: &Value, range: &RangeInclusive<u64>) -> Result<(), String> {
                *self = read_number(json, range, $largest)? as Self;
                Ok(())
            }

            fn json_from_arguments(&self, words: &[String]) -> Value {
                number_from_arguments(words)
            }
        }
    )+};
}

number_settings! {
    u8, u8::MAX.into();
    u16, u16::MAX.into();
    u32, u32::MAX.into();
    // This limit is the same on every platform.
    usize, u32::MAX.into();
    // This is the largest integer in TOML.
    u64, i64::MAX as u64;
}

impl SettingValue for Duration {
    fn to_json(&self) -> Value {
        duration_text(*self).into()
    }

    fn set(&mut self, json: &Value, range: &RangeInclusive<u64>) -> Result<(), String> {
        let text = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
        let duration = parse_duration(&text).map_err(|error| error.to_string())?;
        let [first, last] = [*range.start(), *range.end()].map(Self::from_millis);
        if !(first..=last).contains(&duration) {
            let [first, last] = [first, last].map(duration_text);
            return Err(format!("{text} is not a duration from {first} to {last}"));
        }
        *self = duration;
        Ok(())
    }
}

impl SettingValue for bool {
    fn to_json(&self) -> Value {
        (*self).into()
    }

    fn set(&mut self, json: &Value, _: &RangeInclusive<u64>) -> Result<(), String> {
        *self = json.as_bool().ok_or_else(|| format!("{json} is not true or false"))?;
        Ok(())
    }

    fn json_from_arguments(&self, words: &[String]) -> Value {
        let word = words.last().map(String::as_str).unwrap_or_default();
        word.parse::<bool>().map_or_else(|_| word.into(), Value::from)
    }
}

impl<T: SettingValue + Default> SettingValue for Option<T> {
    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, SettingValue::to_json)
    }

    fn set(&mut self, json: &Value, range: &RangeInclusive<u64>) -> Result<(), String> {
        let mut value = T::default();
        value.set(json, range)?;
        *self = Some(value);
        Ok(())
    }

    fn json_from_arguments(&self, words: &[String]) -> Value {
        T::default().json_from_arguments(words)
    }
}

impl<T: FromStr<Err: Display> + Display> SettingValue for Vec<T> {
    fn to_json(&self) -> Value {
        self.iter().map(ToString::to_string).collect()
    }

    fn set(&mut self, json: &Value, _: &RangeInclusive<u64>) -> Result<(), String> {
        let texts = json.as_array().ok_or_else(|| format!("{json} is not a list of strings"))?;
        *self = texts.iter().map(read_text).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn json_from_arguments(&self, words: &[String]) -> Value {
        words.into()
    }
}

impl SettingValue for String {
    fn to_json(&self) -> Value {
        self.as_str().into()
    }

    fn set(&mut self, json: &Value, _: &RangeInclusive<u64>) -> Result<(), String> {
        *self = read_text(json)?;
        Ok(())
    }
}

impl SettingValue for PathBuf {
    fn to_json(&self) -> Value {
        self.to_string_lossy().into()
    }

    fn set(&mut self, json: &Value, _: &RangeInclusive<u64>) -> Result<(), String> {
        *self = read_text(json)?;
        Ok(())
    }
}

/// Implements `SettingValue` for types that are parsed from a string and printed as one.
#[macro_export]
macro_rules! text_settings {
    ($($type:ty),+) => {$(
        impl $crate::SettingValue for $type {
            fn to_json(&self) -> $crate::serde_json::Value {
                self.to_string().into()
            }

            fn set(
                &mut self,
                json: &$crate::serde_json::Value,
                _: &std::ops::RangeInclusive<u64>,
            ) -> Result<(), String> {
                *self = $crate::read_text(json)?;
                Ok(())
            }
        }
    )+};
}
