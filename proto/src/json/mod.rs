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
//! Signed records and what the stores keep have another form, the canonical proto3 JSON, which is frozen. [`message_from_proto3_json`] reads
//! all that the proto3 mapping allows.

mod document;
mod exact_number;
mod message_json_error;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use document::{describe_json_error, parse_document};
pub use message_json_error::{JsonFlaw, MessageJsonError};

use super::pb;
use prost::Name;
use prost_reflect::{DescriptorPool, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::sync::LazyLock;
use writer::EncodedMessage;

static DESCRIPTORS: LazyLock<DescriptorPool> =
    LazyLock::new(|| DescriptorPool::decode(pb::DESCRIPTORS).expect("the build wrote valid descriptors"));

/// A message that is serialized as its JSON: what is long need not be held as a [`Value`].
#[derive(Debug, Clone)]
pub struct MessageJson {
    kind: MessageDescriptor,
    bytes: Vec<u8>,
}

impl MessageJson {
    /// Takes a message.
    pub fn of<M: Name>(message: &M) -> Self {
        Self { kind: message_descriptor::<M>(), bytes: message.encode_to_vec() }
    }
}

impl Serialize for MessageJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        EncodedMessage { kind: self.kind.clone(), bytes: &self.bytes }.serialize(serializer)
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
    message_descriptor::<M>().fields().map(|field| field.name().to_owned()).collect()
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

/// Which mapping of messages is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JsonMapping {
    /// That of this module, which is printed.
    Printed,
    /// That of proto3, with all that its readers have to accept.
    Proto3,
}

impl JsonMapping {
    fn message_from_json<M: Name + Default>(self, json: &Value) -> Result<M, MessageJsonError> {
        let dynamic = self.read_message(&message_descriptor::<M>(), json)?;
        Ok(dynamic.transcode_to().expect("a message has the form of its descriptor"))
    }
}

/// Returns the words of a field of an enumeration, by its path as in `sprt.measure`; none of another field.
pub fn field_words<M: Name>(path: &str) -> Vec<String> {
    let (messages, name) = path.rsplit_once('.').unwrap_or(("", path));
    let mut message = Some(message_descriptor::<M>());
    for step in messages.split('.').filter(|step| !step.is_empty()) {
        let field = message.and_then(|message| message.get_field_by_name(step));
        message = field.and_then(|field| field.kind().as_message().cloned());
    }
    let kind = message.and_then(|message| message.get_field_by_name(name)).map(|field| field.kind());
    let kind = kind.as_ref().and_then(Kind::as_enum);
    kind.map(|kind| enum_words(kind).map(|(_, word)| word).collect()).unwrap_or_default()
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

/// Returns whether a field is one of several alternatives, of which at most one is set.
fn is_alternative(field: &FieldDescriptor) -> bool {
    field.containing_oneof().is_some_and(|choice| !choice.is_synthetic())
}

/// Returns the word for each value of an enumeration, with its number.
fn enum_words(kind: &EnumDescriptor) -> impl Iterator<Item = (i32, String)> {
    // The prefix stands before the word of 0, which every enumeration of ours has.
    let prefix = kind.default_value().name().trim_end_matches("UNSPECIFIED").to_owned();
    let words = kind.values().map(move |value| {
        let name = value.name();
        (value.number(), name.strip_prefix(&prefix).unwrap_or(name).to_ascii_lowercase())
    });
    words.collect::<Vec<_>>().into_iter()
}
