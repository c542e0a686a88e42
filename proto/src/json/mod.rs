//! Messages of the package `lastnim.v1` as JSON, derived from their descriptors.
//!
//! One mapping serves every message, so a message that is printed needs no code of its own:
//!
//! - A message is an object with a key for each field, named as in its proto and in the order of their numbers. Defaults are there as well: `0`, `false`, `""`,
//!   `[]`. An `optional` field and a field of a message are `null` where they are not set.
//! - Of a `oneof`, only the alternative that is set has a key.
//! - Numbers are numbers, also those of 64 bits. A double that is not finite is `"NaN"`, `"Infinity"` or `"-Infinity"`.
//! - A value of an enumeration is a word: `"to_move_wins"` for `ENDING_TO_MOVE_WINS`, `"unspecified"` for 0. A value that this
//!   version does not know is its number.
//! - Bytes are standard base64 with padding.
//!
//! [`message_from_json`] reads what [`message_to_json`] writes. A key may be missing there: it is as if it were `null`.
//!
//! Signed records, manifests and what the stores keep have another form, the canonical proto3 JSON, which is frozen: numbers of 64 bits are
//! texts, enumerations have their full names, and defaults are left out. [`MessageJson::canonical`] writes it, and [`message_from_proto3_json`]
//! reads all that the proto3 mapping allows.

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

/// A message that is serialized as its JSON: what is long need not be held as a [`Value`].
#[derive(Debug, Clone)]
pub struct MessageJson {
    mapping: JsonMapping,
    table: &'static MessageTable,
    bytes: Vec<u8>,
}

impl MessageJson {
    /// Takes a message.
    pub fn of<M: Name>(message: &M) -> Self {
        JsonMapping::Printed.json_of(message)
    }

    /// Takes a message whose JSON is to be the canonical one of proto3.
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
    serde_json::to_value(MessageJson::of(message)).expect("all keys are texts")
}

/// Writes messages as a list.
pub fn messages_to_json<M: Name>(messages: &[M]) -> Value {
    messages.iter().map(message_to_json).collect()
}

/// Returns the keys of a message's JSON, unless alternatives are among them.
pub fn message_keys<M: Name>() -> Vec<String> {
    message_table::<M>().keys()
}

/// Reads a message from JSON.
///
/// # Errors
/// The first value that does not fit, with the path to it.
pub fn message_from_json<M: Name + Default>(json: &Value) -> Result<M, MessageJsonError> {
    JsonMapping::Printed.message_from_json(json)
}

/// Reads a message from JSON in any layout that the proto3 mapping allows: names in snake or camel case, numbers as numbers or texts,
/// values of enumerations by name or number, bytes in either alphabet of base64 with or without padding, and `null` for what is absent.
///
/// # Errors
/// The first value that does not fit, with the path to it.
pub fn message_from_proto3_json<M: Name + Default>(json: &Value) -> Result<M, MessageJsonError> {
    JsonMapping::Proto3.message_from_json(json)
}

/// Which mapping of messages is read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JsonMapping {
    /// That of this module, which is printed.
    Printed,
    /// That of proto3: written in its canonical form, and read with all that its readers have to accept.
    Proto3,
}

impl JsonMapping {
    fn json_of<M: Name>(self, message: &M) -> MessageJson {
        MessageJson { mapping: self, table: message_table::<M>(), bytes: message.encode_to_vec() }
    }

    fn message_from_json<M: Name + Default>(self, json: &Value) -> Result<M, MessageJsonError> {
        let mut encoded = Vec::new();
        let read = self.encode_message(message_table::<M>(), json, &mut encoded);
        read.map_err(|misfit| misfit.expect("a tree of values has no mistake of its own"))?;
        Ok(decode_message(&encoded))
    }
}

/// Returns the words of a field of an enumeration, by its path as in `sprt.measure`; none of another field.
pub fn field_words<M: Name>(path: &str) -> Vec<String> {
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

/// Reads a message from text in the proto3 mapping, without a tree of values. Returns `None` if anything is wrong; to find out what,
/// use [`parse_document`] and [`message_from_proto3_json`].
pub(crate) fn message_from_proto3_text<M: Name + Default>(text: &str) -> Option<M> {
    let mut encoded = Vec::new();
    let mut json = serde_json::Deserializer::from_str(text);
    JsonMapping::Proto3.encode_message(message_table::<M>(), &mut json, &mut encoded).ok()?;
    json.end().ok()?;
    Some(decode_message(&encoded))
}

fn decode_message<M: Name + Default>(encoded: &[u8]) -> M {
    M::decode(encoded).expect("it is encoded by its descriptor")
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
