//! Reads messages from JSON, straight into their encoded form: what that is decoded to needs no model besides.

use super::{
    JsonFlaw, JsonMapping, MessageJsonError,
    exact_number::parse_whole_number,
    tables::{EnumWord, FieldTable, MessageTable, ValueKind},
};
use base64::{
    Engine as _,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};
use prost_reflect::Kind;
use serde_json::Value;
use std::fmt::Display;

/// Standard base64, whose padding may be missing.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

impl JsonMapping {
    /// Writes the message of a JSON in protobuf's encoding, with its fields in the order of the JSON.
    pub(super) fn encode_message(
        self,
        table: &MessageTable,
        json: &Value,
        to: &mut Vec<u8>,
    ) -> Result<(), MessageJsonError> {
        let object = json.as_object().ok_or_else(|| JsonFlaw::wrong_type(json, "an object"))?;
        let mut seen = Vec::with_capacity(object.len());
        // The alternatives that are set.
        let mut set = Vec::new();
        for (key, value) in object {
            let field = table.find_field(key, self);
            let field = field.ok_or_else(|| JsonFlaw::unknown_key(key, table.keys()))?;
            if seen.contains(&field.number) {
                return Err(JsonFlaw::KeyTwice { key: field.name.clone() }.into());
            }
            seen.push(field.number);
            if value.is_null() {
                continue;
            }
            if let Some(other) = set_alternative(&set, field) {
                return Err(JsonFlaw::TwoAlternatives { one: other.name.clone(), other: key.clone() }.into());
            }
            if field.choice.is_some() {
                set.push(field);
            }
            self.encode_field(field, value, to).map_err(|error| error.in_member(key))?;
        }
        Ok(())
    }

    fn encode_field(
        self,
        field: &FieldTable,
        json: &Value,
        to: &mut Vec<u8>,
    ) -> Result<(), MessageJsonError> {
        if !field.is_list {
            return self.encode_value(field, json, to);
        }
        let list = json.as_array().ok_or_else(|| JsonFlaw::wrong_type(json, "a list"))?;
        list.iter().enumerate().try_for_each(|(index, json)| {
            self.encode_value(field, json, to).map_err(|error| error.in_element(index))
        })
    }

    fn encode_value(
        self,
        field: &FieldTable,
        json: &Value,
        to: &mut Vec<u8>,
    ) -> Result<(), MessageJsonError> {
        write_varint(u64::from(field.number) << 3 | field.wire_type, to);
        match &field.kind {
            ValueKind::Message(linked) => {
                let start = to.len();
                self.encode_message(linked.table(), json, to)?;
                insert_length(start, to);
            }
            ValueKind::Enum(words) => write_signed(self.read_enum(words, json)?, to),
            ValueKind::Scalar(kind) => self.encode_scalar(kind, json, to)?,
        }
        Ok(())
    }

    fn encode_scalar(self, kind: &Kind, json: &Value, to: &mut Vec<u8>) -> Result<(), JsonFlaw> {
        match kind {
            Kind::String => {
                let text = json.as_str().ok_or_else(|| JsonFlaw::wrong_type(json, "a text"))?;
                write_bytes(text.as_bytes(), to);
            }
            Kind::Bytes => write_bytes(&self.read_bytes(json)?, to),
            Kind::Bool => {
                let is_true = json.as_bool().ok_or_else(|| JsonFlaw::wrong_type(json, "true or false"))?;
                write_varint(is_true.into(), to);
            }
            Kind::Double => to.extend(self.read_double(json)?.to_le_bytes()),
            Kind::Float => to.extend((self.read_double(json)? as f32).to_le_bytes()),
            Kind::Int32 => write_signed(self.read_whole_number(json, i32::MIN, i32::MAX)?, to),
            Kind::Int64 => write_signed(self.read_whole_number(json, i64::MIN, i64::MAX)?, to),
            Kind::Sint32 => write_folded(self.read_whole_number(json, i32::MIN, i32::MAX)?, to),
            Kind::Sint64 => write_folded(self.read_whole_number(json, i64::MIN, i64::MAX)?, to),
            Kind::Sfixed32 => to.extend(self.read_whole_number(json, i32::MIN, i32::MAX)?.to_le_bytes()),
            Kind::Sfixed64 => to.extend(self.read_whole_number(json, i64::MIN, i64::MAX)?.to_le_bytes()),
            Kind::Uint32 => write_varint(self.read_whole_number(json, u32::MIN, u32::MAX)?.into(), to),
            Kind::Uint64 => write_varint(self.read_whole_number(json, u64::MIN, u64::MAX)?, to),
            Kind::Fixed32 => to.extend(self.read_whole_number(json, u32::MIN, u32::MAX)?.to_le_bytes()),
            Kind::Fixed64 => to.extend(self.read_whole_number(json, u64::MIN, u64::MAX)?.to_le_bytes()),
            Kind::Message(_) | Kind::Enum(_) => unreachable!("they are kinds of their own"),
        }
        Ok(())
    }

    fn read_enum(self, known: &[EnumWord], json: &Value) -> Result<i32, JsonFlaw> {
        match json.as_str() {
            None if json.is_number() => self.read_whole_number(json, i32::MIN, i32::MAX),
            None => Err(JsonFlaw::wrong_type(json, "a word")),
            Some(word) => {
                let value = known.iter().find(|value| value.word(self) == word);
                let words = || known.iter().map(|value| value.word(self).to_owned()).collect();
                value.map(|value| value.number).ok_or_else(|| JsonFlaw::unknown_word(word, words()))
            }
        }
    }

    fn read_bytes(self, json: &Value) -> Result<Vec<u8>, JsonFlaw> {
        let word = json.as_str().ok_or_else(|| JsonFlaw::wrong_type(json, "bytes in base64"))?;
        STANDARD.decode(word).or_else(|_| match self {
            Self::Printed => Err(JsonFlaw::wrong_type(json, "bytes in base64, with padding")),
            Self::Proto3 => {
                let standard = word.replace('-', "+").replace('_', "/");
                LENIENT.decode(standard).map_err(|_| JsonFlaw::wrong_type(json, "bytes in base64"))
            }
        })
    }

    fn read_double(self, json: &Value) -> Result<f64, JsonFlaw> {
        match (json.as_str(), self) {
            (Some("NaN"), _) => Ok(f64::NAN),
            (Some("Infinity"), _) => Ok(f64::INFINITY),
            (Some("-Infinity"), _) => Ok(f64::NEG_INFINITY),
            (Some(text), Self::Proto3) => {
                let number = serde_json::from_str::<f64>(text).ok();
                number.ok_or_else(|| JsonFlaw::wrong_type(json, "a number"))
            }
            _ => json.as_f64().ok_or_else(|| JsonFlaw::wrong_type(json, "a number")),
        }
    }

    /// Reads a number without a fraction; `lowest` and `highest` are what its type holds.
    fn read_whole_number<N: TryFrom<i128> + Display>(
        self,
        json: &Value,
        lowest: N,
        highest: N,
    ) -> Result<N, JsonFlaw> {
        // JSON has one kind of number: 3.0 is whole as well, and what 64 bits do not hold is read as a double.
        let whole = json
            .as_i64()
            .map(i128::from)
            .or_else(|| json.as_u64().map(i128::from))
            .or_else(|| json.as_f64().filter(|value| value.fract() == 0.0).map(|value| value as i128))
            .or_else(|| json.as_str().filter(|_| self == Self::Proto3).and_then(parse_whole_number));
        let whole = whole.ok_or_else(|| JsonFlaw::wrong_type(json, "a whole number"))?;
        N::try_from(whole).map_err(|_| JsonFlaw::out_of_range(json, lowest, highest))
    }
}

/// Returns the alternative to a field that is set already, if there is one.
fn set_alternative<'a>(set: &[&'a FieldTable], field: &FieldTable) -> Option<&'a FieldTable> {
    set.iter().copied().find(|other| field.choice.is_some() && other.choice == field.choice)
}

/// Writes the length of what begins at `start` and ends with the last byte in front of it.
fn insert_length(start: usize, to: &mut Vec<u8>) {
    let end = to.len();
    write_varint((end - start) as u64, to);
    let length_bytes = to.len() - end;
    to[start..].rotate_right(length_bytes);
}

/// Writes seven bits a byte, the lowest first; the highest bit says that more follow.
fn write_varint(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Writes all bits of a number, which are many below zero.
fn write_signed(number: impl Into<i64>, to: &mut Vec<u8>) {
    write_varint(number.into().cast_unsigned(), to);
}

/// Writes a number with its sign as the lowest bit.
fn write_folded(number: impl Into<i64>, to: &mut Vec<u8>) {
    let number: i64 = number.into();
    write_varint((number << 1 ^ number >> 63).cast_unsigned(), to);
}

fn write_bytes(bytes: &[u8], to: &mut Vec<u8>) {
    write_varint(bytes.len() as u64, to);
    to.extend_from_slice(bytes);
}
