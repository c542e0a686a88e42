//! What a seat's points are.

use super::AllianceSource;
use lastnim_core::game::SeatCount;

/// What a seat's points are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// 1 for the winner, 0 for the others.
    Win,
    /// The seat's satisfaction, 0 to 1.
    Satisfaction,
}

impl Scoring {
    /// Returns the scoring that measures skill: wins where seats declare their own rows, for there satisfaction could be
    /// had by declaring whoever is bound to win; satisfaction where rows are assigned. With two seats and standard rows both are
    /// one, and it is called a win.
    pub fn default_for(alliance: &AllianceSource, seats: SeatCount) -> Self {
        match alliance {
            AllianceSource::Declared => Self::Win,
            AllianceSource::Standard if seats.get() == 2 => Self::Win,
            AllianceSource::Standard | AllianceSource::Random | AllianceSource::Given(_) => {
                Self::Satisfaction
            }
        }
    }

    /// Returns what a seat gets on average of a table's matches, in the units of a tally: wins, or 1 / (n - 1). A table
    /// plays whole groups, so that it is a whole number.
    pub(super) fn units_of_bye(self, seats: usize, groups: u64) -> i64 {
        let seats = seats as u64;
        match self {
            // One win a match, n matches a group, n seats.
            Self::Win => groups.cast_signed(),
            // Half of n - 1 units a match.
            Self::Satisfaction => (groups * (seats * (seats - 1) / 2)).cast_signed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_rows_are_scored_by_wins() {
        use AllianceSource::{Declared, Random, Standard};
        let scoring = |alliance, seats| Scoring::default_for(&alliance, SeatCount::new(seats).unwrap());
        for seats in [2, 3] {
            assert_eq!(scoring(Declared, seats), Scoring::Win);
            assert_eq!(scoring(Random, seats), Scoring::Satisfaction);
        }
        assert_eq!(scoring(Standard, 3), Scoring::Satisfaction);
        assert_eq!(scoring(Standard, 2), Scoring::Win);
    }
}
