//! Reads the settings file that `--config` names.

use super::settings::ServeSettings;
use crate::toml_file::{FileMistake, TomlDocument};
use lastnim_config::{Setting, SettingTable as _};

/// Applies the settings in a TOML text.
///
/// # Errors
/// Every mistake, top to bottom; only the first if the text is not TOML.
pub fn apply_config_text(text: &str, settings: &mut ServeSettings) -> Result<(), Vec<FileMistake>> {
    let mut toml = TomlDocument::parse(text)?;
    let mut settings = settings.settings();
    let keys: Vec<_> = settings.iter().map(Setting::key).collect();
    toml.has_table("", &keys);
    for (setting, key) in settings.iter_mut().zip(keys) {
        let Some(value) = toml.get(key).cloned() else { continue };
        if let Err(error) = setting.set(&value) {
            toml.report_mistake(key, error);
        }
    }
    toml.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_settings_are_read_back() {
        let mut settings = ServeSettings { threads: Some(3), ..ServeSettings::default() };
        settings.server.limits.sessions = 7;
        settings.server.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
        settings.key = Some("a \"key\"\u{7f}".into());
        let mut file = Vec::new();
        settings.clone().write_file(&mut file).unwrap();
        let mut parsed = ServeSettings::default();
        apply_config_text(&String::from_utf8(file).unwrap(), &mut parsed).unwrap();
        assert_eq!(parsed, settings);
    }

    #[test]
    fn every_mistake_has_its_line() {
        let text = "sessions = 0\n\nsesions = 7\nlisten = \"nowhere\"\nprivate = 1\nthreads = \"2\"\n\
                    trusted_proxies = [\"10.0.0.0/8\", 7]\nping_interval = \"5ms\"\nstore = \"postgres://me:secret@host:x/db\"\n\
                    key = 1979-05-27\n[limits]\nbots = 3\n";
        let mistakes = apply_config_text(text, &mut ServeSettings::default()).unwrap_err();
        let found: Vec<_> =
            mistakes.iter().map(|FileMistake { line, what }| format!("{line}: {what}")).collect();
        let expected = [
            "1: sessions: 0 is not a whole number from 1 to 4294967295",
            "3: sesions: unknown key: did you mean `sessions`? ",
            "4: listen: \"nowhere\" is not a host and a port, such as 127.0.0.1:7600",
            "5: private: 1 is not true or false",
            "6: threads: \"2\" is not a whole number from 1 to 1024",
            "7: trusted_proxies: 7 is not a string",
            "8: ping_interval: 5ms is not a duration from 100ms to 20s",
            "9: store: unknown store \"postgres://me:***@host:x/db\"",
            "10: key: {\"date\":\"1979-05-27\"} is not a string",
            "11: limits: unknown key: ",
        ];
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found} is not {expected}");
        }
    }
}
