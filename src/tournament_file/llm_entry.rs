//! The table `llm` of a bot, which describes a language model.

use crate::toml_file::{TomlDocument, member_path};
use lastnim_config::SettingTable as _;
use lastnim_llm::LlmSettings;
use serde_json::Value;

/// Settings that are not allowed in the table. The run puts transcripts, ledgers and rate files in its folder, and
/// `[llm]` contains the shared budgets and the outage limit.
const OMITTED_SETTINGS: [&str; 8] = [
    "transcript",
    "ledger",
    "shared_budget",
    "shared_token_budget",
    "shared_reply_token_budget",
    "shared_ledger",
    "rate_file",
    "outage_limit",
];

/// Reads the settings of a model and reports their mistakes.
pub fn read_llm_settings(llm: &Value, path: &str, toml: &mut TomlDocument) -> Option<LlmSettings> {
    let mut settings = LlmSettings::default();
    let mut fits = true;
    {
        let mut all = settings.settings();
        all.retain(|setting| !OMITTED_SETTINGS.contains(&setting.key()));
        let keys: Vec<_> = all.iter().map(lastnim_config::Setting::key).collect();
        if !toml.check_table(path, llm, &keys) {
            return None;
        }
        for (setting, key) in all.iter_mut().zip(keys) {
            let Some(value) = llm.get(key) else { continue };
            if let Err(error) = setting.set(value) {
                toml.report_mistake(&member_path(path, key), error);
                fits = false;
            }
        }
    }
    if llm.get("model").is_none() {
        toml.report_missing(&member_path(path, "model"));
        fits = false;
    } else if fits && settings.model.trim().is_empty() {
        toml.report_mistake(
            &member_path(path, "model"),
            "empty: expected the name that the endpoint uses for the model",
        );
        fits = false;
    }
    if let Err(why) = settings.check_base_url() {
        toml.report_mistake(&member_path(path, "base_url"), why);
        fits = false;
    }
    fits.then_some(settings)
}

/// Returns the settings that differ from the defaults, as arguments of `lastnim bot run llm`.
pub fn llm_arguments(settings: &LlmSettings) -> Vec<String> {
    let (mut settings, mut usual) = (settings.clone(), LlmSettings::default());
    let (settings, usual) = (settings.settings(), usual.settings());
    let changed = settings.iter().zip(&usual).filter(|(setting, usual)| setting.value() != usual.value());
    let arguments = changed.map(|(setting, _)| {
        let value = setting.value();
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("--{}={text}", setting.flag())
    });
    arguments.collect()
}

/// Returns the JSON of the settings that differ from the defaults.
pub fn llm_json(settings: &LlmSettings) -> Value {
    let (mut settings, mut usual) = (settings.clone(), LlmSettings::default());
    let (settings, usual) = (settings.settings(), usual.settings());
    let changed = settings.iter().zip(&usual).filter(|(setting, usual)| setting.value() != usual.value());
    changed
        .map(|(setting, _)| (setting.key().to_owned(), setting.value()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::given_flags::{FlagTable as _, GivenFlags};
    use crate::args::setting_flags::apply_flags;
    use clap::{Args as _, FromArgMatches as _};
    use serde_json::json;

    #[test]
    fn the_documentation_has_every_setting() {
        let docs = include_str!("../../docs/reference/language-models.md");
        for setting in LlmSettings::default().settings() {
            let value = match setting.value() {
                Value::String(text) if !text.is_empty() => format!("`{text}`"),
                Value::Bool(truth) => format!("`{truth}`"),
                Value::Number(number) => number.to_string(),
                _ => String::new(),
            };
            let row = format!("| `--{}` | {value}", setting.flag());
            assert!(docs.contains(&row), "docs/reference/language-models.md has no such row: {row}");
        }
    }

    #[test]
    fn settings_in_a_file_reach_the_bot() {
        let llm = json!({
            "model": "m 1", "base_url": "http://h/v1", "api_key_env": "KEY", "temperature": 0, "stream": false,
            "reasoning_effort": "high", "prompt": "-p.md", "max_tokens": 99, "on_failure": "random", "turn_timeout": "5s",
        });
        let mut toml = TomlDocument::parse("").unwrap();
        let settings = read_llm_settings(&llm, "bot[0].llm", &mut toml).unwrap();
        toml.finish().unwrap();
        assert_eq!(llm_json(&settings), llm);
        let command = GivenFlags::<LlmSettings>::augment_args(clap::Command::new("bot"));
        let arguments = ["bot".to_owned()].into_iter().chain(llm_arguments(&settings));
        let given = GivenFlags::from_arg_matches(&command.try_get_matches_from(arguments).unwrap()).unwrap();
        let mut parsed = LlmSettings::default();
        apply_flags(&given, &mut parsed).unwrap();
        assert_eq!(parsed, settings);
        assert!(LlmSettings::flags().len() > 10);
    }
}
