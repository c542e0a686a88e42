//! What the planned matches of a tournament can resolve: how often the best bot of a typical field finishes first.
//!
//! Whole tournaments are simulated with their own format, seats, positions, rows and scoring. The matches between
//! typical bots are really played, without server or clock.

mod group_pool;
mod simulation;
mod size;
mod typical_field;

pub use simulation::play_to_standings;
pub use size::SizeUnit;
pub use typical_field::ERROR_PERCENTS;

use group_pool::GroupPool;
use lastnim_tournament::{Settings, TournamentFormat};
use simulation::FieldSimulation;
use size::{resized_settings, size_of};
use thiserror::Error;

/// How many tournaments are simulated, unless they are large.
const TOURNAMENTS: u32 = 400;
/// How many tournaments are simulated for each size that might suffice.
const SEARCH_TOURNAMENTS: u32 = 200;
/// Minimum number of simulated tournaments.
const MIN_TOURNAMENTS: u32 = 100;
/// The approximate total number of matches in the simulated tournaments of one size, if they are large.
const TOTAL_MATCHES: u64 = 400_000;
/// The maximum number of matches in a simulated tournament.
const MAX_MATCHES: u64 = 5_000;
/// Two sizes are close enough if the larger one exceeds the smaller one by at most this many percent.
const SEARCH_PRECISION_PERCENT: u64 = 10;

/// How often the best bot finished first in simulated tournaments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstPlaces {
    /// The number of tournaments in which it finished first.
    pub first: u32,
    /// The number of simulated tournaments.
    pub tournaments: u32,
}

/// What a tournament can resolve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolution {
    /// How often the best bot finishes first. `None` if the tournament has no fixed length.
    pub now: Option<FirstPlaces>,
    /// The size of the simulated tournaments, if the planned one is too large to simulate.
    pub simulated_size: Option<u64>,
    /// The number of rounds, groups or positions with which the best bot finishes first in 90 of 100 tournaments.
    pub needed: NeededSize,
    /// The unit of the sizes.
    pub unit: SizeUnit,
}

/// The size with which the best bot finishes first in at least 90 of 100 tournaments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeededSize {
    /// The planned size is enough.
    Planned,
    /// About this size is needed.
    About(u64),
    /// More than this size is needed, which is the largest one that was simulated.
    MoreThan(u64),
}

/// Why [`resolve`] has no answer for a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ResolutionError {
    /// The format compares two named bots, and does not look for the best of a field.
    #[error("a sequential test compares two named bots and plays until it has an answer")]
    Sequential,
    /// The tournament is too large to simulate.
    #[error("the tournament has too many matches, or too long ones, to simulate")]
    TooLarge,
}

impl FirstPlaces {
    /// Returns whether the best bot finished first in at least 90 of 100 tournaments.
    pub fn is_enough(self) -> bool {
        10 * u64::from(self.first) >= 9 * u64::from(self.tournaments)
    }
}

/// Simulates tournaments with these settings and this number of typical bots. The same arguments always give the same
/// result.
///
/// # Errors
/// If the format has no best bot to find, or the tournament is too large.
pub fn resolve(settings: &Settings, bots: usize) -> Result<Resolution, ResolutionError> {
    if matches!(settings.format, TournamentFormat::Sprt(_)) {
        return Err(ResolutionError::Sequential);
    }
    let unit = SizeUnit::of_format(&settings.format);
    let planned = size_of(settings, bots);
    let mut search = SizeSearch { settings, bots, pool: GroupPool::new(settings) };
    let Some(planned) = planned else {
        let first = search.largest_size(bots as u64).ok_or(ResolutionError::TooLarge)?;
        let needed = search.needed_above(0, first);
        return Ok(Resolution { now: None, simulated_size: None, needed, unit });
    };
    let size = search.largest_size(planned).ok_or(ResolutionError::TooLarge)?;
    let now = search.first_places(size, TOURNAMENTS).ok_or(ResolutionError::TooLarge)?;
    let needed = if now.is_enough() {
        NeededSize::Planned
    } else if size < planned {
        NeededSize::MoreThan(size)
    } else {
        search.needed_above(size, 2 * size)
    };
    Ok(Resolution { now: Some(now), simulated_size: (size < planned).then_some(size), needed, unit })
}

/// A search for the size that is needed.
struct SizeSearch<'a> {
    settings: &'a Settings,
    bots: usize,
    pool: GroupPool<'a>,
}

impl SizeSearch<'_> {
    /// Returns how often the best bot finishes first in at most this many tournaments of this size; `None` if they are
    /// too large.
    fn first_places(&mut self, size: u64, tournaments: u32) -> Option<FirstPlaces> {
        let (settings, matches) = self.settings_of_size(size)?;
        let affordable = (TOTAL_MATCHES / matches.max(1)) as u32;
        let tournaments = tournaments.min(affordable.max(MIN_TOURNAMENTS));
        let mut simulation = FieldSimulation::new(&settings, self.bots, &mut self.pool);
        let mut first = 0;
        for number in 0..tournaments {
            first += u32::from(simulation.best_is_first(number.into())?);
        }
        Some(FirstPlaces { first, tournaments })
    }

    /// Returns the settings with this size and their number of matches; `None` if the size is not allowed or too large
    /// to simulate.
    fn settings_of_size(&self, size: u64) -> Option<(Settings, u64)> {
        resized_settings(self.settings, self.bots, size).filter(|&(_, matches)| matches <= MAX_MATCHES)
    }

    /// Returns the largest size up to `planned` that can be simulated.
    fn largest_size(&self, planned: u64) -> Option<u64> {
        let mut sizes = std::iter::successors(Some(planned), |&size| (size > 1).then_some(size / 2));
        sizes.find(|&size| self.settings_of_size(size).is_some())
    }

    /// Finds the needed size, which is above `too_small`, by doubling and then halving the gap.
    fn needed_above(&mut self, mut too_small: u64, mut size: u64) -> NeededSize {
        loop {
            match self.first_places(size, SEARCH_TOURNAMENTS) {
                None => return NeededSize::MoreThan(too_small),
                Some(chance) if chance.is_enough() => break,
                Some(_) => (too_small, size) = (size, 2 * size),
            }
        }
        while 100 * size > (100 + SEARCH_PRECISION_PERCENT) * too_small && size - too_small > 1 {
            let middle = u64::midpoint(too_small, size);
            match self.first_places(middle, SEARCH_TOURNAMENTS) {
                Some(chance) if !chance.is_enough() => too_small = middle,
                _ => size = middle,
            }
        }
        NeededSize::About(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::SeatCount;
    use lastnim_tournament::{
        AllianceSource, EffectBounds, ErrorRates, GroupCount, LadderPairing, LadderSettings, Positions,
        RoundCount, SettingsDraft, SprtMeasure, SprtSettings, Streak, TableGroups,
    };

    fn settings(format: TournamentFormat, seats: usize) -> Settings {
        let seats = SeatCount::new(seats).unwrap();
        let positions = Positions::drawn(20, (3, 5), (1, 9)).unwrap();
        let draft = SettingsDraft::new("study".parse().unwrap(), seats, positions, AllianceSource::Standard);
        Settings::new(SettingsDraft { format, seed: 7, ..draft }).unwrap()
    }

    fn groups(count: u64) -> GroupCount {
        GroupCount::new(count).unwrap()
    }

    #[test]
    fn the_best_bot_finishes_first_more_often_in_longer_tournaments() {
        let first = |count| {
            let resolution = resolve(&settings(TournamentFormat::Sample { groups: groups(count) }, 2), 6);
            let resolution = resolution.unwrap();
            (resolution.now.unwrap(), resolution.needed, resolution.unit)
        };
        let (few, needed, unit) = first(6);
        assert!((80..320).contains(&few.first) && few.tournaments == TOURNAMENTS, "{few:?}");
        let NeededSize::About(needed) = needed else { panic!("{needed:?}") };
        assert!((8..60).contains(&needed) && unit == SizeUnit::Groups, "{needed} {unit}");
        let (enough, planned, _) = first(4 * needed);
        assert!(enough.first > 370 && planned == NeededSize::Planned, "{enough:?}");
    }

    #[test]
    fn every_format_with_a_best_bot_is_simulated() {
        let table_groups = TableGroups::ONE;
        let rounds = RoundCount::new(3).unwrap();
        let gauntlet = TournamentFormat::Gauntlet { bot: "host".parse().unwrap(), groups: None };
        for (format, unit) in [
            (TournamentFormat::RoundRobin, SizeUnit::Positions),
            (gauntlet, SizeUnit::Groups),
            (TournamentFormat::Swiss { rounds, table_groups }, SizeUnit::Rounds),
            (TournamentFormat::Knockout { advance: 1, table_groups }, SizeUnit::TableGroups),
            (ladder(Some(groups(12))), SizeUnit::Groups),
        ] {
            assert_eq!(SizeUnit::of_format(&format), unit);
            let settings = settings(format, 3);
            let size = size_of(&settings, 5).unwrap();
            let mut search = SizeSearch { settings: &settings, bots: 5, pool: GroupPool::new(&settings) };
            let chance = search.first_places(size, 100).unwrap();
            // A bot that is drawn by lot would be first in 20 of 100 tournaments.
            assert!(chance.first > 30, "{settings:?}: {chance:?}");
        }
    }

    #[test]
    fn an_open_ended_ladder_has_only_a_needed_length() {
        let resolution = resolve(&settings(ladder(None), 2), 3).unwrap();
        assert_eq!(resolution.now, None);
        assert!(matches!(resolution.needed, NeededSize::About(4..80)), "{resolution:?}");
    }

    fn ladder(groups: Option<GroupCount>) -> TournamentFormat {
        let (suspend_after, pairing) = (Streak::new(5).unwrap(), LadderPairing::default());
        let table_groups = TableGroups::ONE;
        TournamentFormat::Ladder(LadderSettings { groups, table_groups, suspend_after, pairing })
    }

    #[test]
    fn errors_explain_why_a_tournament_cannot_be_simulated() {
        let sprt = TournamentFormat::Sprt(SprtSettings {
            candidate: "a".parse().unwrap(),
            baseline: "b".parse().unwrap(),
            measure: SprtMeasure::Points,
            effects: EffectBounds::new(0.0, 0.1).unwrap(),
            errors: ErrorRates::new(0.05, 0.05).unwrap(),
            groups: groups(10),
        });
        assert_eq!(resolve(&settings(sprt, 2), 2), Err(ResolutionError::Sequential));
        assert_eq!(
            resolve(&settings(TournamentFormat::RoundRobin, 3), 100),
            Err(ResolutionError::TooLarge),
            "one position has 485,100 matches"
        );
    }
}
