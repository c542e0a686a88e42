//! Scoring of seats.

use super::AllianceSource;
use lastnim_core::game::SeatCount;

/// How points are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// 1 for the winner, 0 for the others.
    Win,
    /// The seat's satisfaction, 0 to 1.
    Satisfaction,
}

impl Scoring {
    /// Returns the default: the scoring that measures skill. If seats declare their rows, it is wins, since a seat
    /// could raise its satisfaction by declaring a preference for the certain winner. If rows are assigned, it is
    /// satisfaction. With two seats and standard rows both are equal, and the result is `Win`. If rows are dealt,
    /// satisfaction is that by the dealt row, which a declaration does not change.
    pub fn default_for(alliance: &AllianceSource, seats: SeatCount) -> Self {
        match alliance {
            AllianceSource::Declared => Self::Win,
            AllianceSource::Standard if seats.get() == 2 => Self::Win,
            AllianceSource::Standard
            | AllianceSource::Random
            | AllianceSource::Given(_)
            | AllianceSource::Dealt(_) => Self::Satisfaction,
        }
    }

    /// Returns the points of a score in the units of a tally.
    #[expect(clippy::cast_precision_loss, reason = "a tournament's scores are far below 2^53")]
    pub(super) fn points_of_units(self, units: i64, seats: SeatCount) -> f64 {
        match self {
            Self::Win => units as f64,
            Self::Satisfaction => units as f64 / (seats.get() - 1) as f64,
        }
    }

    /// Returns the average score of a seat in a table's matches, in the units of a tally: wins, or 1 / (n - 1). A table
    /// plays whole groups, so the average is an integer.
    pub(super) fn bye_units(self, seats: usize, groups: u64) -> i64 {
        let seats = seats as u64;
        match self {
            // Each match has one win, and n seats share the n wins of a group.
            Self::Win => groups.cast_signed(),
            // The average of a seat is (n - 1) / 2 units per match.
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
