//! The public address of a server.

use lastnim_config::{SettingValue, read_text};
use serde_json::Value;
use std::{fmt, ops::RangeInclusive, str::FromStr};

/// The public address of a server: scheme, host and an optional port, without a path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PublicUrl(String);

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("{text:?} is not a server address such as https://nim.example.org");
        let host =
            text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).ok_or_else(expected)?;
        let host = host.strip_suffix('/').unwrap_or(host);
        let is_part =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b':' | b'[' | b']');
        if host.is_empty() || !host.bytes().all(is_part) {
            return Err(expected());
        }
        Ok(Self(text.strip_suffix('/').unwrap_or(text).to_owned()))
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl SettingValue for PublicUrl {
    fn to_json(&self) -> Value {
        self.0.as_str().into()
    }

    fn set(&mut self, json: &Value, _: &RangeInclusive<u64>) -> Result<(), String> {
        *self = read_text(json)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_have_a_scheme_and_a_host_only() {
        for (text, read) in [
            ("https://nim.example.org", "https://nim.example.org"),
            ("http://[::1]:7600/", "http://[::1]:7600"),
        ] {
            assert_eq!(text.parse::<PublicUrl>().unwrap().to_string(), read);
        }
        for text in ["nim.example.org", "https://", "ftp://a", "https://a/b", "https://a\"b", "https://a?b"] {
            let why = text.parse::<PublicUrl>().unwrap_err();
            assert!(why.ends_with("is not a server address such as https://nim.example.org"), "{why}");
        }
    }
}
