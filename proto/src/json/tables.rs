//! Tables of all messages and their fields, built once from the descriptors for the JSON mapping. Each descriptor holds
//! a reference-counted pointer to the whole pool, so threads that used descriptors directly would contend for its
//! counter.

use super::{DESCRIPTORS, JsonMapping};
use prost_reflect::{EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor};
use std::{
    collections::HashMap,
    sync::{LazyLock, OnceLock},
};

static TABLES: LazyLock<HashMap<String, MessageTable>> = LazyLock::new(|| {
    let messages = DESCRIPTORS.all_messages();
    messages.map(|message| (message.full_name().to_owned(), MessageTable::of(&message))).collect()
});

/// The fields of a message.
#[derive(Debug)]
pub(super) struct MessageTable {
    /// The fields, ordered by number.
    pub(super) fields: Vec<FieldTable>,
}

/// The properties of a field that reading and writing JSON needs.
#[derive(Debug)]
pub(super) struct FieldTable {
    pub(super) name: String,
    json_name: String,
    pub(super) number: u32,
    pub(super) kind: ValueKind,
    pub(super) wire_type: u64,
    pub(super) is_list: bool,
    pub(super) is_packed: bool,
    pub(super) supports_presence: bool,
    /// The `oneof` to which the field belongs, if any.
    pub(super) oneof: Option<String>,
}

/// The type of a field.
#[derive(Debug)]
pub(super) enum ValueKind {
    Message(LinkedTable),
    /// An enumeration, with its values.
    Enum(Vec<EnumValueName>),
    /// A number, a boolean, a string or bytes.
    Scalar(Kind),
}

/// The table of a message field, looked up by name on first use.
#[derive(Debug)]
pub(super) struct LinkedTable {
    full_name: String,
    found: OnceLock<&'static MessageTable>,
}

/// A value of an enumeration.
#[derive(Debug)]
pub(super) struct EnumValueName {
    pub(super) number: i32,
    printed: String,
    full: String,
}

impl MessageTable {
    /// Returns the table of a message by its full name.
    pub(super) fn by_name(full_name: &str) -> &'static Self {
        TABLES.get(full_name).expect("every message has a descriptor")
    }

    fn of(message: &MessageDescriptor) -> Self {
        Self { fields: message.fields().map(|field| FieldTable::of(&field)).collect() }
    }

    /// Finds the field that a key names. Returns the key as well, borrowed from the table.
    pub(super) fn find_field(&self, key: &str, mapping: JsonMapping) -> Option<(&FieldTable, &str)> {
        let by_name = self.fields.iter().find(|field| field.name == key).map(|field| (field, &*field.name));
        by_name.or_else(|| {
            let mut fields = self.fields.iter().filter(|_| mapping == JsonMapping::Proto3);
            fields.find(|field| field.json_name == key).map(|field| (field, &*field.json_name))
        })
    }

    pub(super) fn keys(&self) -> Vec<String> {
        self.fields.iter().map(|field| field.name.clone()).collect()
    }
}

impl FieldTable {
    fn of(field: &FieldDescriptor) -> Self {
        let oneof = field.containing_oneof().filter(|oneof| !oneof.is_synthetic());
        let kind = field.kind();
        Self {
            name: field.name().to_owned(),
            json_name: field.json_name().to_owned(),
            number: field.number(),
            wire_type: kind.wire_type() as u64,
            kind: ValueKind::of(kind),
            is_list: field.is_list(),
            is_packed: field.is_packed(),
            supports_presence: field.supports_presence(),
            oneof: oneof.map(|oneof| oneof.name().to_owned()),
        }
    }
}

impl ValueKind {
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Message(message) => {
                let full_name = message.full_name().to_owned();
                Self::Message(LinkedTable { full_name, found: OnceLock::new() })
            }
            Kind::Enum(kind) => Self::Enum(EnumValueName::all(&kind)),
            scalar => Self::Scalar(scalar),
        }
    }
}

impl LinkedTable {
    pub(super) fn table(&self) -> &'static MessageTable {
        self.found.get_or_init(|| MessageTable::by_name(&self.full_name))
    }
}

impl EnumValueName {
    /// Returns the values of an enumeration.
    pub(super) fn all(kind: &EnumDescriptor) -> Vec<Self> {
        // In all our enumerations, the name of the value 0 is a prefix and "UNSPECIFIED". The other names have the same
        // prefix.
        let zero = kind.default_value();
        let prefix = zero.name().trim_end_matches("UNSPECIFIED");
        let values = kind.values().map(|value| {
            let full = value.name().to_owned();
            let printed = full.strip_prefix(prefix).unwrap_or(&full).to_ascii_lowercase();
            Self { number: value.number(), printed, full }
        });
        values.collect()
    }

    pub(super) fn word(&self, mapping: JsonMapping) -> &str {
        match mapping {
            JsonMapping::Printed => &self.printed,
            JsonMapping::Proto3 => &self.full,
        }
    }
}
