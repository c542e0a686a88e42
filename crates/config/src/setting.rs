//! One setting among others.

use super::SettingValue;
use serde_json::Value;
use std::ops::{Bound, RangeBounds, RangeInclusive};

/// Settings that can be listed.
pub trait SettingTable {
    /// Returns all settings, in the order in which they are written down.
    fn settings(&mut self) -> Vec<Setting<'_>>;
}

/// One setting, whose value can be read and changed.
pub struct Setting<'s> {
    name: &'static str,
    doc: &'static str,
    /// What stands for its value in the help.
    pub placeholder: &'static str,
    range: RangeInclusive<u64>,
    flag_name: Option<&'static str>,
    former_name: Option<&'static str>,
    /// The environment variable that gives it as well.
    pub variable: Option<&'static str>,
    value: &'s mut dyn SettingValue,
}

impl<'s> Setting<'s> {
    /// Describes a setting; `placeholder` stands for its value in the help.
    pub fn new(
        name: &'static str,
        doc: &'static str,
        placeholder: &'static str,
        value: &'s mut dyn SettingValue,
    ) -> Self {
        let range = 0..=u64::MAX;
        Self { name, doc, placeholder, range, flag_name: None, former_name: None, variable: None, value }
    }

    /// Bounds its number.
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
            Bound::Unbounded => u64::MAX,
        };
        Self { range: first..=last, ..self }
    }

    /// Names its flag, where that is another word than its key.
    #[must_use]
    pub fn flag_name(self, flag_name: &'static str) -> Self {
        Self { flag_name: Some(flag_name), ..self }
    }

    /// Names the key that it had before, which its flag still has besides.
    #[must_use]
    pub fn formerly(self, former_name: &'static str) -> Self {
        Self { former_name: Some(former_name), ..self }
    }

    /// Names the environment variable that gives it as well.
    #[must_use]
    pub fn or_variable(self, variable: &'static str) -> Self {
        Self { variable: Some(variable), ..self }
    }

    /// Returns its key in files.
    pub fn key(&self) -> String {
        format!("{}{}", self.name, self.value.unit_suffix())
    }

    /// Returns its flag, without the dashes in front.
    pub fn flag(&self) -> String {
        self.flag_name.map_or_else(|| self.key().replace('_', "-"), str::to_owned)
    }

    /// Returns the flag that it had before.
    pub fn former_flag(&self) -> Option<String> {
        self.former_name.map(|name| name.replace('_', "-"))
    }

    /// Returns what it is for, line by line; paragraphs have an empty line between them.
    pub fn doc_lines(&self) -> impl Iterator<Item = &'static str> {
        self.doc.trim_end().lines().map(|line| line.strip_prefix(' ').unwrap_or(line))
    }

    /// Returns its value; null if there is none, or if it must not be shown.
    pub fn value(&self) -> Value {
        self.value.to_json()
    }

    /// Changes its value.
    ///
    /// # Errors
    /// Names the offending value, and says what would be right.
    pub fn set(&mut self, json: &Value) -> Result<(), String> {
        self.value.set(json, &self.range)
    }

    /// Changes its value to what stands in words of a command line.
    ///
    /// # Errors
    /// Names the offending value, and says what would be right.
    pub fn set_words(&mut self, words: &[String]) -> Result<(), String> {
        self.set(&self.value.json_of_words(words))
    }
}
