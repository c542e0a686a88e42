//! A table of the file, whose keys are known.

use super::Reading;
use crate::game::closest_word;
use serde_json::Value as Json;
use toml_edit::{Array, Item, TableLike, Value};

/// The most known keys that are listed where an unknown one stands.
const MAX_LISTED: usize = 20;

/// A table of the file, whose keys are known.
pub struct Section<'d> {
    /// What its keys are named with, as in `clock.`.
    prefix: String,
    line: usize,
    table: &'d dyn TableLike,
}

/// A key of a table with its value.
pub struct Entry<'d> {
    /// The key, with the names of the tables around it.
    pub key: String,
    /// The line of the key.
    pub line: usize,
    item: &'d Item,
}

impl<'d> Section<'d> {
    /// Opens a table, and reports every key that it does not know.
    pub fn open(
        table: &'d dyn TableLike,
        prefix: &str,
        line: usize,
        known: &[&str],
        reading: &mut Reading<'_>,
    ) -> Self {
        for (key, item) in table.iter() {
            if known.contains(&key) {
                continue;
            }
            let span = table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span());
            let meant = closest_word(key, known.iter().copied());
            let meant = meant.map(|word| format!("did you mean `{word}`? ")).unwrap_or_default();
            let line = reading.line(span.as_ref(), line);
            // A longer list would hide what is said.
            let known =
                if known.len() > MAX_LISTED { format!("{} others", known.len()) } else { known.join(", ") };
            reading.report(line, format_args!("{prefix}{key}: an unknown key: {meant}known here: {known}"));
        }
        Self { prefix: prefix.to_owned(), line, table }
    }

    /// Returns the line of the table.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns what stands for a key, if anything does.
    pub fn entry(&self, key: &str, reading: &Reading<'_>) -> Option<Entry<'d>> {
        let item = self.table.get(key)?;
        let span = self.table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span());
        let line = reading.line(span.as_ref(), self.line);
        Some(Entry { key: format!("{}{key}", self.prefix), line, item })
    }

    /// Returns what stands for a key of a setting, and remembers where: `field` is the setting's name in the protocol.
    pub fn setting(&self, key: &str, field: &str, reading: &mut Reading<'_>) -> Option<Entry<'d>> {
        let entry = self.entry(key, reading)?;
        reading.place(format!("settings.{field}"), entry.line, &entry.key);
        Some(entry)
    }

    /// Returns what stands for a key, or reports that it is missing.
    pub fn needed(&self, key: &str, reading: &mut Reading<'_>) -> Option<Entry<'d>> {
        let entry = self.entry(key, reading);
        if entry.is_none() {
            reading.report(self.line, format_args!("{}{key}: it is missing, and needed", self.prefix));
        }
        entry
    }
}

impl<'d> Entry<'d> {
    /// Reports that something else should stand here.
    pub fn refuse(&self, expected: &str, reading: &mut Reading<'_>) {
        let written = match self.item {
            Item::Table(_) | Item::ArrayOfTables(_) | Item::None => "a table".to_owned(),
            Item::Value(value) => reading.written(value.span()),
        };
        reading.report(self.line, format_args!("{}: {written}: it is {expected}", self.key));
    }

    fn or_refuse<T>(&self, value: Option<T>, expected: &str, reading: &mut Reading<'_>) -> Option<T> {
        if value.is_none() {
            self.refuse(expected, reading);
        }
        value
    }

    /// Returns a number, a text, a truth value, or a list of texts as JSON.
    pub fn json(&self, reading: &mut Reading<'_>) -> Option<Json> {
        let json = self.item.as_value().and_then(json_of_value);
        self.or_refuse(json, "a number, a text in quotes, true or false, or a list of texts", reading)
    }

    /// Returns a text.
    pub fn text(&self, reading: &mut Reading<'_>) -> Option<&'d str> {
        self.or_refuse(self.item.as_str(), "a text, in quotes", reading)
    }

    /// Returns a text if it is one, and reports nothing.
    pub fn as_text(&self) -> Option<&'d str> {
        self.item.as_str()
    }

    /// Returns a whole number of 0 or more.
    pub fn whole(&self, reading: &mut Reading<'_>) -> Option<u64> {
        let number = self.item.as_integer().and_then(|number| u64::try_from(number).ok());
        self.or_refuse(number, "a whole number of 0 or more", reading)
    }

    /// Returns a whole number from 0 to 2^32 - 1.
    pub fn small(&self, reading: &mut Reading<'_>) -> Option<u32> {
        let number = self.item.as_integer().and_then(|number| u32::try_from(number).ok());
        self.or_refuse(number, "a whole number from 0 to 4294967295", reading)
    }

    /// Returns a whole number from 1 on: where the protocol reads 0 as "not given", a file that says 0 is wrong.
    pub fn count(&self, reading: &mut Reading<'_>) -> Option<u32> {
        let number = self.item.as_integer().and_then(|number| u32::try_from(number).ok());
        self.or_refuse(number.filter(|&number| number > 0), "a whole number from 1 to 4294967295", reading)
    }

    /// Returns a number, whole or not.
    pub fn number(&self, reading: &mut Reading<'_>) -> Option<f64> {
        // Numbers of such size are no rates or effects, and are refused by their bounds.
        #[expect(clippy::cast_precision_loss, reason = "a whole number that large is out of every bound")]
        let number = self.item.as_float().or_else(|| self.item.as_integer().map(|number| number as f64));
        self.or_refuse(number, "a number", reading)
    }

    /// Returns `true`; what else there could be says nothing.
    pub fn truth(&self, reading: &mut Reading<'_>) -> Option<()> {
        let value = self.item.as_bool().filter(|&value| value).map(|_| ());
        self.or_refuse(value, "`true`, or left out", reading)
    }

    /// Returns a list of texts, one or more.
    pub fn texts(&self, reading: &mut Reading<'_>) -> Option<Vec<String>> {
        let texts = self.item.as_array().and_then(|list| {
            list.iter().map(|value| value.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        self.or_refuse(
            texts.filter(|texts| !texts.is_empty()),
            "a list of texts, such as [\"python3\", \"bot.py\"]",
            reading,
        )
    }

    /// Returns two whole numbers, the ends of a range.
    pub fn range(&self, reading: &mut Reading<'_>) -> Option<(u64, u64)> {
        let ends = self.item.as_array().and_then(wholes);
        let ends = ends.and_then(|ends| <[u64; 2]>::try_from(ends).ok()).map(|[least, most]| (least, most));
        self.or_refuse(ends, "two whole numbers, the fewest and the most, such as [2, 4]", reading)
    }

    /// Returns lists of whole numbers, and remembers where each stands; `field` is the setting's name in the protocol. What
    /// is no such list is none, and reported.
    pub fn lists(&self, field: &str, reading: &mut Reading<'_>) -> Option<Vec<Option<Vec<u64>>>> {
        const EXPECTED: &str = "a list of lists of whole numbers, such as [[3, 4, 5], [2, 2]]";
        let array = self.or_refuse(self.item.as_array(), EXPECTED, reading)?;
        let mut lists = Vec::with_capacity(array.len());
        for (index, value) in array.iter().enumerate() {
            let line = reading.line(value.span().as_ref(), self.line);
            let key = format!("{}[{index}]", self.key);
            reading.place(format!("settings.{field}[{index}]"), line, &key);
            let list = value.as_array().and_then(wholes);
            if list.is_none() {
                let written = reading.written(value.span());
                let expected = "a list of whole numbers, such as [3, 4, 5]";
                reading.report(line, format_args!("{key}: {written}: it is {expected}"));
            }
            lists.push(list);
        }
        Some(lists)
    }

    /// Returns whether this is a list.
    pub fn is_list(&self) -> bool {
        self.item.is_array()
    }

    /// Opens the table that stands here.
    pub fn section(&self, known: &[&str], reading: &mut Reading<'_>) -> Option<Section<'d>> {
        let table = self.or_refuse(self.item.as_table_like(), "a table", reading)?;
        let line = reading.line(self.item.span().as_ref(), self.line);
        Some(Section::open(table, &format!("{}.", self.key), line, known, reading))
    }

    /// Opens each of the tables that stand here.
    pub fn sections(&self, known: &[&str], reading: &mut Reading<'_>) -> Option<Vec<Section<'d>>> {
        let expected = format!("tables, each under [[{}]]", self.key);
        let tables = self.or_refuse(self.item.as_array_of_tables(), &expected, reading)?;
        let open = |(index, table): (usize, &'d toml_edit::Table)| {
            let line = reading.line(table.span().as_ref(), self.line);
            Section::open(table, &format!("{}[{index}].", self.key), line, known, reading)
        };
        Some(tables.iter().enumerate().map(open).collect())
    }
}

fn wholes(list: &Array) -> Option<Vec<u64>> {
    list.iter()
        .map(|value: &Value| value.as_integer().and_then(|number| u64::try_from(number).ok()))
        .collect()
}

fn json_of_value(value: &Value) -> Option<Json> {
    Some(match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(truth) => (*truth.value()).into(),
        Value::Array(list) => list.iter().map(json_of_value).collect::<Option<Json>>()?,
        Value::Datetime(_) | Value::InlineTable(_) => return None,
    })
}
