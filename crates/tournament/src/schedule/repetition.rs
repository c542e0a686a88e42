//! Repeated groups.

use super::subsets;
use crate::{AllianceSource, LadderSettings, Settings, TournamentFormat};
use std::fmt;

/// A warning that a tournament plays more duplicate groups than can be different.
///
/// Deterministic bots repeat their matches on the same position with the same rows. That gives no new information, but
/// intervals and tests treat each group as new evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatedGroups {
    /// Number of duplicate groups: per table of a round in Swiss and knockout tournaments, otherwise in total.
    pub groups: u64,
    /// Number of different groups.
    pub different: u64,
}

impl RepeatedGroups {
    /// Returns the repetition that is certain for a field of this size; `None` if no repetition is certain, if the
    /// length of the tournament is unknown, or if each group or match has new random rows.
    pub fn predict(settings: &Settings, field: usize) -> Option<Self> {
        if matches!(settings.alliance, AllianceSource::Random | AllianceSource::Dealt(_)) {
            return None;
        }
        let (bots, opponents) = (settings.seats.get(), settings.seats.get() - 1);
        let (groups, tables) = match &settings.format {
            TournamentFormat::RoundRobin
            | TournamentFormat::Gauntlet { groups: None, .. }
            | TournamentFormat::Ladder(LadderSettings { groups: None, .. }) => return None,
            TournamentFormat::Sample { groups } => (groups.get(), (field, bots)),
            TournamentFormat::Gauntlet { groups: Some(groups), .. } => {
                (groups.get(), (field.saturating_sub(1), opponents))
            }
            TournamentFormat::Swiss { table_groups, .. }
            | TournamentFormat::Knockout { table_groups, .. } => (table_groups.get(), (1, 1)),
            TournamentFormat::Ladder(ladder) => (ladder.groups?.get(), (field, bots)),
            // Without other bots, the candidate and the baseline meet each other.
            TournamentFormat::Sprt(sprt) if field == 2 => (sprt.groups.get(), (1, 1)),
            TournamentFormat::Sprt(sprt) => (sprt.groups.get(), (field.saturating_sub(2), opponents)),
        };
        let tables = subsets::count_subsets(tables.0, tables.1, groups)?;
        let different = tables.saturating_mul(settings.positions.count() as u64);
        (groups > different).then_some(Self { groups, different })
    }
}

impl fmt::Display for RepeatedGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { groups, different } = self;
        write!(
            f,
            "only {different} of {groups} groups can be different: bots without randomness play the same matches in the others, but intervals and tests count these as new evidence; use more positions or random rows"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GroupCount, SettingsDraft, TableGroups, testing};
    use lastnim_core::referee::DealRule;

    #[test]
    fn groups_repeat_once_all_tables_and_positions_are_used() {
        let repeated = |format: TournamentFormat, alliance: AllianceSource| {
            let plain = testing::settings(3, 4, alliance);
            let settings = Settings::new(SettingsDraft { format, ..(*plain).clone() }).unwrap();
            RepeatedGroups::predict(&settings, 6).map(|repetition| (repetition.groups, repetition.different))
        };
        let groups = |groups| GroupCount::new(groups).unwrap();
        // Six bots form 20 different tables of three, on each of 4 positions.
        let sample = |count| TournamentFormat::Sample { groups: groups(count) };
        assert_eq!(repeated(sample(80), AllianceSource::Declared), None);
        assert_eq!(repeated(sample(81), AllianceSource::Declared), Some((81, 80)));
        assert_eq!(repeated(sample(81), AllianceSource::Random), None);
        assert_eq!(repeated(sample(81), AllianceSource::Dealt(DealRule::All)), None);
        // Five opponents form 10 different pairs.
        let gauntlet = |groups| TournamentFormat::Gauntlet { bot: "bot0".parse().unwrap(), groups };
        assert_eq!(repeated(gauntlet(None), AllianceSource::Declared), None);
        assert_eq!(repeated(gauntlet(Some(groups(41))), AllianceSource::Standard), Some((41, 40)));
        let knockout = |groups| TournamentFormat::Knockout {
            advance: 1,
            table_groups: TableGroups::new(groups).unwrap(),
        };
        assert_eq!(repeated(knockout(4), AllianceSource::Declared), None);
        assert_eq!(repeated(knockout(5), AllianceSource::Declared), Some((5, 4)));
    }
}
