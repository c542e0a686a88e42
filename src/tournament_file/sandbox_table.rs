//! The table `[sandbox]`, which describes the sandbox of bots with `command`.

use crate::{
    sandbox::SandboxLimits,
    toml_file::{TomlDocument, member_path},
};
use lastnim_config::{Setting, SettingTable as _};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// The name of the table.
const TABLE_NAME: &str = "sandbox";
/// The key that puts all bots into a sandbox, except those that say otherwise.
const DEFAULT_KEY: &str = "default";
/// The key of further files and folders that all sandboxed bots can read.
const READ_ONLY_KEY: &str = "read_only";
/// The only kind of sandbox.
pub const SANDBOX_KIND: &str = "bubblewrap";
/// The word for a bot without a sandbox.
const NO_SANDBOX: &str = "none";

/// The sandbox of the bots that have one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxTable {
    /// Whether a bot that does not say otherwise has a sandbox.
    pub is_default: bool,
    /// More files and folders that these bots can read: absolute paths.
    pub read_only: Vec<PathBuf>,
    /// What a bot may use.
    pub limits: SandboxLimits,
}

impl SandboxTable {
    /// Reads the table and reports its mistakes.
    pub fn read(toml: &mut TomlDocument) -> Self {
        let mut table = Self::default();
        {
            let mut limits = table.limits.settings();
            let keys: Vec<_> =
                [DEFAULT_KEY, READ_ONLY_KEY].into_iter().chain(limits.iter().map(Setting::key)).collect();
            if !toml.has_table(TABLE_NAME, &keys) {
                return Self::default();
            }
            for limit in &mut limits {
                let path = member_path(TABLE_NAME, limit.key());
                let Some(value) = toml.get(&path).cloned() else { continue };
                if let Err(error) = limit.set(&value) {
                    toml.report_mistake(&path, error);
                }
            }
        }
        let path = member_path(TABLE_NAME, DEFAULT_KEY);
        if let Some(word) = toml.get(&path).cloned() {
            table.is_default = read_sandbox_word(&word, &path, toml).unwrap_or_default();
        }
        let path = member_path(TABLE_NAME, READ_ONLY_KEY);
        if let Some(list) = toml.get(&path).cloned() {
            let expected = "a list of absolute paths other than \"/\", such as [\"/opt/python\"]";
            table.read_only =
                toml.some_or_report(path_list(&list), &path, &list, expected).unwrap_or_default();
        }
        table
    }

    /// Returns what the sandboxed bots may read and use as JSON.
    pub fn to_json(&self) -> Value {
        let mut json = self.limits.to_json();
        json.insert(
            READ_ONLY_KEY.to_owned(),
            self.read_only.iter().map(|path| path.to_string_lossy()).collect(),
        );
        json.into()
    }
}

/// Reads whether a bot has a sandbox.
pub fn read_sandbox_word(word: &Value, path: &str, toml: &mut TomlDocument) -> Option<bool> {
    let is_sandboxed = match word.as_str() {
        Some(SANDBOX_KIND) => Some(true),
        Some(NO_SANDBOX) => Some(false),
        _ => None,
    };
    toml.some_or_report(is_sandboxed, path, word, "\"bubblewrap\" or \"none\"")
}

fn path_list(value: &Value) -> Option<Vec<PathBuf>> {
    let path_of = |word: &Value| {
        let path = Path::new(word.as_str()?);
        let is_plain = path.components().skip(1).all(|part| matches!(part, Component::Normal(_)));
        (path.is_absolute() && is_plain && path.parent().is_some()).then(|| path.to_owned())
    };
    value.as_array()?.iter().map(path_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_name_the_value_and_valid_ones() {
        let text = "[sandbox]\ndefault = \"docker\"\nmemory = \"1MiB\"\nprocesses = 0\nread_only = [\"/\"]\nnetwork = true\n";
        let mut toml = TomlDocument::parse(text).unwrap();
        SandboxTable::read(&mut toml);
        let mistakes = format!("{:?}", toml.finish().unwrap_err());
        for part in [
            "\\\"bubblewrap\\\" or \\\"none\\\"",
            "from 16MiB to 2GiB",
            "from 2 to 4096",
            "/opt/python",
            "network",
        ] {
            assert!(mistakes.contains(part), "{part}: {mistakes}");
        }
    }

    #[test]
    fn the_documentation_has_every_limit() {
        let docs = include_str!("../../docs/reference/settings.md");
        for (key, value) in SandboxLimits::default().to_json() {
            let value = if value.is_string() { format!("`{value}`") } else { value.to_string() };
            let row = format!("| `{key}` | {value} |");
            assert!(docs.contains(&row), "docs/reference/settings.md has no such row: {row}");
        }
    }

    #[test]
    fn the_table_is_read() {
        let text = "[sandbox]\ndefault = \"bubblewrap\"\ncpu = \"5s\"\nread_only = [\"/opt/python\"]\n";
        let mut toml = TomlDocument::parse(text).unwrap();
        let table = SandboxTable::read(&mut toml);
        toml.finish().unwrap();
        assert!(table.is_default);
        let json = table.to_json();
        assert_eq!((&json["cpu"], &json["read_only"][0]), (&"5s".into(), &"/opt/python".into()));
        assert_eq!(json["memory"], "512MiB", "the default");
    }
}
