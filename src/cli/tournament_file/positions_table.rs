//! The table `[positions]`: what is played.

use crate::cli::toml_file::{Reading, Section};
use crate::wire::pb;
use pb::tournament_settings::OtherPositions;

/// The ways in which positions are given.
const WAYS: [&str; 3] = ["list", "drawn", "paper"];
/// The fewest and the most piles of a drawn position, unless said otherwise.
const USUAL_PILES: (u64, u64) = (2, 4);
/// The fewest and the most counters of a pile of a drawn position, unless said otherwise.
const USUAL_COUNTERS: (u64, u64) = (1, 5);

/// Reads the positions into the settings. For what cannot be read, which is reported, a position stands in that is right, so
/// that the rest can be checked.
pub fn read_positions(top: &Section<'_>, settings: &mut pb::TournamentSettings, reading: &mut Reading<'_>) {
    let listed = read_ways(top, settings, reading).is_some_and(|ways| ways.contains(&"list"));
    if listed {
        settings.other_positions = None;
    } else if settings.other_positions.is_none() {
        settings.positions = vec![stand_in()];
    }
}

fn stand_in() -> pb::Piles {
    pb::Piles { counters: vec![1] }
}

/// Reads the positions in each way in which they are given, of which there is to be one, and returns these ways.
fn read_ways(
    top: &Section<'_>,
    settings: &mut pb::TournamentSettings,
    reading: &mut Reading<'_>,
) -> Option<Vec<&'static str>> {
    let entry = top.needed("positions", reading)?;
    reading.place("settings.positions", entry.line, &entry.key);
    let section = entry.section(&WAYS, reading)?;
    let mut given: Vec<_> = WAYS.into_iter().filter(|way| section.entry(way, reading).is_some()).collect();
    if given.len() != 1 {
        let ways = if given.is_empty() { "nothing".to_owned() } else { given.join(" and ") };
        let what = "it has one of `list`, `drawn` and `paper = true`";
        reading.report(section.line(), format_args!("positions: {ways}: {what}"));
    }
    if let Some(list) = section.setting("list", "positions", reading) {
        match list.lists("positions", reading) {
            Some(lists) => {
                let piles =
                    |counters: Option<_>| counters.map_or_else(stand_in, |counters| pb::Piles { counters });
                settings.positions = lists.into_iter().map(piles).collect();
            }
            None => given.retain(|&way| way != "list"),
        }
    }
    if let Some(paper) = section.entry("paper", reading)
        && paper.truth(reading).is_some()
    {
        settings.other_positions = Some(OtherPositions::PaperPositions(pb::PaperPositions {}));
    }
    if let Some(drawn) = section.setting("drawn", "drawn_positions", reading)
        && let Some(drawn) = drawn.section(&["count", "piles", "counters"], reading)
    {
        settings.other_positions = read_drawn(&drawn, reading).map(OtherPositions::DrawnPositions);
    }
    Some(given)
}

fn read_drawn(drawn: &Section<'_>, reading: &mut Reading<'_>) -> Option<pb::DrawnPositions> {
    let count = drawn.needed("count", reading).and_then(|entry| entry.count(reading));
    let mut range = |key: &str, usual: (u64, u64)| match drawn.entry(key, reading) {
        Some(entry) => entry.range(reading),
        None => Some(usual),
    };
    let (piles, counters) = (range("piles", USUAL_PILES), range("counters", USUAL_COUNTERS));
    let ((min_piles, max_piles), (min_counters, max_counters)) = (piles?, counters?);
    // What is larger than a number of piles can be is refused all the same.
    let piles = |piles: u64| u32::try_from(piles).unwrap_or(u32::MAX);
    let (min_piles, max_piles) = (piles(min_piles), piles(max_piles));
    Some(pb::DrawnPositions { count: count?, min_piles, max_piles, min_counters, max_counters })
}
