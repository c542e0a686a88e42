//! Command-line flags for settings.

use crate::{
    Failure,
    args::given_flags::{FlagTable, GivenFlags},
};
use clap::{Arg, ArgAction};
use lastnim_config::{Setting, SettingTable};
use serde_json::Value;

/// Creates a flag for each setting, with the setting's value as the default.
pub fn setting_flags(settings: &mut impl SettingTable) -> Vec<Arg> {
    settings.settings().iter().map(setting_flag).collect()
}

/// Changes the settings for which a flag is given.
///
/// # Errors
/// Names the first flag with a bad value.
pub fn apply_flags<T: SettingTable + FlagTable>(
    given: &GivenFlags<T>,
    settings: &mut T,
) -> Result<(), Failure> {
    for mut setting in settings.settings() {
        let Some(words) = given.words(setting.key()) else { continue };
        setting.set_from_arguments(words).map_err(|error| {
            let variable = setting.variable.map(|variable| format!(" or {variable}")).unwrap_or_default();
            Failure::input(format!("--{}{variable}: {error}", setting.flag()))
        })?;
    }
    Ok(())
}

/// Creates the flag for a setting. The setting itself parses the value, and its errors never repeat a
/// password.
fn setting_flag(setting: &Setting<'_>) -> Arg {
    let lines: Vec<_> = setting.doc_lines().collect();
    let mut paragraphs = lines.split(|line| line.is_empty()).map(|lines| lines.join(" "));
    let arg = Arg::new(setting.key())
        .long(setting.flag())
        .value_name(setting.placeholder)
        .allow_negative_numbers(true)
        .help(paragraphs.next().unwrap_or_default());
    let more: Vec<_> = paragraphs.collect();
    let arg = if more.is_empty() {
        arg
    } else {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        arg.long_help([vec![help], more].concat().join("\n\n"))
    };
    let arg = match setting.value() {
        Value::Array(_) => arg.action(ArgAction::Append).value_delimiter(','),
        Value::Bool(_) => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        Value::Number(number) => arg.default_value(number.to_string()),
        Value::String(text) if !text.is_empty() => arg.default_value(text),
        _ => arg,
    };
    match setting.variable {
        Some(variable) => arg.env(variable).hide_env_values(true),
        None => arg,
    }
}
