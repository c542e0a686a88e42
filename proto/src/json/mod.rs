//! Converts messages of the package `lastnim.v1` to and from JSON, based on their descriptors.
//!
//! One mapping serves every message, so that no message needs separate code to be printed:
//!
//! - A message is an object with a key for each field, named as in the proto and ordered by field number. Fields with
//!   default values are written too: `0`, `false`, `""` or `[]`. An unset `optional` field or message field is `null`.
//! - Of the alternatives of a `oneof`, only the one that is set has a key.
//! - Numbers are JSON numbers, even if they have 64 bits. Doubles that are not finite are `"NaN"`, `"Infinity"` or
//!   `"-Infinity"`.
//! - An enumeration value is a word, such as `"to_move_wins"` for `ENDING_TO_MOVE_WINS`; the value 0 is
//!   `"unspecified"`. An unknown value is written as its number.
//! - Bytes are strings in standard base64 with padding.
//!
//! [`message_from_json`] reads what [`message_to_json`] writes, and treats a missing key like `null`.
//!
//! Signed records, manifests and the stores use canonical proto3 JSON instead, whose format never changes: 64-bit
//! numbers are strings, enumeration values have their full names, and fields with default values are left out.
//! [`MessageJson::canonical`] writes it, and [`message_from_proto3_json`] reads every layout that proto3 allows.

mod document;
mod exact_number;
mod message_json_error;
mod reader;
mod tables;
#[cfg(test)]
mod tests;
mod writer;

pub use document::{describe_json_error, parse_document};
pub use message_json_error::{JsonFlaw, MessageJsonError};

use super::pb;
use prost::Name;
use prost_reflect::{DescriptorPool, MessageDescriptor};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::sync::LazyLock;
use tables::{MessageTable, ValueKind};
use writer::EncodedMessage;

static DESCRIPTORS: LazyLock<DescriptorPool> =
    LazyLock::new(|| DescriptorPool::decode(pb::DESCRIPTORS).expect("the build wrote valid descriptors"));

/// A message that serializes as JSON, without building a [`Value`].
#[derive(Debug, Clone)]
pub struct MessageJson {
    mapping: JsonMapping,
    table: &'static MessageTable,
    bytes: Vec<u8>,
}

impl MessageJson {
    /// Wraps a message that serializes as described in the [module](self).
    pub fn of<M: Name>(message: &M) -> Self {
        JsonMapping::Printed.json_of(message)
    }

    /// Wraps a message that serializes as canonical proto3 JSON.
    pub fn canonical<M: Name>(message: &M) -> Self {
        JsonMapping::Proto3.json_of(message)
    }
}

impl Serialize for MessageJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { mapping, table, ref bytes } = *self;
        EncodedMessage { mapping, table, bytes }.serialize(serializer)
    }
}

/// Writes a message as JSON.
pub fn message_to_json<M: Name>(message: &M) -> Value {
    serde_json::to_value(MessageJson::of(message)).expect("all keys are strings")
}

/// Writes messages as a JSON list.
pub fn messages_to_json<M: Name>(messages: &[M]) -> Value {
    messages.iter().map(message_to_json).collect()
}

/// Returns the keys that a message may have in JSON, ordered by field number. They include all alternatives of a
/// `oneof`.
pub fn message_keys<M: Name>() -> Vec<String> {
    message_table::<M>().keys()
}

/// Reads a message from JSON.
///
/// # Errors
/// Describes the first mistake, with its path.
pub fn message_from_json<M: Name + Default>(json: &Value) -> Result<M, MessageJsonError> {
    JsonMapping::Printed.message_from_json(json)
}

/// Reads a message from JSON in any layout that proto3 allows: keys in snake or camel case, numbers as numbers or
/// strings, enumeration values by name or number, base64 in either alphabet with or without padding, and `null` for
/// absent values.
///
/// # Errors
/// Describes the first mistake, with its path.
pub fn message_from_proto3_json<M: Name + Default>(json: &Value) -> Result<M, MessageJsonError> {
    JsonMapping::Proto3.message_from_json(json)
}

/// One of the two mappings between messages and JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JsonMapping {
    /// The mapping that this module describes, used in printed output.
    Printed,
    /// Proto3 JSON: written in canonical form, read in any allowed layout.
    Proto3,
}

impl JsonMapping {
    fn json_of<M: Name>(self, message: &M) -> MessageJson {
        MessageJson { mapping: self, table: message_table::<M>(), bytes: message.encode_to_vec() }
    }

    fn message_from_json<M: Name + Default>(self, json: &Value) -> Result<M, MessageJsonError> {
        let mut encoded = Vec::new();
        let encoding = self.encode_message(message_table::<M>(), json, &mut encoded);
        encoding.map_err(|misfit| misfit.expect("a `Value` is valid JSON"))?;
        Ok(decode_message(&encoded))
    }
}

/// Returns the names of the values of an enumeration field, given its path, such as `sprt.measure`. Returns no names if
/// the field has another type or does not exist.
pub fn enum_value_names<M: Name>(path: &str) -> Vec<String> {
    let (messages, name) = path.rsplit_once('.').unwrap_or(("", path));
    let mapping = JsonMapping::Printed;
    let mut message = Some(message_table::<M>());
    for step in messages.split('.').filter(|step| !step.is_empty()) {
        let field = message.and_then(|message| message.find_field(step, mapping));
        message = field.and_then(|(field, _)| match &field.kind {
            ValueKind::Message(linked) => Some(linked.table()),
            _ => None,
        });
    }
    match message.and_then(|message| message.find_field(name, mapping)).map(|(field, _)| &field.kind) {
        Some(ValueKind::Enum(words)) => words.iter().map(|word| word.word(mapping).to_owned()).collect(),
        _ => Vec::new(),
    }
}

/// Reads a message from proto3 JSON without building a [`Value`]. Returns `None` on any mistake: call
/// [`parse_document`] and [`message_from_proto3_json`] to describe it.
pub(crate) fn message_from_proto3_text<M: Name + Default>(text: &str) -> Option<M> {
    let mut encoded = Vec::new();
    let mut json = serde_json::Deserializer::from_str(text);
    JsonMapping::Proto3.encode_message(message_table::<M>(), &mut json, &mut encoded).ok()?;
    json.end().ok()?;
    Some(decode_message(&encoded))
}

fn decode_message<M: Name + Default>(encoded: &[u8]) -> M {
    M::decode(encoded).expect("it was encoded with its descriptor")
}

fn message_table<M: Name>() -> &'static MessageTable {
    MessageTable::by_name(&M::full_name())
}

/// Returns the descriptor of a message.
pub fn message_descriptor<M: Name>() -> MessageDescriptor {
    DESCRIPTORS.get_message_by_name(&M::full_name()).expect("every message has a descriptor")
}

/// Returns whether a service of the package has a method.
pub fn has_method(service: &str, method: &str) -> bool {
    let services = DESCRIPTORS.services().filter(|known| known.name() == service);
    services.flat_map(|known| known.methods().collect::<Vec<_>>()).any(|known| known.name() == method)
}
