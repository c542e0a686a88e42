//! The tables `[[bot]]`: the players.

use crate::{
    toml_file::{TomlDocument, member_path},
    tournament_file::llm_entry::read_llm_settings,
};
use lastnim_bots::{HouseBot, HouseBotError};
use lastnim_core::game::{BotName, BotNameError};
use lastnim_llm::LlmSettings;
use lastnim_report::words::enumerate_words;
use serde_json::Value;

/// The keys of a bot.
const KEYS: [&str; 6] = ["name", "command", "house", "llm", "remote", "seed"];

/// A bot of a tournament file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerEntry {
    /// Its name.
    pub name: BotName,
    /// Its origin.
    pub origin: BotOrigin,
}

/// The origin of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BotOrigin {
    /// A program of this machine and its arguments.
    Command(Vec<String>),
    /// A house bot, and the seed of its random takes.
    House(HouseBot, u64),
    /// A language model, and the seed of the takes made when it gives no answer.
    Llm(Box<LlmSettings>, u64),
    /// It runs elsewhere, and joins on its own.
    Remote,
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
pub fn read_players(toml: &mut TomlDocument) -> PlayerEntries {
    let mut read = PlayerEntries::default();
    let Some(bots) = toml.get("bot").cloned() else {
        toml.report_missing("bot");
        return read;
    };
    let bots = toml.some_or_report(bots.as_array(), "bot", &bots, "tables, each under [[bot]]");
    for (index, bot) in bots.into_iter().flatten().enumerate() {
        let path = format!("bot[{index}]");
        if !toml.check_table(&path, bot, &KEYS) {
            continue;
        }
        let name = read_name(bot, &path, toml);
        let origin = read_origin(bot, &path, toml);
        let Some(name) = name else { continue };
        if read.names.contains(&name) {
            let what = format_args!("bot: a second bot is called {name}: use different names");
            toml.report_at_line(&path, what);
        }
        read.names.push(name.clone());
        read.players.extend(origin.map(|origin| PlayerEntry { name, origin }));
    }
    read
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

fn read_origin(bot: &Value, path: &str, toml: &mut TomlDocument) -> Option<BotOrigin> {
    let at = |key: &str| member_path(path, key);
    let seed = bot.get("seed");
    let drawn = seed
        .and_then(|seed| toml.some_or_report(seed.as_u64(), &at("seed"), seed, "a whole number of 0 or more"))
        .unwrap_or_default();
    let origin = match (bot.get("command"), bot.get("house"), bot.get("remote"), bot.get("llm")) {
        (Some(command), None, None, None) => {
            let words = command.as_array().filter(|words| !words.is_empty());
            let words =
                words.and_then(|words| words.iter().map(|word| Some(word.as_str()?.to_owned())).collect());
            let expected = "a list of strings, such as [\"python3\", \"bot.py\"]";
            toml.some_or_report(words.map(BotOrigin::Command), &at("command"), command, expected)
        }
        (None, Some(house), None, None) => {
            let word = toml.some_or_report(house.as_str(), &at("house"), house, "a string in quotes")?;
            let parsed = word.parse::<HouseBot>().map_err(|error| {
                let is_unknown = matches!(error, HouseBotError::Unknown(_));
                let meant = HouseBot::closest_to(word).filter(|_| is_unknown);
                let meant = meant.map(|bot| format!(": did you mean \"{bot}\"?")).unwrap_or_default();
                toml.report_mistake(&at("house"), format_args!("{error}{meant}"));
            });
            parsed.ok().map(|bot| BotOrigin::House(bot, drawn))
        }
        (None, None, None, Some(llm)) => {
            let settings = read_llm_settings(llm, &at("llm"), toml);
            settings.map(|settings| BotOrigin::Llm(Box::new(settings), drawn))
        }
        (None, None, Some(remote), None) => {
            let remote_bot = (*remote == true).then_some(BotOrigin::Remote);
            toml.some_or_report(remote_bot, &at("remote"), remote, "`true`, or left out")
        }
        _ => {
            let what = "bot: expected one of `command`, `house`, `llm` and `remote = true`";
            toml.report_at_line(path, what);
            None
        }
    }?;
    let uses_seed = match &origin {
        BotOrigin::House(bot, _) => bot.draws_takes(),
        BotOrigin::Llm(..) => true,
        BotOrigin::Command(_) | BotOrigin::Remote => false,
    };
    if seed.is_some() && !uses_seed {
        let drawing = enumerate_words(&kinds_that_draw());
        let what = format_args!("only the house bots {drawing} and language models use a seed");
        toml.report_mistake(&at("seed"), what);
        return None;
    }
    Some(origin)
}

/// Returns the kinds of house bots that use a seed.
fn kinds_that_draw() -> Vec<&'static str> {
    HouseBot::EXAMPLES.into_iter().filter(|bot| bot.draws_takes()).map(HouseBot::kind).collect()
}
