//! A tournament file, checked.

use super::{
    format_table::{NamedBot, read_format},
    player::{Player, Players, read_players},
    positions_table::read_positions,
    settings_keys::read_settings,
};
use crate::{
    cli::toml_file::{Mistake, Reading, Section},
    game::{BotName, closest_word},
    referee::Terms,
    tournament::{Repetition, Settings, Total, count_matches},
    wire::{
        Field, Violations, pb,
        tournament::{parse_settings_and_terms, settings_and_terms},
    },
};

/// The keys at the top of a file.
const KEYS: [&str; 14] = [
    "title",
    "seed",
    "seats",
    "ending",
    "alliance",
    "scoring",
    "strikes",
    "max_plies",
    "concurrency",
    "bot_concurrency",
    "clock",
    "format",
    "positions",
    "bot",
];

/// A tournament: what is played, and by whom.
#[derive(Debug, Clone)]
pub struct TournamentPlan {
    settings: Settings,
    terms: Terms,
    /// The bots, in the order of the file.
    pub players: Vec<Player>,
    /// How many matches it is.
    pub total: Total,
}

impl TournamentPlan {
    /// Reads a text.
    ///
    /// # Errors
    /// Every mistake in it, from the top to the bottom; where it is no TOML, the first.
    pub fn parse(text: &str) -> Result<Self, Vec<Mistake>> {
        let mut reading = Reading::new(text);
        let plan = reading.document().and_then(|document| {
            let top = Section::open(document.as_table(), "", 1, &KEYS, &mut reading);
            read(&top, &mut reading)
        });
        reading.finish()?;
        plan.ok_or_else(Vec::new)
    }

    /// Returns what is played, as the server is told.
    pub fn settings(&self) -> pb::TournamentSettings {
        settings_and_terms(&self.settings, &self.terms)
    }

    /// Returns what is played again though it says nothing new.
    pub fn repetition(&self) -> Option<Repetition> {
        Repetition::of(&self.settings, self.players.len())
    }

    /// Returns how many positions are played.
    pub fn positions(&self) -> usize {
        self.settings.positions.count()
    }
}

fn read(top: &Section<'_>, reading: &mut Reading<'_>) -> Option<TournamentPlan> {
    let mut given = read_settings(top, reading);
    let format = read_format(top, reading);
    read_positions(top, &mut given, reading);
    let Players { players, names } = read_players(top, reading);
    check_named(&format.named, &names, reading);
    given.format = format.format;
    let mut violations = Violations::default();
    let parsed = parse_settings_and_terms(&given, Field::root("settings"), &mut violations);
    // A number of seats that cannot be read was reported, and is not one of 0 as well.
    let seats_missing = given.seats == 0 && !reading.is_clean();
    for violation in violations.as_slice() {
        if !(seats_missing && violation.field == "settings.seats") {
            reading.report_field(violation);
        }
    }
    if violations.unlisted() > 0 {
        reading.report(1, format_args!("{} more mistakes like these", violations.unlisted()));
    }
    let (settings, terms) = parsed?;
    // Bots in which something is wrong count as well: they will be mended.
    let field = names.len();
    let count = count_matches(&settings.format, settings.seats, settings.positions.count(), field);
    let line = top.entry("bot", reading).map_or(1, |entry| entry.line);
    let total = count.map_err(|error| reading.report(line, format_args!("bot: {error}"))).ok()?;
    Some(TournamentPlan { settings, terms, players, total })
}

/// Checks that the bots which the format is about play.
fn check_named(named: &[NamedBot], bots: &[BotName], reading: &mut Reading<'_>) {
    let field: Vec<_> = bots.iter().map(ToString::to_string).collect();
    for NamedBot { name, key, line } in named {
        if !field.contains(name) {
            let meant = closest_word(name, field.iter().map(String::as_str));
            let meant = meant.map(|name| format!("did you mean {name:?}? ")).unwrap_or_default();
            let bots = field.join(", ");
            reading.report(*line, format_args!("{key}: no bot {name:?} plays: {meant}there are {bots}"));
        }
    }
}
