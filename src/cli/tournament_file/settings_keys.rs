//! The settings of a tournament that stand at the top of its file, and its clock.

use crate::cli::toml_file::{Reading, Section};
use crate::{game::Ending, referee::Clock, tournament::Scoring, wire::pb};
use std::{fmt::Display, str::FromStr};

/// The keys of the clock.
const CLOCK: [&str; 5] = ["initial_ms", "increment_ms", "lag_quota_ms", "lag_total_ms", "declaration_ms"];
/// What rows may be, for messages.
const ALLIANCE: &str =
    "declared, standard, random, or the matrix of everybody's rows, such as [[0, 1], [0, 1]]";

/// Reads the settings that stand at the top of a file; what is wrong is left at its default and reported.
pub fn read_settings(top: &Section<'_>, reading: &mut Reading<'_>) -> pb::TournamentSettings {
    let mut settings = pb::TournamentSettings { title: "Last Nim".to_owned(), ..Default::default() };
    if let Some(title) = top.setting("title", "title", reading).and_then(|entry| entry.text(reading)) {
        title.clone_into(&mut settings.title);
    }
    if let Some(seats) = top.needed("seats", reading) {
        reading.place("settings.seats", seats.line, &seats.key);
        settings.seats = seats.small(reading).unwrap_or_default();
    }
    settings.seed = top.entry("seed", reading).and_then(|entry| entry.whole(reading)).unwrap_or_default();
    if let Some(ending) = word::<Ending>(top, "ending", reading) {
        settings.ending = pb::Ending::from(ending).into();
    }
    if let Some(scoring) = word::<Scoring>(top, "scoring", reading) {
        settings.scoring = pb::Scoring::from(scoring).into();
    }
    read_alliance(top, &mut settings, reading);
    let mut count =
        |key: &str| top.setting(key, key, reading).and_then(|entry| entry.count(reading)).unwrap_or_default();
    settings.strikes = count("strikes");
    settings.max_plies = count("max_plies");
    settings.concurrency = count("concurrency");
    settings.bot_concurrency = count("bot_concurrency");
    settings.clock = read_clock(top, reading);
    settings
}

fn word<T: FromStr<Err: Display>>(top: &Section<'_>, key: &str, reading: &mut Reading<'_>) -> Option<T> {
    let entry = top.entry(key, reading)?;
    let parsed = entry.text(reading)?.parse();
    parsed.map_err(|error| reading.report(entry.line, error)).ok()
}

fn read_alliance(top: &Section<'_>, settings: &mut pb::TournamentSettings, reading: &mut Reading<'_>) {
    let mut mode = pb::AllianceMode::Declared;
    if let Some(entry) = top.setting("alliance", "alliance_matrix", reading) {
        mode = match entry.as_text() {
            Some("declared") => mode,
            Some("standard") => pb::AllianceMode::Standard,
            Some("random") => pb::AllianceMode::Random,
            None if entry.is_list() => {
                let rows = entry.lists("alliance_matrix.rows", reading);
                let Some(rows) = rows.and_then(|rows| rows.into_iter().collect::<Option<Vec<_>>>()) else {
                    return;
                };
                // An offset that large is refused as any other that is too large.
                let offset = |offset: u64| u32::try_from(offset).unwrap_or(u32::MAX);
                let row = |row: Vec<u64>| pb::Row { offsets: row.into_iter().map(offset).collect() };
                settings.alliance_matrix =
                    Some(pb::AllianceMatrix { rows: rows.into_iter().map(row).collect() });
                pb::AllianceMode::Given
            }
            _ => return entry.refuse(ALLIANCE, reading),
        };
    }
    settings.alliance = mode.into();
}

/// Reads the clock; none, which is the usual one, where the file says nothing.
fn read_clock(top: &Section<'_>, reading: &mut Reading<'_>) -> Option<pb::Clock> {
    let section = top.setting("clock", "clock", reading)?.section(&CLOCK, reading)?;
    let usual = pb::Clock::from(&Clock::default());
    let mut time = |key: &str, usual: u32| {
        let given =
            section.setting(key, &format!("clock.{key}"), reading).and_then(|entry| entry.small(reading));
        given.unwrap_or(usual)
    };
    Some(pb::Clock {
        initial_ms: time("initial_ms", usual.initial_ms),
        increment_ms: time("increment_ms", usual.increment_ms),
        lag_quota_ms: time("lag_quota_ms", usual.lag_quota_ms),
        lag_total_ms: time("lag_total_ms", usual.lag_total_ms),
        declaration_ms: time("declaration_ms", usual.declaration_ms),
    })
}
