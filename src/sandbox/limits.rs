//! What a sandboxed bot may use.

use lastnim_config::{SettingTable as _, settings};
use serde_json::{Map, Value};
use std::time::Duration;

settings! {
    /// The limits of a sandboxed bot, each a key of `[sandbox]` in a tournament file.
    pub struct SandboxLimits {
        /// The memory of all its processes together
        memory_bytes: u64 = 512 << 20, "SIZE".in_bytes().range(16 << 20..);
        /// Its processes and threads
        processes: u32 = 128, "NUMBER".range(2..=4096);
        /// The processor time of all its processes together
        cpu: Duration = Duration::from_hours(1), "DURATION".range(1_000..=86_400_000);
        /// The files that it writes
        scratch_bytes: u64 = 64 << 20, "SIZE".in_bytes().range(1 << 20..);
        /// The bytes that it prints
        output_bytes: u64 = 64 << 20, "SIZE".in_bytes().range(4 << 10..);
    }
}

impl SandboxLimits {
    /// Returns the limits as JSON, with the keys of a tournament file.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut limits = self.clone();
        limits.settings().iter().map(|setting| (setting.key().to_owned(), setting.value())).collect()
    }

    /// Reads the limits that [`Self::to_json`] wrote.
    ///
    /// # Errors
    /// Names a missing or bad value.
    pub fn parse(text: &str) -> Result<Self, String> {
        let json: Map<String, Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut limits = Self::default();
        for mut setting in limits.settings() {
            setting.set(json.get(setting.key()).unwrap_or(&Value::Null))?;
        }
        Ok(limits)
    }

    /// Returns the name and value of a limit, as in a tournament file.
    pub fn describe(&self, key: &str) -> String {
        format!("{key} = {}", self.to_json().get(key).unwrap_or(&Value::Null))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_they_are_written() {
        let limits =
            SandboxLimits { memory_bytes: 96 << 20, processes: 9, output_bytes: 5_000, ..Default::default() };
        let text = Value::from(limits.to_json()).to_string();
        assert_eq!(SandboxLimits::parse(&text), Ok(limits.clone()));
        assert_eq!(limits.describe("memory"), "memory = \"96MiB\"");
        assert_eq!(limits.describe("processes"), "processes = 9");
        let refused = SandboxLimits::parse(&text.replace("96MiB", "1MiB")).unwrap_err();
        assert_eq!(refused, "1MiB is not a size from 16MiB to 2GiB");
        assert!(SandboxLimits::parse("{}").is_err());
    }
}
