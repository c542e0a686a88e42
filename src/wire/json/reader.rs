//! Reads messages from JSON.

use super::{JsonFlaw, MessageJsonError, enum_words, is_alternative};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use prost_reflect::{
    DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, Value as Field,
};
use serde_json::Value;
use std::fmt::Display;

pub(super) fn read_message(
    descriptor: &MessageDescriptor,
    json: &Value,
) -> Result<DynamicMessage, MessageJsonError> {
    let object = json.as_object().ok_or_else(|| JsonFlaw::wrong_type(json, "an object"))?;
    let mut message = DynamicMessage::new(descriptor.clone());
    for (key, value) in object {
        let field = descriptor.get_field_by_name(key);
        let keys = || descriptor.fields().map(|field| field.name().to_owned()).collect();
        let field = field.ok_or_else(|| JsonFlaw::unknown_key(key, keys()))?;
        if value.is_null() {
            continue;
        }
        if let Some(other) = set_alternative(&message, &field) {
            return Err(JsonFlaw::TwoAlternatives { one: other, other: key.clone() }.into());
        }
        let value = read_field(&field, value).map_err(|error| error.in_member(key))?;
        message.set_field(&field, value);
    }
    Ok(message)
}

/// Returns the alternative to a field that is set already, if there is one.
fn set_alternative(message: &DynamicMessage, field: &FieldDescriptor) -> Option<String> {
    let choice = field.containing_oneof().filter(|_| is_alternative(field))?;
    choice.fields().find(|other| message.has_field(other)).map(|other| other.name().to_owned())
}

fn read_field(field: &FieldDescriptor, json: &Value) -> Result<Field, MessageJsonError> {
    if !field.is_list() {
        return read_value(&field.kind(), json);
    }
    let list = json.as_array().ok_or_else(|| JsonFlaw::wrong_type(json, "a list"))?;
    let read = |(index, json)| read_value(&field.kind(), json).map_err(|error| error.in_element(index));
    list.iter().enumerate().map(read).collect::<Result<_, _>>().map(Field::List)
}

fn read_value(kind: &Kind, json: &Value) -> Result<Field, MessageJsonError> {
    let word = |expected| json.as_str().ok_or_else(|| JsonFlaw::wrong_type(json, expected));
    Ok(match kind {
        Kind::Message(descriptor) => Field::Message(read_message(descriptor, json)?),
        Kind::Enum(kind) => Field::EnumNumber(read_enum(kind, json)?),
        Kind::Bool => Field::Bool(json.as_bool().ok_or_else(|| JsonFlaw::wrong_type(json, "true or false"))?),
        Kind::String => Field::String(word("a text")?.to_owned()),
        Kind::Bytes => {
            let bytes = STANDARD.decode(word("bytes in base64")?);
            let bytes = bytes.map_err(|_| JsonFlaw::wrong_type(json, "bytes in base64, with padding"))?;
            Field::Bytes(bytes.into())
        }
        Kind::Double => Field::F64(read_double(json)?),
        Kind::Float => Field::F32(read_double(json)? as f32),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => {
            Field::I32(read_whole_number(json, i32::MIN, i32::MAX)?)
        }
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => {
            Field::I64(read_whole_number(json, i64::MIN, i64::MAX)?)
        }
        Kind::Uint32 | Kind::Fixed32 => Field::U32(read_whole_number(json, u32::MIN, u32::MAX)?),
        Kind::Uint64 | Kind::Fixed64 => Field::U64(read_whole_number(json, u64::MIN, u64::MAX)?),
    })
}

fn read_enum(kind: &EnumDescriptor, json: &Value) -> Result<i32, JsonFlaw> {
    let Some(word) = json.as_str() else {
        let is_number = json.is_number();
        return if is_number {
            read_whole_number(json, i32::MIN, i32::MAX)
        } else {
            Err(JsonFlaw::wrong_type(json, "a word"))
        };
    };
    let known = enum_words(kind).find(|(_, known)| known == word);
    let words = || enum_words(kind).map(|(_, word)| word).collect();
    known.map(|(number, _)| number).ok_or_else(|| JsonFlaw::unknown_word(word, words()))
}

fn read_double(json: &Value) -> Result<f64, JsonFlaw> {
    match json.as_str() {
        Some("NaN") => Ok(f64::NAN),
        Some("Infinity") => Ok(f64::INFINITY),
        Some("-Infinity") => Ok(f64::NEG_INFINITY),
        _ => json.as_f64().ok_or_else(|| JsonFlaw::wrong_type(json, "a number")),
    }
}

/// Reads a number without a fraction; `lowest` and `highest` are what its type holds.
fn read_whole_number<N: TryFrom<i128> + Display>(json: &Value, lowest: N, highest: N) -> Result<N, JsonFlaw> {
    let whole = json.as_i64().map(i128::from).or_else(|| json.as_u64().map(i128::from));
    // JSON has one kind of number: 3.0 is whole as well, and what 64 bits do not hold is read as a double.
    let whole =
        whole.or_else(|| json.as_f64().filter(|value| value.fract() == 0.0).map(|value| value as i128));
    let whole = whole.ok_or_else(|| JsonFlaw::wrong_type(json, "a whole number"))?;
    N::try_from(whole).map_err(|_| JsonFlaw::out_of_range(json, lowest, highest))
}
