//! Reads messages from JSON.

use super::{
    JsonFlaw, JsonMapping, MessageJsonError, enum_words, exact_number::parse_whole_number, is_alternative,
};
use base64::{
    Engine as _,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};
use prost_reflect::{
    DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, Value as Field,
};
use serde_json::Value;
use std::{collections::HashSet, fmt::Display};

/// Standard base64, whose padding may be missing.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

impl JsonMapping {
    pub(super) fn read_message(
        self,
        descriptor: &MessageDescriptor,
        json: &Value,
    ) -> Result<DynamicMessage, MessageJsonError> {
        let object = json.as_object().ok_or_else(|| JsonFlaw::wrong_type(json, "an object"))?;
        let mut message = DynamicMessage::new(descriptor.clone());
        let mut seen = HashSet::new();
        for (key, value) in object {
            let field = self.find_field(descriptor, key);
            let keys = || descriptor.fields().map(|field| field.name().to_owned()).collect();
            let field = field.ok_or_else(|| JsonFlaw::unknown_key(key, keys()))?;
            if !seen.insert(field.number()) {
                return Err(JsonFlaw::KeyTwice { key: field.name().to_owned() }.into());
            }
            if value.is_null() {
                continue;
            }
            if let Some(other) = set_alternative(&message, &field) {
                return Err(JsonFlaw::TwoAlternatives { one: other, other: key.clone() }.into());
            }
            let value = self.read_field(&field, value).map_err(|error| error.in_member(key))?;
            message.set_field(&field, value);
        }
        Ok(message)
    }

    fn find_field(self, descriptor: &MessageDescriptor, key: &str) -> Option<FieldDescriptor> {
        let field = descriptor.get_field_by_name(key);
        match self {
            Self::Printed => field,
            Self::Proto3 => field.or_else(|| descriptor.get_field_by_json_name(key)),
        }
    }

    fn read_field(self, field: &FieldDescriptor, json: &Value) -> Result<Field, MessageJsonError> {
        if !field.is_list() {
            return self.read_value(&field.kind(), json);
        }
        let list = json.as_array().ok_or_else(|| JsonFlaw::wrong_type(json, "a list"))?;
        let read =
            |(index, json)| self.read_value(&field.kind(), json).map_err(|error| error.in_element(index));
        list.iter().enumerate().map(read).collect::<Result<_, _>>().map(Field::List)
    }

    fn read_value(self, kind: &Kind, json: &Value) -> Result<Field, MessageJsonError> {
        Ok(match kind {
            Kind::Message(descriptor) => Field::Message(self.read_message(descriptor, json)?),
            Kind::Enum(kind) => Field::EnumNumber(self.read_enum(kind, json)?),
            Kind::Bool => {
                Field::Bool(json.as_bool().ok_or_else(|| JsonFlaw::wrong_type(json, "true or false"))?)
            }
            Kind::String => {
                Field::String(json.as_str().ok_or_else(|| JsonFlaw::wrong_type(json, "a text"))?.to_owned())
            }
            Kind::Bytes => Field::Bytes(self.read_bytes(json)?.into()),
            Kind::Double => Field::F64(self.read_double(json)?),
            Kind::Float => Field::F32(self.read_double(json)? as f32),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => {
                Field::I32(self.read_whole_number(json, i32::MIN, i32::MAX)?)
            }
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => {
                Field::I64(self.read_whole_number(json, i64::MIN, i64::MAX)?)
            }
            Kind::Uint32 | Kind::Fixed32 => Field::U32(self.read_whole_number(json, u32::MIN, u32::MAX)?),
            Kind::Uint64 | Kind::Fixed64 => Field::U64(self.read_whole_number(json, u64::MIN, u64::MAX)?),
        })
    }

    fn read_enum(self, kind: &EnumDescriptor, json: &Value) -> Result<i32, JsonFlaw> {
        let Some(word) = json.as_str() else {
            let is_number = json.is_number();
            return if is_number {
                self.read_whole_number(json, i32::MIN, i32::MAX)
            } else {
                Err(JsonFlaw::wrong_type(json, "a word"))
            };
        };
        let words: Vec<(i32, String)> = match self {
            Self::Printed => enum_words(kind).collect(),
            Self::Proto3 => kind.values().map(|value| (value.number(), value.name().to_owned())).collect(),
        };
        match words.iter().find(|(_, known)| known == word) {
            Some((number, _)) => Ok(*number),
            None => Err(JsonFlaw::unknown_word(word, words.into_iter().map(|(_, word)| word).collect())),
        }
    }

    fn read_bytes(self, json: &Value) -> Result<Vec<u8>, JsonFlaw> {
        let word = json.as_str().ok_or_else(|| JsonFlaw::wrong_type(json, "bytes in base64"))?;
        match self {
            Self::Printed => {
                STANDARD.decode(word).map_err(|_| JsonFlaw::wrong_type(json, "bytes in base64, with padding"))
            }
            Self::Proto3 => {
                let standard = word.replace('-', "+").replace('_', "/");
                LENIENT.decode(standard).map_err(|_| JsonFlaw::wrong_type(json, "bytes in base64"))
            }
        }
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
fn set_alternative(message: &DynamicMessage, field: &FieldDescriptor) -> Option<String> {
    let choice = field.containing_oneof().filter(|_| is_alternative(field))?;
    choice.fields().find(|other| message.has_field(other)).map(|other| other.name().to_owned())
}
