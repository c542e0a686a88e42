//! Rotation of opponents.

use crate::SeededDraw;

/// Deals the bots of a field to one table after another, so that all bots sit equally often, give or take one.
///
/// The field sits in a circle, in random order. The first table takes the first bots, the next table takes those that
/// follow them, and so on around the circle. A new circle is drawn whenever all bots have sat equally often, since
/// otherwise the same tables would repeat. That is the case after as many tables as there are bots, or after a divisor
/// of that number.
#[derive(Debug, Clone)]
pub(super) struct OpponentRotation {
    field: Vec<usize>,
    seats: usize,
    seed: u64,
}

/// Used in place of the number of a group in the draws of circles. No group has this number, so they are independent of
/// all other draws.
const CIRCLE_DRAW_TAG: u64 = 0x6369_7263_6c65_7320;

impl OpponentRotation {
    /// Deals a field to tables with `seats` seats each. `seats` must not exceed the number of bots.
    pub(super) fn new(field: Vec<usize>, seats: usize, seed: u64) -> Self {
        Self { field, seats, seed }
    }

    /// Returns the number of tables after which each bot has sat at as many tables as a table has seats. This equals
    /// the number of bots.
    pub(super) fn tables_per_turn(&self) -> u64 {
        self.field.len() as u64
    }

    /// Returns how many tables of a circle it takes until all bots have sat equally often.
    fn tables_per_circle(&self) -> u64 {
        // This is Euclid's algorithm for the greatest common divisor.
        let (mut common, mut rest) = (self.field.len(), self.seats);
        while rest != 0 {
            (common, rest) = (rest, common % rest);
        }
        (self.field.len() / common) as u64
    }

    pub(super) fn table(&self, table: u64) -> impl Iterator<Item = usize> {
        let mut circle = self.field.clone();
        let (number, place) = (table / self.tables_per_circle(), (table % self.tables_per_circle()) as usize);
        SeededDraw::from_numbers([self.seed, CIRCLE_DRAW_TAG, number]).shuffle(&mut circle);
        let first = place * self.seats % circle.len();
        circle.rotate_left(first);
        circle.into_iter().take(self.seats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn most_tables_have_different_opponents() {
        for seed in 0..20 {
            let opponents = OpponentRotation::new((0..12).collect(), 3, seed);
            let tables: HashSet<Vec<usize>> = (0..12)
                .map(|table| {
                    let mut bots: Vec<usize> = opponents.table(table).collect();
                    bots.sort_unstable();
                    bots
                })
                .collect();
            assert!(tables.len() >= 9, "{} different tables of 12", tables.len());
        }
    }

    proptest! {
        #[test]
        fn seat_counts_differ_by_at_most_one(
            field in 1..30_usize, seats in 1..10_usize, tables in 0..100_u64, seed: u64,
        ) {
            let seats = seats.min(field);
            let opponents = OpponentRotation::new((0..field).collect(), seats, seed);
            let mut sat = vec![0_u64; field];
            for table in 0..tables {
                let bots: HashSet<usize> = opponents.table(table).collect();
                prop_assert_eq!(bots.len(), seats, "nobody sits twice at a table");
                for &bot in &bots {
                    sat[bot] += 1;
                }
                let (fewest, most) = (sat.iter().min().unwrap(), sat.iter().max().unwrap());
                prop_assert!(most - fewest <= 1, "after table {table}: {sat:?}");
            }
        }
    }
}
