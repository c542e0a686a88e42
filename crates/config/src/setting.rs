//! A single setting.

use super::{
    SettingValue,
    byte_size::{parse_size, size_text},
};
use serde_json::Value;
use std::ops::{Bound, RangeBounds, RangeInclusive};

/// A group of settings that can be listed.
pub trait SettingTable {
    /// Returns all settings in the order in which they are declared.
    fn settings(&mut self) -> Vec<Setting<'_>>;
}

/// The largest size in bytes that a setting can have: 2 GiB.
const MAX_SIZE: u64 = 2 << 30;

/// The unit of a setting's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberUnit {
    None,
    Bytes,
}

/// One setting, whose value can be read and changed.
pub struct Setting<'s> {
    name: &'static str,
    doc: &'static str,
    /// The placeholder for the setting's value in the help.
    pub placeholder: &'static str,
    range: RangeInclusive<u64>,
    flag_name: Option<&'static str>,
    unit: NumberUnit,
    /// The environment variable that also sets the value.
    pub variable: Option<&'static str>,
    value: &'s mut dyn SettingValue,
}

impl<'s> Setting<'s> {
    /// Creates a setting with this value; the help shows `placeholder` for the value.
    pub fn new(
        name: &'static str,
        doc: &'static str,
        placeholder: &'static str,
        value: &'s mut dyn SettingValue,
    ) -> Self {
        let range = 0..=u64::MAX;
        Self { name, doc, placeholder, range, flag_name: None, unit: NumberUnit::None, variable: None, value }
    }

    /// Sets the range of the setting's number, in bytes for sizes and in milliseconds for durations.
    #[must_use]
    pub fn range(self, range: impl RangeBounds<u64>) -> Self {
        let first = match range.start_bound() {
            Bound::Included(&first) => first,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let last = match range.end_bound() {
            Bound::Included(&last) => last,
            Bound::Excluded(&after) => after.saturating_sub(1),
            Bound::Unbounded if self.unit == NumberUnit::Bytes => MAX_SIZE,
            Bound::Unbounded => u64::MAX,
        };
        Self { range: first..=last, ..self }
    }

    /// Sets the name of the setting's flag, if it differs from the key.
    #[must_use]
    pub fn flag_name(self, flag_name: &'static str) -> Self {
        Self { flag_name: Some(flag_name), ..self }
    }

    /// Makes the setting's number a size in bytes, which is written with a unit and is at most 2 GiB.
    #[must_use]
    pub fn in_bytes(self) -> Self {
        Self { unit: NumberUnit::Bytes, ..self }.range(..=MAX_SIZE)
    }

    /// Sets the name of the environment variable that also sets the value.
    #[must_use]
    pub fn or_variable(self, variable: &'static str) -> Self {
        Self { variable: Some(variable), ..self }
    }

    /// Returns the key of the setting in settings files.
    pub fn key(&self) -> &'static str {
        match self.unit {
            NumberUnit::None => self.name,
            NumberUnit::Bytes => self.name.trim_end_matches("_bytes"),
        }
    }

    /// Returns the command-line flag of the setting, without the leading dashes.
    pub fn flag(&self) -> String {
        self.flag_name.map_or_else(|| self.key().replace('_', "-"), str::to_owned)
    }

    /// Returns the documentation of the setting line by line, with an empty line between paragraphs.
    pub fn doc_lines(&self) -> impl Iterator<Item = &'static str> {
        self.doc.trim_end().lines().map(|line| line.strip_prefix(' ').unwrap_or(line))
    }

    /// Returns the value of the setting; null if it is not set or must not be shown.
    pub fn value(&self) -> Value {
        let value = self.value.to_json();
        match (self.unit, value.as_u64()) {
            (NumberUnit::Bytes, Some(bytes)) => size_text(bytes).into(),
            _ => value,
        }
    }

    /// Changes the value of the setting.
    ///
    /// # Errors
    /// Names the bad value and says what is valid.
    pub fn set(&mut self, json: &Value) -> Result<(), String> {
        if self.unit == NumberUnit::None {
            return self.value.set(json, &self.range);
        }
        let text = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
        let set = self.value.set(&parse_size(&text)?.into(), &self.range);
        let [first, last] = [*self.range.start(), *self.range.end()].map(size_text);
        set.map_err(|_| format!("{text} is not a size from {first} to {last}"))
    }

    /// Sets the value from the command-line arguments `words`.
    ///
    /// # Errors
    /// Names the bad value and says what is valid.
    pub fn set_from_arguments(&mut self, words: &[String]) -> Result<(), String> {
        let json = match self.unit {
            NumberUnit::None => self.value.json_from_arguments(words),
            NumberUnit::Bytes => words.last().cloned().into(),
        };
        self.set(&json)
    }
}
