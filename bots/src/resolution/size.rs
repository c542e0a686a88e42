//! The size of a tournament, and settings with another size.

use lastnim_tournament::{
    GroupCount, LadderSettings, Positions, RoundCount, Settings, SettingsDraft, TableGroups, TotalMatches,
    TournamentFormat, count_matches,
};
use std::fmt;

/// What the size of a tournament counts: the setting that makes the tournament longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeUnit {
    /// The positions of a round robin.
    Positions,
    /// The duplicate groups of the whole tournament.
    Groups,
    /// The rounds.
    Rounds,
    /// The duplicate groups per table in each round.
    TableGroups,
}

impl SizeUnit {
    pub(super) fn of_format(format: &TournamentFormat) -> Self {
        match format {
            TournamentFormat::RoundRobin => Self::Positions,
            TournamentFormat::Swiss { .. } => Self::Rounds,
            TournamentFormat::Knockout { .. } => Self::TableGroups,
            TournamentFormat::Sample { .. }
            | TournamentFormat::Gauntlet { .. }
            | TournamentFormat::Ladder(_)
            | TournamentFormat::Sprt(_) => Self::Groups,
        }
    }
}

impl fmt::Display for SizeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Positions => "positions",
            Self::Groups => "groups",
            Self::Rounds => "rounds",
            Self::TableGroups => "groups per table",
        })
    }
}

/// Returns the size of a tournament; `None` if it has no fixed length or cannot be played by this number of bots.
pub(super) fn size_of(settings: &Settings, bots: usize) -> Option<u64> {
    match &settings.format {
        TournamentFormat::RoundRobin => Some(settings.positions.count() as u64),
        TournamentFormat::Sample { groups } | TournamentFormat::Gauntlet { groups: Some(groups), .. } => {
            Some(groups.get())
        }
        TournamentFormat::Gauntlet { groups: None, .. } => {
            Some(match_count(settings, bots)? / settings.seats.get() as u64)
        }
        TournamentFormat::Swiss { rounds, .. } => Some(rounds.get()),
        TournamentFormat::Knockout { table_groups, .. } => Some(table_groups.get()),
        TournamentFormat::Ladder(ladder) => ladder.groups.map(GroupCount::get),
        TournamentFormat::Sprt(_) => None,
    }
}

/// Returns the settings with another size, and their number of matches; `None` if the size is not allowed.
///
/// A round robin gets other positions, because only their number matters.
pub(super) fn resized_settings(settings: &Settings, bots: usize, size: u64) -> Option<(Settings, u64)> {
    let mut draft: SettingsDraft = (**settings).clone();
    draft.start_at = None;
    match &mut draft.format {
        TournamentFormat::RoundRobin => {
            draft.positions = Positions::drawn(usize::try_from(size).ok()?, (1, 1), (1, 1)).ok()?;
        }
        TournamentFormat::Sample { groups } => *groups = GroupCount::new(size).ok()?,
        TournamentFormat::Gauntlet { groups, .. }
        | TournamentFormat::Ladder(LadderSettings { groups, .. }) => {
            *groups = Some(GroupCount::new(size).ok()?);
        }
        TournamentFormat::Swiss { rounds, .. } => *rounds = RoundCount::new(size).ok()?,
        TournamentFormat::Knockout { table_groups, .. } => *table_groups = TableGroups::new(size).ok()?,
        TournamentFormat::Sprt(_) => return None,
    }
    let settings = Settings::new(draft).ok()?;
    let matches = match_count(&settings, bots)?;
    Some((settings, matches))
}

fn match_count(settings: &Settings, bots: usize) -> Option<u64> {
    let total = count_matches(&settings.format, settings.seats, settings.positions.count(), bots);
    total.ok().and_then(TotalMatches::upper_bound)
}
