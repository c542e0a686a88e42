//! Hashes of configurations.

use super::{AMENDABLE_SETTINGS, LlmSettings, prompt::PromptTemplate};
use lastnim_config::SettingTable as _;
use serde_json::{Map, Value};

/// Settings that do not affect play: locations of keys and files, and how long to wait for an organiser. The text of
/// the prompt is hashed instead of its path.
const OMITTED_SETTINGS: [&str; 7] =
    ["api_key_env", "prompt", "transcript", "ledger", "shared_ledger", "rate_file", "outage_limit"];

/// Returns the settings that affect play.
pub fn settings_json(settings: &LlmSettings) -> Value {
    let mut settings = settings.clone();
    let all = settings.settings().into_iter().map(|setting| (setting.key().to_owned(), setting.value()));
    Value::Object(all.filter(|(key, _)| !OMITTED_SETTINGS.contains(&key.as_str())).collect::<Map<_, _>>())
}

/// Returns the settings that affect play and cannot be changed during a run.
fn fixed_settings_json(settings: &LlmSettings) -> Value {
    let mut json = settings_json(settings);
    if let Some(settings) = json.as_object_mut() {
        settings.retain(|key, _| !AMENDABLE_SETTINGS.contains(&key.as_str()));
    }
    json
}

/// Hashes the template, the settings that cannot be amended, the random seed, and the version of the program.
pub fn hash_config(settings: &LlmSettings, prompt: &PromptTemplate, seed: u64) -> [u8; 32] {
    let parts = [
        env!("CARGO_PKG_VERSION").to_owned(),
        prompt.text().to_owned(),
        fixed_settings_json(settings).to_string(),
        seed.to_string(),
    ];
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"lastnim llm bot 1");
    for part in parts {
        // Length prefixes separate the parts unambiguously.
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_config::Decimal;

    #[test]
    fn every_amendable_setting_exists() {
        let mut settings = LlmSettings::default();
        let keys: Vec<_> = settings.settings().iter().map(lastnim_config::Setting::key).collect();
        for key in AMENDABLE_SETTINGS {
            assert!(keys.contains(&key), "{key}");
        }
    }

    #[test]
    fn the_hash_depends_only_on_what_affects_play() {
        let prompt = PromptTemplate::built_in();
        let usual = LlmSettings { model: "m".into(), ..LlmSettings::default() };
        let hash = |settings: &LlmSettings| hash_config(settings, &prompt, 0);
        let changed = [
            LlmSettings { model: "n".into(), ..usual.clone() },
            LlmSettings { temperature: Some(Decimal::default()), ..usual.clone() },
            LlmSettings { answers: 1, ..usual.clone() },
        ];
        let hashes: std::collections::BTreeSet<_> = changed.iter().chain([&usual]).map(hash).collect();
        assert_eq!(hashes.len(), 4);
        let same = LlmSettings {
            api_key_env: Some("OTHER".parse().unwrap()),
            transcript: Some("t".into()),
            prompt: Some("copy.md".into()),
            token_budget: Some(7),
            retries: 0,
            ..usual.clone()
        };
        assert_eq!(hash(&same), hash(&usual));
        let other = PromptTemplate::parse("{{ seat }}", "other").unwrap();
        assert_ne!(hash_config(&usual, &other, 0), hash(&usual));
        assert_ne!(hash_config(&usual, &prompt, 1), hash(&usual));
    }
}
