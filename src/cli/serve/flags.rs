//! The flags of the settings.

use super::settings::ServeSettings;
use crate::{
    cli::Failure,
    config::{Setting, SettingTable as _},
};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, parser::ValueSource};
use serde_json::Value;

/// The settings that are given on the command line or in the environment: their keys and words.
#[derive(Debug)]
pub struct SettingFlags(Vec<(String, Vec<String>)>);

impl SettingFlags {
    /// Changes the settings that are given.
    ///
    /// # Errors
    /// Names the first flag whose value does not fit.
    pub fn apply(&self, settings: &mut ServeSettings) -> Result<(), Failure> {
        for mut setting in settings.settings() {
            let key = setting.key();
            let Some((_, words)) = self.0.iter().find(|(given, _)| *given == key) else { continue };
            setting.set_words(words).map_err(|error| {
                let variable = setting.environment_variable();
                let variable = variable.map(|variable| format!(" or {variable}")).unwrap_or_default();
                Failure::input(format!("--{}{variable}: {error}", setting.flag()))
            })?;
        }
        Ok(())
    }
}

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        ServeSettings::default()
            .settings()
            .iter()
            .fold(command, |command, setting| command.arg(flag(setting)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let keys: Vec<_> = ServeSettings::default().settings().iter().map(Setting::key).collect();
        let given = keys.into_iter().filter(|key| {
            matches.value_source(key).is_some_and(|source| source != ValueSource::DefaultValue)
        });
        let words = |key: &str| matches.get_many(key).into_iter().flatten().cloned().collect();
        Ok(Self(given.map(|key| (key.clone(), words(&key))).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Makes the flag of a setting; its words are read by the setting itself, which never repeats a password.
fn flag(setting: &Setting<'_>) -> Arg {
    let lines: Vec<_> = setting.doc_lines().collect();
    let mut paragraphs = lines.split(|line| line.is_empty()).map(|lines| lines.join(" "));
    let arg = Arg::new(setting.key())
        .long(setting.flag())
        .value_name(setting.placeholder())
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
        Value::Array(_) => arg.action(ArgAction::Append),
        Value::Bool(_) => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        Value::Number(number) => arg.default_value(number.to_string()),
        Value::String(text) => arg.default_value(text),
        _ => arg,
    };
    let arg = match setting.environment_variable() {
        Some(variable) => arg.env(variable).hide_env_values(true),
        None => arg,
    };
    match setting.former_flag() {
        Some(former) => arg.alias(former),
        None => arg,
    }
}
