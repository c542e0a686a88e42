//! Reads JSON straight into encoded protobuf, without a [`Value`] or a dynamic message.

use super::{
    JsonFlaw, JsonMapping, MessageJsonError,
    exact_number::parse_whole_number,
    tables::{EnumValueName, FieldTable, MessageTable, ValueKind},
};
use base64::{
    Engine as _,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};
use prost_reflect::Kind;
use serde::de::{
    self, Deserialize as _, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor,
    value::{MapAccessDeserializer, SeqAccessDeserializer},
};
use serde_json::{Number, Value};
use std::fmt::{self, Display};

/// Standard base64 with optional padding.
const LENIENT_BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Reads one JSON value and appends its protobuf encoding. The fields keep the order that they have in the JSON.
pub(super) struct ValueReader<'a> {
    mapping: JsonMapping,
    target: Target<'a>,
    to: &'a mut Vec<u8>,
    /// The first mistake and its path. It is kept here because the deserializer's own error has no details.
    misfit: &'a mut Option<MessageJsonError>,
}

/// The part of a message for which a value is read.
#[derive(Clone, Copy)]
enum Target<'a> {
    /// The whole message.
    Root(&'static MessageTable),
    /// A field. The second value is set if another alternative of the same `oneof` was already read; it names both
    /// keys.
    Field(&'static FieldTable, Option<&'a Alternatives>),
    /// An element of a repeated field.
    Element(&'static FieldTable),
}

/// The keys of two alternatives of one `oneof`, of which a message may have only one.
struct Alternatives {
    one: &'static str,
    other: &'static str,
}

/// A value that is not a list or an object, or a list or an object where none is valid.
#[derive(Clone, Copy)]
enum Leaf<'a> {
    Null,
    Bool(bool),
    Integer(i128),
    Double(f64),
    Text(&'a str),
    /// A list or an object where it is not valid.
    Misplaced(&'a Value),
}

impl Leaf<'_> {
    fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Returns the value for an error message.
    fn to_json(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(is_true) => is_true.into(),
            Self::Integer(number) => Number::from_i128(number).map_or(Value::Null, Value::Number),
            Self::Double(number) => number.into(),
            Self::Text(text) => text.into(),
            Self::Misplaced(value) => value.clone(),
        }
    }
}

impl JsonMapping {
    /// Reads a message from a deserializer and appends its protobuf encoding.
    ///
    /// # Errors
    /// Returns the first mistake, or `None` if the deserializer itself failed, for instance on invalid JSON.
    pub(super) fn encode_message<'de, D: Deserializer<'de>>(
        self,
        table: &'static MessageTable,
        json: D,
        to: &mut Vec<u8>,
    ) -> Result<(), Option<MessageJsonError>> {
        let mut misfit = None;
        let reader = ValueReader { mapping: self, target: Target::Root(table), to, misfit: &mut misfit };
        reader.deserialize(json).map(drop).map_err(|_| misfit)
    }

    fn encode_scalar(self, kind: &Kind, json: Leaf<'_>, to: &mut Vec<u8>) -> Result<(), JsonFlaw> {
        match kind {
            Kind::String => {
                let text = json.as_str().ok_or_else(|| JsonFlaw::wrong_type(&json.to_json(), "a string"))?;
                write_bytes(text.as_bytes(), to);
            }
            Kind::Bytes => write_bytes(&self.read_bytes(json)?, to),
            Kind::Bool => {
                let Leaf::Bool(is_true) = json else {
                    return Err(JsonFlaw::wrong_type(&json.to_json(), "true or false"));
                };
                write_varint(is_true.into(), to);
            }
            Kind::Double => to.extend(self.read_double(json)?.to_le_bytes()),
            Kind::Float => to.extend((self.read_double(json)? as f32).to_le_bytes()),
            Kind::Int32 => write_signed(self.read_whole_number(json, i32::MIN, i32::MAX)?, to),
            Kind::Int64 => write_signed(self.read_whole_number(json, i64::MIN, i64::MAX)?, to),
            Kind::Sint32 => write_zigzag(self.read_whole_number(json, i32::MIN, i32::MAX)?, to),
            Kind::Sint64 => write_zigzag(self.read_whole_number(json, i64::MIN, i64::MAX)?, to),
            Kind::Sfixed32 => to.extend(self.read_whole_number(json, i32::MIN, i32::MAX)?.to_le_bytes()),
            Kind::Sfixed64 => to.extend(self.read_whole_number(json, i64::MIN, i64::MAX)?.to_le_bytes()),
            Kind::Uint32 => write_varint(self.read_whole_number(json, u32::MIN, u32::MAX)?.into(), to),
            Kind::Uint64 => write_varint(self.read_whole_number(json, u64::MIN, u64::MAX)?, to),
            Kind::Fixed32 => to.extend(self.read_whole_number(json, u32::MIN, u32::MAX)?.to_le_bytes()),
            Kind::Fixed64 => to.extend(self.read_whole_number(json, u64::MIN, u64::MAX)?.to_le_bytes()),
            Kind::Message(_) | Kind::Enum(_) => unreachable!("messages and enums were handled earlier"),
        }
        Ok(())
    }

    fn read_enum(self, known: &[EnumValueName], json: Leaf<'_>) -> Result<i32, JsonFlaw> {
        match json.as_str() {
            None if matches!(json, Leaf::Integer(_) | Leaf::Double(_)) => {
                self.read_whole_number(json, i32::MIN, i32::MAX)
            }
            None => Err(JsonFlaw::wrong_type(&json.to_json(), "a word")),
            Some(word) => {
                let value = known.iter().find(|value| value.word(self) == word);
                let words = || known.iter().map(|value| value.word(self).to_owned()).collect();
                value.map(|value| value.number).ok_or_else(|| JsonFlaw::unknown_enum_value(word, words()))
            }
        }
    }

    fn read_bytes(self, json: Leaf<'_>) -> Result<Vec<u8>, JsonFlaw> {
        let word = json.as_str().ok_or_else(|| JsonFlaw::wrong_type(&json.to_json(), "bytes in base64"))?;
        STANDARD.decode(word).or_else(|_| match self {
            Self::Printed => Err(JsonFlaw::wrong_type(&json.to_json(), "bytes in base64, with padding")),
            Self::Proto3 => {
                let standard = word.replace('-', "+").replace('_', "/");
                LENIENT_BASE64
                    .decode(standard)
                    .map_err(|_| JsonFlaw::wrong_type(&json.to_json(), "bytes in base64"))
            }
        })
    }

    fn read_double(self, json: Leaf<'_>) -> Result<f64, JsonFlaw> {
        let number = match (json, self) {
            (Leaf::Text("NaN"), _) => Some(f64::NAN),
            (Leaf::Text("Infinity"), _) => Some(f64::INFINITY),
            (Leaf::Text("-Infinity"), _) => Some(f64::NEG_INFINITY),
            (Leaf::Text(text), Self::Proto3) => serde_json::from_str(text).ok(),
            (Leaf::Integer(_) | Leaf::Double(_), _) => json.to_json().as_f64(),
            _ => None,
        };
        number.ok_or_else(|| JsonFlaw::wrong_type(&json.to_json(), "a number"))
    }

    /// Reads a whole number between `lowest` and `highest`, the limits of its type.
    fn read_whole_number<N: TryFrom<i128> + Display>(
        self,
        json: Leaf<'_>,
        lowest: N,
        highest: N,
    ) -> Result<N, JsonFlaw> {
        // JSON has only one kind of number: 3.0 is a whole number too, and serde reads numbers of more than 64 bits as
        // doubles.
        let whole = match json {
            Leaf::Integer(number) => Some(number),
            Leaf::Double(number) => Some(number as i128).filter(|_| number.fract() == 0.0),
            Leaf::Text(text) if self == Self::Proto3 => parse_whole_number(text),
            _ => None,
        };
        let whole = whole.ok_or_else(|| JsonFlaw::wrong_type(&json.to_json(), "a whole number"))?;
        N::try_from(whole).map_err(|_| JsonFlaw::out_of_range(&json.to_json(), lowest, highest))
    }
}

impl ValueReader<'_> {
    fn value_of<'b>(&'b mut self, target: Target<'b>) -> ValueReader<'b> {
        ValueReader { mapping: self.mapping, target, to: self.to, misfit: self.misfit }
    }

    fn fail<T, E: de::Error>(self, misfit: impl Into<MessageJsonError>) -> Result<T, E> {
        *self.misfit = Some(misfit.into());
        Err(E::custom("mismatch"))
    }

    /// Adds a step to the path of the mistake.
    fn add_to_path(&mut self, place: impl FnOnce(MessageJsonError) -> MessageJsonError) {
        *self.misfit = self.misfit.take().map(place);
    }

    /// Reads a value that is not a list or an object. Returns whether the value sets the field, which `null` does not.
    fn read_leaf<E: de::Error>(self, json: Leaf<'_>) -> Result<bool, E> {
        if let (Target::Field(..), Leaf::Null) = (self.target, json) {
            return Ok(false);
        }
        if let Target::Field(_, Some(Alternatives { one, other })) = self.target {
            let (one, other) = ((*one).to_owned(), (*other).to_owned());
            return self.fail(JsonFlaw::TwoAlternatives { one, other });
        }
        let field = match self.target {
            Target::Root(_) => return self.fail(JsonFlaw::wrong_type(&json.to_json(), "an object")),
            Target::Field(field, _) if field.is_list => {
                return self.fail(JsonFlaw::wrong_type(&json.to_json(), "a list"));
            }
            Target::Field(field, _) | Target::Element(field) => field,
        };
        let encoded = match &field.kind {
            ValueKind::Message(_) => Err(JsonFlaw::wrong_type(&json.to_json(), "an object")),
            ValueKind::Enum(words) => self.mapping.read_enum(words, json).map(|number| {
                write_tag(field, self.to);
                write_signed(number, self.to);
            }),
            ValueKind::Scalar(kind) => {
                write_tag(field, self.to);
                self.mapping.encode_scalar(kind, json, self.to)
            }
        };
        match encoded {
            Ok(()) => Ok(true),
            Err(flaw) => self.fail(flaw),
        }
    }

    fn read_fields<'de, M: MapAccess<'de>>(
        mut self,
        table: &'static MessageTable,
        mut object: M,
    ) -> Result<(), M::Error> {
        let mut seen = Vec::new();
        // The alternatives of `oneof`s that were set so far.
        let mut set: Vec<&FieldTable> = Vec::new();
        loop {
            let key = KeyReader { mapping: self.mapping, table, misfit: self.misfit };
            let Some((field, key)) = object.next_key_seed(key)? else { return Ok(()) };
            if seen.contains(&field.number) {
                return self.fail(JsonFlaw::DuplicateKey { key: field.name.clone() });
            }
            seen.push(field.number);
            let other = set.iter().find(|other| field.oneof.is_some() && other.oneof == field.oneof);
            let alternatives = other.map(|one| Alternatives { one: &one.name, other: key });
            let conflicts = alternatives.is_some();
            let value = self.value_of(Target::Field(field, alternatives.as_ref()));
            match object.next_value_seed(value) {
                Ok(is_set) => set.extend(Some(field).filter(|_| is_set && field.oneof.is_some())),
                Err(error) => {
                    if !conflicts {
                        self.add_to_path(|misfit| misfit.in_member(key));
                    }
                    return Err(error);
                }
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for ValueReader<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<bool, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueReader<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<bool, E> {
        self.read_leaf(Leaf::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<bool, E> {
        self.read_leaf(Leaf::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<bool, E> {
        self.read_leaf(Leaf::Integer(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<bool, E> {
        self.read_leaf(Leaf::Integer(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<bool, E> {
        self.read_leaf(Leaf::Double(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<bool, E> {
        self.read_leaf(Leaf::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<bool, A::Error> {
        let field = match self.target {
            Target::Field(field, None) if field.is_list => field,
            _ => {
                let list = Value::deserialize(SeqAccessDeserializer::new(list))?;
                return self.read_leaf(Leaf::Misplaced(&list));
            }
        };
        for index in 0.. {
            match list.next_element_seed(self.value_of(Target::Element(field))) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => {
                    self.add_to_path(|misfit| misfit.in_element(index));
                    return Err(error);
                }
            }
        }
        Ok(true)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<bool, A::Error> {
        let field = match self.target {
            Target::Root(table) => return self.read_fields(table, object).map(|()| true),
            Target::Element(field) => Some(field),
            Target::Field(field, None) => Some(field).filter(|field| !field.is_list),
            Target::Field(_, Some(_)) => None,
        };
        let linked = field.and_then(|field| match &field.kind {
            ValueKind::Message(linked) => Some((field, linked)),
            _ => None,
        });
        let Some((field, linked)) = linked else {
            let object = Value::deserialize(MapAccessDeserializer::new(object))?;
            return self.read_leaf(Leaf::Misplaced(&object));
        };
        write_tag(field, self.to);
        let start = self.to.len();
        let ValueReader { mapping, target, to, misfit } = self;
        ValueReader { mapping, target, to: &mut *to, misfit }.read_fields(linked.table(), object)?;
        insert_length(start, to);
        Ok(true)
    }
}

/// Reads a key. Returns the field that it names, and the key itself.
struct KeyReader<'a> {
    mapping: JsonMapping,
    table: &'static MessageTable,
    misfit: &'a mut Option<MessageJsonError>,
}

impl<'de> DeserializeSeed<'de> for KeyReader<'_> {
    type Value = (&'static FieldTable, &'static str);

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        key.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyReader<'_> {
    type Value = (&'static FieldTable, &'static str);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Self::Value, E> {
        self.table.find_field(key, self.mapping).ok_or_else(|| {
            *self.misfit = Some(JsonFlaw::unknown_key(key, self.table.keys()).into());
            E::custom("unknown key")
        })
    }
}

fn write_tag(field: &FieldTable, to: &mut Vec<u8>) {
    write_varint(u64::from(field.number) << 3 | field.wire_type, to);
}

/// Inserts a length prefix before the bytes from `start` on.
fn insert_length(start: usize, to: &mut Vec<u8>) {
    let end = to.len();
    write_varint((end - start) as u64, to);
    let length_bytes = to.len() - end;
    to[start..].rotate_right(length_bytes);
}

/// Writes a varint: each byte has seven bits of the number, lowest bits first, and its highest bit is set if more bytes
/// follow.
fn write_varint(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Writes a signed number as a varint of its 64 bits, which takes ten bytes for negative numbers.
fn write_signed(number: impl Into<i64>, to: &mut Vec<u8>) {
    write_varint(number.into().cast_unsigned(), to);
}

/// Writes a signed number as a zigzag varint, whose lowest bit is the sign.
fn write_zigzag(number: impl Into<i64>, to: &mut Vec<u8>) {
    let number: i64 = number.into();
    write_varint((number << 1 ^ number >> 63).cast_unsigned(), to);
}

fn write_bytes(bytes: &[u8], to: &mut Vec<u8>) {
    write_varint(bytes.len() as u64, to);
    to.extend_from_slice(bytes);
}
