//! Permutations of a group's bots among its places.

use super::replicates::{ByReplicate, REPLICATES};
use lastnim_tournament::SeededDraw;

/// Makes these draws independent of all others with the same seed.
const DRAW_STREAM: u64 = 0x6661_766f_7572_7321;

/// Maximum number of bots for which all orders are listed in a table. Six bots would already have 720 orders.
const MAX_TABULATED_BOTS: usize = 5;

/// By bot of a group, then by replicate: the place of the bot after all bots of the group have been permuted.
///
/// The permutations depend only on the seed and the group.
#[derive(Debug, Clone)]
pub(super) struct PlacePermutations(Vec<ByReplicate<u16>>);

impl PlacePermutations {
    /// Draws the permutations of this many bots for the group with this key.
    ///
    /// For up to five bots, 32 random bits select one of up to 120 orders, so the probabilities of the orders differ by
    /// at most one part in 2^25.
    pub(super) fn draw(seed: u64, group: u64, bots: usize) -> Self {
        let mut draw = SeededDraw::from_numbers([DRAW_STREAM, seed, group]);
        let mut places = vec![[0; REPLICATES]; bots];
        let mut order: Vec<u16> = (0..bots as u16).collect();
        if bots > MAX_TABULATED_BOTS {
            for replicate in 0..REPLICATES {
                draw.shuffle(&mut order);
                for (places, &place) in places.iter_mut().zip(&order) {
                    places[replicate] = place;
                }
            }
            return Self(places);
        }
        let mut drawn = [0_u32; REPLICATES + 1];
        for two in drawn.chunks_exact_mut(2) {
            let word = draw.next_bits();
            two.copy_from_slice(&[word as u32, (word >> 32) as u32]);
        }
        let orders: Vec<_> = (0..(1..=bots).product()).map(|number| nth_permutation(number, bots)).collect();
        for (bot, places) in places.iter_mut().enumerate() {
            let mut by_order = [0; 128];
            for (place, order) in by_order.iter_mut().zip(&orders) {
                *place = order[bot];
            }
            for (place, &drawn) in places.iter_mut().zip(&drawn) {
                // The index is less than 120. The remainder lets the compiler see that it is less than 128.
                *place = by_order[((u64::from(drawn) * orders.len() as u64) >> 32) as usize % by_order.len()];
            }
        }
        Self(places)
    }

    /// Adds to each replicate's sum the value of the place where that replicate puts the bot `held`, as seen from the
    /// bot `chooser`.
    ///
    /// Only `bots` exchange places. They and the `values` of their places are listed in playing order, starting after
    /// the chooser. Each drawn permutation puts these bots in another order after the chooser, and in that order they
    /// take these places.
    pub(super) fn add_drawn_values(
        &self,
        chooser: usize,
        held: usize,
        bots: &[usize],
        values: &[f64],
        sums: &mut [f64],
    ) {
        let seats = self.0.len() as u16;
        let offset = |bot: usize, replicate: usize| {
            (self.0[bot][replicate] + seats - self.0[chooser][replicate]) % seats
        };
        for (replicate, sum) in sums.iter_mut().enumerate() {
            let own = offset(held, replicate);
            let place = bots.iter().filter(|&&bot| offset(bot, replicate) < own).count();
            *sum += values[place];
        }
    }
}

/// Returns the order with this number, decoded by the factorial number system.
fn nth_permutation(mut number: usize, bots: usize) -> [u16; MAX_TABULATED_BOTS] {
    let mut order = std::array::from_fn(|place| place as u16);
    for last in (1..bots).rev() {
        order.swap(last, number % (last + 1));
        number /= last + 1;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn drawn(bots: usize, groups: u64) -> BTreeMap<Vec<u16>, u32> {
        let mut counts = BTreeMap::new();
        for number in 0..groups {
            let permutations = PlacePermutations::draw(7, number, bots);
            for replicate in 0..REPLICATES {
                let order = (0..bots).map(|bot| permutations.0[bot][replicate]).collect();
                *counts.entry(order).or_default() += 1;
            }
        }
        counts
    }

    #[test]
    fn all_orders_are_equally_likely() {
        for (bots, orders) in [(2, 2), (3, 6), (4, 24), (5, 120), (6, 720)] {
            let counts = drawn(bots, orders as u64);
            assert_eq!(counts.len(), orders);
            // The expected count is 999, with a standard deviation of 32.
            assert!(counts.values().all(|count| (835..1_165).contains(count)), "{bots}: {counts:?}");
            for order in counts.keys() {
                assert!((0..bots as u16).all(|place| order.contains(&place)), "{order:?}");
            }
        }
    }
}
