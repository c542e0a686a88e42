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
#[cfg(test)]
mod tests;
mod writer;

pub use document::{describe_json_error, parse_document};
pub use message_json_error::{JsonFlaw, MessageJsonError};

use super::pb;
use prost::Name;
use prost_reflect::{
    DescriptorPool, EnumDescriptor, EnumValueDescriptor, FieldDescriptor, Kind, MessageDescriptor,
};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::{borrow::Cow, sync::LazyLock};
use writer::EncodedMessage;

static DESCRIPTORS: LazyLock<DescriptorPool> =
    LazyLock::new(|| DescriptorPool::decode(pb::DESCRIPTORS).expect("the build wrote valid descriptors"));

/// A message that is serialized as its JSON: what is long need not be held as a [`Value`].
#[derive(Debug, Clone)]
pub struct MessageJson {
    mapping: JsonMapping,
    kind: MessageDescriptor,
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
        let Self { mapping, ref kind, ref bytes } = *self;
        EncodedMessage { mapping, kind: kind.clone(), bytes }.serialize(serializer)
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
        MessageJson { mapping: self, kind: message_descriptor::<M>(), bytes: message.encode_to_vec() }
    }

    /// Returns the word for a value of an enumeration.
    fn enum_word(self, value: &EnumValueDescriptor) -> Cow<'_, str> {
        let name = value.name();
        match self {
            Self::Printed => {
                // The prefix stands before the word of 0, which every enumeration of ours has.
                let zero = value.parent_enum().default_value();
                let prefix = zero.name().trim_end_matches("UNSPECIFIED");
                name.strip_prefix(prefix).unwrap_or(name).to_ascii_lowercase().into()
            }
            Self::Proto3 => name.into(),
        }
    }

    /// Returns the word for each value of an enumeration, with its number.
    fn enum_words(self, kind: &EnumDescriptor) -> impl Iterator<Item = (i32, String)> {
        kind.values().map(move |value| (value.number(), self.enum_word(&value).into_owned()))
    }

    fn message_from_json<M: Name + Default>(self, json: &Value) -> Result<M, MessageJsonError> {
        let mut encoded = Vec::new();
        self.encode_message(&message_descriptor::<M>(), json, &mut encoded)?;
        Ok(M::decode(&*encoded).expect("it is encoded by its descriptor"))
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
    kind.map(|kind| JsonMapping::Printed.enum_words(kind).map(|(_, word)| word).collect()).unwrap_or_default()
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
