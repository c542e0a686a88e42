//! Counts the rows that agree with a partial order.

use lastnim_core::game::{offset_bit, offsets_in};
use lastnim_core::oracle::{Budget, HaltReason};
use std::collections::HashMap;

/// Counts the linear extensions of a strict partial order. `below` holds, for each element, the set of elements below
/// it, as bits.
///
/// Connected components are counted separately; a binomial coefficient gives the number of ways to interleave two of
/// them. In a component, each element with nothing above it may come first. The result cannot overflow, since 32! is
/// less than 2^128.
pub(super) fn count_extensions(below: &[u32], budget: &mut Budget<'_>) -> Result<u128, HaltReason> {
    let mut above = vec![0; below.len()];
    for (element, &others) in below.iter().enumerate() {
        for other in offsets_in(others) {
            above[other] |= offset_bit(element);
        }
    }
    let everything = (0..below.len()).fold(0, |all, element| all | offset_bit(element));
    ExtensionCounter { below, above, known: HashMap::new() }.count_set(everything, budget)
}

struct ExtensionCounter<'a> {
    below: &'a [u32],
    above: Vec<u32>,
    /// The number of extensions of each connected set counted so far.
    known: HashMap<u32, u128>,
}

impl ExtensionCounter<'_> {
    fn count_set(&mut self, set: u32, budget: &mut Budget<'_>) -> Result<u128, HaltReason> {
        let (mut orders, mut placed, mut rest) = (1, 0, set);
        while rest != 0 {
            let part = self.first_component(rest);
            let elements = part.count_ones();
            placed += elements;
            orders *= binomial_coefficient(placed, elements) * self.count_component(part, budget)?;
            rest &= !part;
        }
        Ok(orders)
    }

    fn count_component(&mut self, part: u32, budget: &mut Budget<'_>) -> Result<u128, HaltReason> {
        if part.is_power_of_two() {
            return Ok(1);
        }
        if let Some(&orders) = self.known.get(&part) {
            return Ok(orders);
        }
        budget.spend(1)?;
        let mut orders = 0;
        for first in offsets_in(part).filter(|&element| self.above[element] & part == 0).collect::<Vec<_>>() {
            orders += self.count_set(part & !offset_bit(first), budget)?;
        }
        self.known.insert(part, orders);
        Ok(orders)
    }

    /// Returns the connected component that contains the first element of a set.
    fn first_component(&self, set: u32) -> u32 {
        let (mut part, mut unseen) = (0, set & set.wrapping_neg());
        while unseen != 0 {
            let element = unseen.trailing_zeros() as usize;
            part |= offset_bit(element);
            unseen = (unseen | self.below[element] | self.above[element]) & set & !part;
        }
        part
    }
}

fn binomial_coefficient(of: u32, chosen: u32) -> u128 {
    (0..u128::from(chosen)).fold(1, |ways, taken| ways * (u128::from(of) - taken) / (taken + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the extensions of a transitively closed partial order, given as pairs in which the first element is above
    /// the second.
    fn count_extensions_of_pairs(elements: usize, pairs: &[(usize, usize)]) -> u128 {
        let mut below = vec![0; elements];
        for &(one, other) in pairs {
            below[one] |= offset_bit(other);
        }
        count_extensions(&below, &mut Budget::unbounded()).unwrap()
    }

    #[test]
    fn extensions_of_known_orders_are_counted() {
        assert_eq!(
            count_extensions_of_pairs(32, &[]),
            (1..=32_u128).product(),
            "without any order there are 32! extensions"
        );
        assert_eq!(
            count_extensions_of_pairs(32, &[(7, 9)]),
            (3..=32_u128).product(),
            "ordering one pair halves the number"
        );
        assert_eq!(count_extensions_of_pairs(4, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]), 1);
        assert_eq!(count_extensions_of_pairs(4, &[(0, 2), (0, 3), (1, 3)]), 5, "the letter N");
        // The extensions of a fence of n elements are the alternating permutations, which Euler's zigzag numbers count.
        let fence = |elements: usize| {
            let pairs: Vec<_> = (1..elements)
                .map(|place| if place % 2 == 0 { (place, place - 1) } else { (place - 1, place) })
                .collect();
            count_extensions_of_pairs(elements, &pairs)
        };
        assert_eq!((3..=8).map(fence).collect::<Vec<_>>(), [2, 5, 16, 61, 272, 1385]);
    }

    #[test]
    fn counting_stops_at_the_budget() {
        // Two layers of 16 elements, with all of the first layer before all of the second. The count visits every
        // subset of the first layer.
        let lower = 0xffff_0000;
        let below: Vec<u32> = (0..32).map(|element| if element < 16 { lower } else { 0 }).collect();
        assert_eq!(
            count_extensions(&below, &mut Budget::of_steps(100)),
            Err(HaltReason::OutOfSteps { limit: 100 })
        );
        let sixteen: u128 = (1..=16).product();
        assert_eq!(count_extensions(&below, &mut Budget::unbounded()), Ok(sixteen * sixteen));
    }
}
