//! Settings that are JSON objects.

use lastnim_config::SettingValue;
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// A setting that is a JSON object: a table in a file, or text on a command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JsonObject(pub Map<String, Value>);

impl SettingValue for JsonObject {
    fn to_json(&self) -> Value {
        if self.0.is_empty() { Value::Null } else { Value::Object(self.0.clone()) }
    }

    fn set(&mut self, json: &Value, _: &RangeInclusive<u64>) -> Result<(), String> {
        let parsed = json.as_str().and_then(|text| serde_json::from_str(text).ok());
        match parsed.as_ref().unwrap_or(json) {
            Value::Object(object) => {
                self.0.clone_from(object);
                Ok(())
            }
            other => Err(format!("{other}: expected a JSON object such as {{\"key\": 1}}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tables_and_text_are_read() {
        let mut object = JsonObject::default();
        assert_eq!(object.to_json(), Value::Null);
        for json in [json!({ "a": 1 }), json!("{\"a\": 1}")] {
            object.set(&json, &(0..=0)).unwrap();
            assert_eq!(object.to_json(), json!({ "a": 1 }));
        }
        let why = object.set(&json!("[1]"), &(0..=0)).unwrap_err();
        assert_eq!(why, "[1]: expected a JSON object such as {\"key\": 1}");
        assert!(object.set(&json!("a=1"), &(0..=0)).unwrap_err().contains("a=1"));
    }
}
