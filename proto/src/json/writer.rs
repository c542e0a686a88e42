//! Writes messages as JSON directly from their encoded form, so that a tree of 100,000 nodes needs no additional
//! memory.

use super::{
    JsonMapping,
    tables::{FieldTable, MessageTable, ValueKind},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use prost_reflect::Kind;
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use std::fmt::Display;

/// An encoded message that serializes as JSON.
#[derive(Debug, Clone)]
pub(super) struct EncodedMessage<'a> {
    pub(super) mapping: JsonMapping,
    pub(super) table: &'static MessageTable,
    pub(super) bytes: &'a [u8],
}

#[derive(Debug, Clone)]
struct EncodedValue<'a> {
    mapping: JsonMapping,
    kind: &'static ValueKind,
    raw: RawValue<'a>,
}

/// A field's raw value: the bits of a number of any type, or bytes.
#[derive(Debug, Clone, Copy)]
enum RawValue<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl Serialize for EncodedMessage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rest = self.bytes;
        let mut fields = Vec::new();
        while !rest.is_empty() {
            let tag = read_varint(&mut rest);
            fields.push((tag >> 3, read_raw(tag & 7, &mut rest)));
        }
        let (mapping, is_printed) = (self.mapping, self.mapping == JsonMapping::Printed);
        // In proto3 JSON, which signed manifests use, the fields that are alternatives come last.
        let (first, last): (Vec<_>, Vec<_>) =
            self.table.fields.iter().partition(|field| is_printed || field.oneof.is_none());
        let mut object = serializer.serialize_map(None)?;
        for field in first.into_iter().chain(last) {
            let found = fields.iter().filter(|(number, _)| *number == u64::from(field.number));
            let mut values = found.map(|(_, raw)| *raw);
            if field.is_list {
                let elements = read_list(mapping, field, values);
                if is_printed || !elements.is_empty() {
                    object.serialize_entry(&field.name, &elements)?;
                }
            } else if let Some(raw) =
                values.next_back().or_else(|| default_value(field).filter(|_| is_printed))
            {
                object.serialize_entry(&field.name, &EncodedValue { mapping, kind: &field.kind, raw })?;
            } else if is_printed && field.oneof.is_none() {
                object.serialize_entry(&field.name, &())?;
            }
        }
        object.end()
    }
}

impl Serialize for EncodedValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mapping = self.mapping;
        let kind = match (self.kind, self.raw) {
            (ValueKind::Scalar(kind), _) => kind,
            (ValueKind::Message(linked), raw) => {
                let RawValue::Bytes(bytes) = raw else { return serializer.serialize_unit() };
                return EncodedMessage { mapping, table: linked.table(), bytes }.serialize(serializer);
            }
            (ValueKind::Enum(words), raw) => {
                let RawValue::Number(bits) = raw else { return serializer.serialize_unit() };
                let number = bits as i32;
                return match words.iter().find(|word| word.number == number) {
                    Some(word) => serializer.serialize_str(word.word(mapping)),
                    None => serializer.serialize_i32(number),
                };
            }
        };
        match (kind, self.raw) {
            (Kind::String, RawValue::Bytes(bytes)) => serializer.collect_str(&String::from_utf8_lossy(bytes)),
            (_, RawValue::Bytes(bytes)) => serializer.collect_str(&STANDARD.encode(bytes)),
            (Kind::Bool, RawValue::Number(bits)) => serializer.serialize_bool(bits != 0),
            (Kind::Double, RawValue::Number(bits)) => write_double(f64::from_bits(bits), serializer),
            (Kind::Float, RawValue::Number(bits)) => {
                write_double(f32::from_bits(bits as u32).into(), serializer)
            }
            (Kind::Sint32, RawValue::Number(bits)) => serializer.serialize_i64(decode_zigzag(bits)),
            (Kind::Sint64, RawValue::Number(bits)) => mapping.write_number(decode_zigzag(bits), serializer),
            (Kind::Int32 | Kind::Sfixed32, RawValue::Number(bits)) => serializer.serialize_i32(bits as i32),
            (Kind::Int64 | Kind::Sfixed64, RawValue::Number(bits)) => {
                mapping.write_number(bits.cast_signed(), serializer)
            }
            (Kind::Uint64 | Kind::Fixed64, RawValue::Number(bits)) => mapping.write_number(bits, serializer),
            (_, RawValue::Number(bits)) => serializer.serialize_u64(bits),
        }
    }
}

impl JsonMapping {
    /// Writes a 64-bit number, which proto3 JSON puts in quotes.
    fn write_number<S: Serializer>(
        self,
        number: impl Serialize + Display,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match self {
            Self::Printed => number.serialize(serializer),
            Self::Proto3 => serializer.collect_str(&number),
        }
    }
}

/// Decodes a zigzag number, whose lowest bit is the sign.
fn decode_zigzag(bits: u64) -> i64 {
    (bits >> 1).cast_signed() ^ -(bits & 1).cast_signed()
}

fn write_double<S: Serializer>(value: f64, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        _ if value.is_finite() => serializer.serialize_f64(value),
        _ if value.is_nan() => serializer.serialize_str("NaN"),
        _ if value > 0.0 => serializer.serialize_str("Infinity"),
        _ => serializer.serialize_str("-Infinity"),
    }
}

/// Returns the value of an unset field; `None` if the field tracks presence.
fn default_value(field: &FieldTable) -> Option<RawValue<'static>> {
    let default = match field.kind {
        ValueKind::Scalar(Kind::String | Kind::Bytes) | ValueKind::Message(_) => RawValue::Bytes(&[]),
        _ => RawValue::Number(0),
    };
    (!field.supports_presence).then_some(default)
}

/// Reads the elements of a list field, whether they are packed or not.
fn read_list<'a>(
    mapping: JsonMapping,
    field: &'static FieldTable,
    values: impl Iterator<Item = RawValue<'a>>,
) -> Vec<EncodedValue<'a>> {
    let kind = &field.kind;
    let mut list = Vec::new();
    for raw in values {
        match raw {
            RawValue::Bytes(mut packed) if field.is_packed => {
                while !packed.is_empty() {
                    list.push(EncodedValue { mapping, kind, raw: read_raw(field.wire_type, &mut packed) });
                }
            }
            raw => list.push(EncodedValue { mapping, kind, raw }),
        }
    }
    list
}

/// Reads a value that is encoded with the given protobuf wire type.
fn read_raw<'a>(wire_type: u64, rest: &mut &'a [u8]) -> RawValue<'a> {
    let length = match wire_type {
        0 => return RawValue::Number(read_varint(rest)),
        1 => 8,
        5 => 4,
        _ => read_varint(rest) as usize,
    };
    let (bytes, more) = rest.split_at(length);
    *rest = more;
    if wire_type == 2 {
        return RawValue::Bytes(bytes);
    }
    RawValue::Number(bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
}

fn read_varint(rest: &mut &[u8]) -> u64 {
    let end = rest.iter().position(|byte| byte & 0x80 == 0).map_or(rest.len(), |last| last + 1);
    let (bytes, more) = rest.split_at(end);
    *rest = more;
    bytes.iter().rev().fold(0, |bits, &byte| bits << 7 | u64::from(byte & 0x7f))
}
