//! How soon the same bots come to the same position again.

use super::subsets;
use crate::tournament::{Alliance, Format, LadderSettings, Settings};
use std::fmt;

/// More duplicate groups than there are different ones.
///
/// Bots that always answer alike play the same matches again where they meet on the same position with the same rows. That
/// says nothing new, while intervals and tests take each group for new evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repetition {
    /// The duplicate groups that are played: in all, or by each table where it plays several in a round.
    pub groups: u64,
    /// How many of them can differ.
    pub different: u64,
}

impl Repetition {
    /// Returns what is repeated for certain in a tournament of a field of this size, if it is known how long it goes on; nothing
    /// where rows are random, as they are drawn anew for each group.
    pub fn of(settings: &Settings, field: usize) -> Option<Self> {
        if settings.alliance == Alliance::Random {
            return None;
        }
        let (bots, opponents) = (settings.seats.get(), settings.seats.get() - 1);
        let (groups, tables) = match &settings.format {
            Format::RoundRobin
            | Format::Gauntlet { groups: None, .. }
            | Format::Ladder(LadderSettings { groups: None, .. }) => return None,
            Format::Sample { groups } => (groups.get(), (field, bots)),
            Format::Gauntlet { groups: Some(groups), .. } => {
                (groups.get(), (field.saturating_sub(1), opponents))
            }
            Format::Swiss { table_groups, .. } | Format::Knockout { table_groups, .. } => {
                (table_groups.get(), (1, 1))
            }
            Format::Ladder(ladder) => (ladder.groups?.get(), (field, bots)),
            // Two bots alone meet each other.
            Format::Sprt(sprt) if field == 2 => (sprt.groups.get(), (1, 1)),
            Format::Sprt(sprt) => (sprt.groups.get(), (field.saturating_sub(2), opponents)),
        };
        let tables = subsets::count_subsets(tables.0, tables.1, groups)?;
        let different = tables.saturating_mul(settings.positions.count() as u64);
        (groups > different).then_some(Self { groups, different })
    }
}

impl fmt::Display for Repetition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { groups, different } = self;
        write!(
            f,
            "{groups} groups, of which {different} can differ: bots that always answer alike play the same matches again, \
            which intervals and tests take for new evidence; more positions or random rows help"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{GroupCount, SettingsDraft, TableGroups, testing};

    #[test]
    fn groups_beyond_all_tables_on_all_positions_are_repeated() {
        let repeated = |format: Format, alliance: Alliance| {
            let plain = testing::settings(3, 4, alliance);
            let settings = Settings::new(SettingsDraft { format, ..(*plain).clone() }).unwrap();
            Repetition::of(&settings, 6).map(|repetition| (repetition.groups, repetition.different))
        };
        let groups = |groups| GroupCount::new(groups).unwrap();
        // 20 tables of three of six bots, on 4 positions.
        let sample = |count| Format::Sample { groups: groups(count) };
        assert_eq!(repeated(sample(80), Alliance::Declared), None);
        assert_eq!(repeated(sample(81), Alliance::Declared), Some((81, 80)));
        assert_eq!(repeated(sample(81), Alliance::Random), None);
        // 10 pairs of five opponents.
        let gauntlet = |groups| Format::Gauntlet { bot: "bot0".parse().unwrap(), groups };
        assert_eq!(repeated(gauntlet(None), Alliance::Declared), None);
        assert_eq!(repeated(gauntlet(Some(groups(41))), Alliance::Standard), Some((41, 40)));
        let knockout =
            |groups| Format::Knockout { advance: 1, table_groups: TableGroups::new(groups).unwrap() };
        assert_eq!(repeated(knockout(4), Alliance::Declared), None);
        assert_eq!(repeated(knockout(5), Alliance::Declared), Some((5, 4)));
    }
}
