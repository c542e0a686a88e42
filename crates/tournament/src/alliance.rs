//! The source of the rows in a tournament's matches.

use super::{Pairing, SeededDraw, Settings};
use lastnim_core::game::{AllianceMatrix, BySeat, Row, SeatCount};
use lastnim_core::referee::DealRule;

/// The source of the rows in a tournament's matches.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AllianceSource {
    /// Every seat declares its row.
    Declared,
    /// Every seat has the standard row.
    Standard,
    /// Every seat has a row drawn from the tournament's seed.
    Random,
    /// Every seat has its row from this matrix in every match.
    Given(AllianceMatrix),
    /// Every seat is dealt a private row, by which it scores, and declares a row, which may be a different one.
    Dealt(DealRule),
}

impl AllianceSource {
    /// Returns the default: standard rows for two seats, because neither seat would have a reason to rank itself
    /// second; otherwise declared rows.
    pub fn default_for(seats: SeatCount) -> Self {
        if seats.get() == 2 { Self::Standard } else { Self::Declared }
    }

    /// Returns whether the seats declare their rows.
    pub fn is_declared(&self) -> bool {
        matches!(self, Self::Declared | Self::Dealt(_))
    }

    /// Returns the rule by which private rows are dealt, if they are.
    pub fn deal_rule(&self) -> Option<&DealRule> {
        match self {
            Self::Dealt(rule) => Some(rule),
            _ => None,
        }
    }
}

/// Returns the assigned rows of a match; `None` if the seats declare their own.
///
/// Drawn rows belong to the seats and depend only on the seed and the duplicate group, so all rotations of a group
/// share them. Each bot plays every seat once, with that seat's row, so the effect of the draw cancels out.
pub fn assigned_matrix(settings: &Settings, pairing: &Pairing) -> Option<AllianceMatrix> {
    match &settings.alliance {
        AllianceSource::Declared | AllianceSource::Dealt(_) => None,
        AllianceSource::Standard => Some(AllianceMatrix::standard(settings.seats)),
        AllianceSource::Random => Some(draw_matrix(settings.seats, settings.seed, pairing.group)),
        AllianceSource::Given(matrix) => Some(matrix.clone()),
    }
}

/// Draws the rows of a duplicate group; each permutation is equally likely.
pub fn draw_matrix(seats: SeatCount, seed: u64, group: u64) -> AllianceMatrix {
    let mut draw = SeededDraw::new(seed, group);
    let rows = BySeat::from_fn(seats, |_| {
        let mut offsets: Vec<u64> = (0..seats.get() as u64).collect();
        draw.shuffle(&mut offsets);
        Row::parse(&offsets, seats).expect("a shuffled row contains each offset once")
    });
    AllianceMatrix::from_rows(rows).expect("all rows have the same length")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{plan_schedule, testing};
    use std::collections::HashSet;

    fn matrices(alliance: AllianceSource) -> Vec<(u64, Option<AllianceMatrix>)> {
        let settings = testing::settings(3, 2, alliance);
        let mut schedule = plan_schedule(&settings, &testing::field(4)).unwrap();
        let pairings = testing::pairings(&mut *schedule).into_iter();
        pairings.map(|pairing| (pairing.group, assigned_matrix(&settings, &pairing))).collect()
    }

    #[test]
    fn two_seats_have_standard_rows_by_default() {
        let default = |seats| AllianceSource::default_for(SeatCount::new(seats).unwrap());
        assert_eq!(default(2), AllianceSource::Standard);
        assert_eq!(default(3), AllianceSource::Declared);
    }

    #[test]
    fn the_matches_of_a_group_share_their_drawn_rows() {
        let drawn: HashSet<_> = matrices(AllianceSource::Random).into_iter().collect();
        assert_eq!(drawn.len(), 8, "one matrix for each of the 8 groups");
        let different: HashSet<_> = drawn.into_iter().map(|(_, matrix)| matrix).collect();
        assert!(different.len() > 4, "8 draws from 216 matrices are nearly all different");
    }

    #[test]
    fn only_random_rows_differ_between_matches() {
        let three = SeatCount::new(3).unwrap();
        let given = AllianceMatrix::parse(&[vec![0, 2, 1], vec![0, 1, 2], vec![2, 0, 1]]).unwrap();
        let assert_all = |alliance, expected: Option<&AllianceMatrix>| {
            assert!(matrices(alliance).iter().all(|(_, matrix)| matrix.as_ref() == expected));
        };
        assert_all(AllianceSource::Declared, None);
        assert_all(AllianceSource::Dealt(DealRule::All), None);
        assert_all(AllianceSource::Standard, Some(&AllianceMatrix::standard(three)));
        assert_all(AllianceSource::Given(given.clone()), Some(&given));
    }
}
