//! The tables `[[bot]]`, each of which describes a player.

use crate::{
    program_variables::{GivenVariables, check_variable_name},
    toml_file::{TomlDocument, member_path},
    tournament_file::{
        llm_entry::read_llm_settings,
        sandbox_table::{SandboxTable, read_sandbox_word},
    },
};
use lastnim_bots::{HouseBot, HouseBotError};
use lastnim_core::game::{BotName, BotNameError};
use lastnim_llm::LlmSettings;
use lastnim_report::words::join_with_and;
use serde_json::Value;
use std::collections::BTreeMap;

/// The keys of a bot.
const BOT_KEYS: [&str; 10] =
    ["name", "command", "house", "llm", "remote", "seed", "env", "pass_env", "folder", "sandbox"];
/// The keys that only a bot with `command` has.
const PROGRAM_KEYS: [&str; 4] = ["env", "pass_env", "folder", "sandbox"];

/// A bot of a tournament file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerEntry {
    /// The name of the bot.
    pub name: BotName,
    /// Where the bot comes from.
    pub origin: BotOrigin,
}

/// Where a bot comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BotOrigin {
    /// A program on this machine.
    Command(ProgramEntry),
    /// A house bot, and the seed of its random takes.
    House(HouseBot, u64),
    /// A language model, and the seed of the takes made when it gives no answer.
    Llm(Box<LlmSettings>, u64),
    /// A bot that runs elsewhere and that its author enters.
    Remote,
}

/// A program that plays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramEntry {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The environment variables that it gets.
    pub variables: GivenVariables,
    /// The folder in which it runs, as a path from the folder of the file.
    pub folder: Option<String>,
    /// Whether it runs in a sandbox.
    pub is_sandboxed: bool,
}

/// The bots of a file.
#[derive(Debug, Default)]
pub struct PlayerEntries {
    /// The entries without mistakes, in the order of the file.
    pub players: Vec<PlayerEntry>,
    /// The names of all entries, including those with mistakes.
    pub names: Vec<BotName>,
}

/// Reads the bots and reports their mistakes.
pub fn read_players(toml: &mut TomlDocument, sandbox: &SandboxTable) -> PlayerEntries {
    let mut entries = PlayerEntries::default();
    let Some(bots) = toml.get("bot").cloned() else {
        toml.report_missing("bot");
        return entries;
    };
    let bots = toml.some_or_report(bots.as_array(), "bot", &bots, "tables, each under [[bot]]");
    for (index, bot) in bots.into_iter().flatten().enumerate() {
        let path = format!("bot[{index}]");
        if !toml.check_table(&path, bot, &BOT_KEYS) {
            continue;
        }
        let name = read_name(bot, &path, toml);
        let origin = read_origin(bot, &path, sandbox, toml);
        let Some(name) = name else { continue };
        if entries.names.contains(&name) {
            let what = format_args!("bot: two bots are called {name}: use different names");
            toml.report_at_line(&path, what);
        }
        entries.names.push(name.clone());
        entries.players.extend(origin.map(|origin| PlayerEntry { name, origin }));
    }
    entries
}

fn read_name(bot: &Value, path: &str, toml: &mut TomlDocument) -> Option<BotName> {
    let path = member_path(path, "name");
    let Some(name) = bot.get("name") else {
        toml.report_missing(&path);
        return None;
    };
    let name = toml.some_or_report(name.as_str(), &path, name, "a string in quotes")?;
    name.parse().map_err(|error: BotNameError| toml.report_mistake(&path, error)).ok()
}

/// Reads the origin of a bot, and reports keys that do not belong to it.
fn read_origin(
    bot: &Value,
    path: &str,
    sandbox: &SandboxTable,
    toml: &mut TomlDocument,
) -> Option<BotOrigin> {
    let path_of = |key: &str| member_path(path, key);
    let seed = bot.get("seed");
    let drawn = seed
        .and_then(|seed| {
            toml.some_or_report(seed.as_u64(), &path_of("seed"), seed, "a whole number, 0 or more")
        })
        .unwrap_or_default();
    let origin = match (bot.get("command"), bot.get("house"), bot.get("remote"), bot.get("llm")) {
        (Some(command), None, None, None) => read_command(command, bot, path, sandbox, toml),
        (None, Some(house), None, None) => read_house_bot(house, drawn, &path_of("house"), toml),
        (None, None, None, Some(llm)) => {
            let settings = read_llm_settings(llm, &path_of("llm"), toml);
            settings.map(|settings| BotOrigin::Llm(Box::new(settings), drawn))
        }
        (None, None, Some(remote), None) => {
            let remote_bot = (*remote == true).then_some(BotOrigin::Remote);
            toml.some_or_report(
                remote_bot,
                &path_of("remote"),
                remote,
                "`true`; otherwise leave this key out",
            )
        }
        _ => {
            let what = "bot: expected one of `command`, `house`, `llm` and `remote = true`";
            toml.report_at_line(path, what);
            None
        }
    }?;
    let uses_seed = match &origin {
        BotOrigin::House(bot, _) => bot.draws_at_random(),
        BotOrigin::Llm(..) => true,
        BotOrigin::Command(..) | BotOrigin::Remote => false,
    };
    if seed.is_some() && !uses_seed {
        let drawing = join_with_and(&seeded_bot_kinds());
        let what = format_args!("only language models and the house bots {drawing} use a seed");
        toml.report_mistake(&path_of("seed"), what);
        return None;
    }
    let is_program = matches!(origin, BotOrigin::Command(..));
    if let Some(key) = PROGRAM_KEYS.into_iter().find(|key| bot.get(key).is_some() && !is_program) {
        toml.report_mistake(&path_of(key), "only a bot with `command` can have this key");
        return None;
    }
    Some(origin)
}

fn read_house_bot(house: &Value, seed: u64, path: &str, toml: &mut TomlDocument) -> Option<BotOrigin> {
    let word = toml.some_or_report(house.as_str(), path, house, "a string in quotes")?;
    let parsed = word.parse::<HouseBot>().map_err(|error| {
        let is_unknown = matches!(error, HouseBotError::Unknown(_));
        let meant = HouseBot::closest_to(word).filter(|_| is_unknown);
        let meant = meant.map(|bot| format!(": did you mean \"{bot}\"?")).unwrap_or_default();
        toml.report_mistake(path, format_args!("{error}{meant}"));
    });
    parsed.ok().map(|bot| BotOrigin::House(bot, seed))
}

/// Reads a program.
fn read_command(
    command: &Value,
    bot: &Value,
    path: &str,
    sandbox: &SandboxTable,
    toml: &mut TomlDocument,
) -> Option<BotOrigin> {
    let words = string_list(command).filter(|words| !words.is_empty());
    let expected = "a list of strings, such as [\"python3\", \"bot.py\"]";
    let words = toml.some_or_report(words, &member_path(path, "command"), command, expected);
    let variables = read_variables(bot, path, toml);
    let path_of = |key: &str| member_path(path, key);
    let folder = bot.get("folder").map(|folder| {
        let text = folder.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        toml.some_or_report(
            text,
            &path_of("folder"),
            folder,
            "a path from the folder of this file, such as \"mine\"",
        )
    });
    let is_sandboxed = match bot.get("sandbox") {
        Some(word) => read_sandbox_word(word, &path_of("sandbox"), toml),
        None => Some(sandbox.is_default),
    };
    let (words, variables) = words.zip(variables)?;
    let folder = match folder {
        Some(folder) => Some(folder?),
        None => None,
    };
    Some(BotOrigin::Command(ProgramEntry { words, variables, folder, is_sandboxed: is_sandboxed? }))
}

/// Reads the environment variables that a program gets.
fn read_variables(bot: &Value, path: &str, toml: &mut TomlDocument) -> Option<GivenVariables> {
    let (env_path, pass_path) = (member_path(path, "env"), member_path(path, "pass_env"));
    let mut given = GivenVariables::default();
    if let Some(env) = bot.get("env") {
        let expected = "a table of strings, such as { MODE = \"fast\" }";
        given.values = toml.some_or_report(string_table(env), &env_path, env, expected)?;
    }
    if let Some(passed) = bot.get("pass_env") {
        let expected = "a list of strings, such as [\"OPENAI_API_KEY\"]";
        given.passed = toml.some_or_report(string_list(passed), &pass_path, passed, expected)?;
    }
    let mut mistakes = Vec::new();
    for (name, value) in &given.values {
        mistakes.extend(check_variable_name(name).err().map(|why| (&env_path, why)));
        if value.contains('\0') {
            mistakes.push((&env_path, format!("{name}: the value contains a NUL character")));
        }
    }
    for name in &given.passed {
        mistakes.extend(check_variable_name(name).err().map(|why| (&pass_path, why)));
        if given.values.contains_key(name) {
            mistakes.push((
                &pass_path,
                format!("{name}: `env` also has a value for this variable: use only one of the two"),
            ));
        }
    }
    for (path, what) in &mistakes {
        toml.report_mistake(path, what);
    }
    mistakes.is_empty().then_some(given)
}

fn string_list(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|word| Some(word.as_str()?.to_owned())).collect()
}

fn string_table(value: &Value) -> Option<BTreeMap<String, String>> {
    let entries = value.as_object()?.iter();
    entries.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// Returns the kinds of house bots that use a seed.
fn seeded_bot_kinds() -> Vec<&'static str> {
    HouseBot::EXAMPLES.into_iter().filter(|bot| bot.draws_at_random()).map(HouseBot::kind).collect()
}
