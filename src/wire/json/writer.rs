//! Writes messages as JSON.

use super::{enum_words, is_alternative};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use prost_reflect::{
    DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, ReflectMessage as _, Value as Field,
};
use serde_json::{Number, Value};

pub(super) fn write_message(message: &DynamicMessage) -> Value {
    let fields = message.descriptor();
    let fields = fields.fields().filter_map(|field| {
        let value = if !field.supports_presence() || message.has_field(&field) {
            write_value(&message.get_field(&field), &field)
        } else if is_alternative(&field) {
            return None;
        } else {
            Value::Null
        };
        Some((field.name().to_owned(), value))
    });
    Value::Object(fields.collect())
}

fn write_value(value: &Field, field: &FieldDescriptor) -> Value {
    match value {
        Field::Bool(value) => (*value).into(),
        Field::I32(value) => (*value).into(),
        Field::I64(value) => (*value).into(),
        Field::U32(value) => (*value).into(),
        Field::U64(value) => (*value).into(),
        Field::F32(value) => write_double((*value).into()),
        Field::F64(value) => write_double(*value),
        Field::String(value) => value.as_str().into(),
        Field::Bytes(value) => STANDARD.encode(value).into(),
        Field::EnumNumber(number) => match field.kind() {
            Kind::Enum(kind) => write_enum(*number, &kind),
            _ => (*number).into(),
        },
        Field::Message(message) => write_message(message),
        Field::List(values) => values.iter().map(|value| write_value(value, field)).collect(),
        Field::Map(_) => unreachable!("no field of ours is a map"),
    }
}

fn write_double(value: f64) -> Value {
    let words = if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    };
    Number::from_f64(value).map_or_else(|| words.into(), Value::Number)
}

fn write_enum(number: i32, kind: &EnumDescriptor) -> Value {
    let word = enum_words(kind).find(|(known, _)| *known == number);
    word.map_or_else(|| number.into(), |(_, word)| word.into())
}
