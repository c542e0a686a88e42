//! The tables `[[bot]]`: who plays.

use crate::cli::toml_file::{Reading, Section};
use crate::{
    bots::HouseBot,
    game::{BotName, BotNameError, closest_word},
};

/// The keys of a bot.
const KEYS: [&str; 5] = ["name", "command", "house", "remote", "seed"];

/// A bot of a tournament file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// Its name.
    pub name: BotName,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a bot comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A program of this machine and its arguments.
    Command(Vec<String>),
    /// A house bot, and what its takes follow from if they are drawn.
    House(HouseBot, u64),
    /// It is run elsewhere, and joins by itself.
    Remote,
}

/// The bots of a file.
#[derive(Debug, Default)]
pub struct Players {
    /// Those in which nothing is wrong, in the order of the file.
    pub players: Vec<Player>,
    /// The names of all that have one.
    pub names: Vec<BotName>,
}

/// Reads the bots, and reports what is wrong with them.
pub fn read_players(top: &Section<'_>, reading: &mut Reading<'_>) -> Players {
    let entry = top.needed("bot", reading);
    let Some(sections) = entry.and_then(|entry| entry.sections(&KEYS, reading)) else {
        return Players::default();
    };
    let mut read = Players::default();
    for section in sections {
        let name = read_name(&section, reading);
        let origin = read_origin(&section, reading);
        let Some(name) = name else { continue };
        if read.names.contains(&name) {
            let line = section.line();
            reading.report(line, format_args!("bot: a second one called {name}: each has a name of its own"));
        }
        read.names.push(name.clone());
        read.players.extend(origin.map(|origin| Player { name, origin }));
    }
    read
}

fn read_name(section: &Section<'_>, reading: &mut Reading<'_>) -> Option<BotName> {
    let entry = section.needed("name", reading)?;
    let parsed = entry.text(reading)?.parse();
    parsed
        .map_err(|error: BotNameError| reading.report(entry.line, format_args!("{}: {error}", entry.key)))
        .ok()
}

fn read_origin(section: &Section<'_>, reading: &mut Reading<'_>) -> Option<Origin> {
    let (command, house, remote) = (
        section.entry("command", reading),
        section.entry("house", reading),
        section.entry("remote", reading),
    );
    let seed = section.entry("seed", reading);
    let origin = match (command, house, remote) {
        (Some(command), None, None) => command.texts(reading).map(Origin::Command),
        (None, Some(house), None) => {
            let word = house.text(reading)?;
            let parsed = word.parse::<HouseBot>().map_err(|error| {
                let meant = closest_word(word, HouseBot::ALL.map(HouseBot::name));
                let meant = meant.map(|name| format!(": did you mean {name:?}?")).unwrap_or_default();
                reading.report(house.line, format_args!("{}: {error}{meant}", house.key));
            });
            let drawn = seed.as_ref().and_then(|seed| seed.whole(reading)).unwrap_or_default();
            parsed.ok().map(|bot| Origin::House(bot, drawn))
        }
        (None, None, Some(remote)) => remote.truth(reading).map(|()| Origin::Remote),
        _ => {
            let what = "it has one of `command`, `house` and `remote = true`";
            reading.report(section.line(), format_args!("bot: {what}"));
            return None;
        }
    }?;
    if let Some(seed) = seed
        && !matches!(origin, Origin::House(HouseBot::Random, _))
    {
        reading.report(seed.line, format_args!("{}: only the house bot random draws anything", seed.key));
        return None;
    }
    Some(origin)
}
