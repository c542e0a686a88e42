//! Reproducible pseudorandom numbers.

/// A pseudorandom generator that depends only on its inputs: in a tournament, the seed and the number of a match or
/// group, never the order in which matches finish.
///
/// The generator is `SplitMix64`: each step adds 2^64 divided by the golden ratio to the state, and a mixing function
/// turns the state into a number. Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators"
/// (2014), with the mixing constants of Vigna's `splitmix64.c`. Each input number replaces the state with
/// `mix_bits(state + phi) ^ number`, and a last `mix_bits` gives the initial state.
#[derive(Debug, Clone)]
pub struct SeededDraw {
    state: u64,
}

/// 2^64 divided by the golden ratio, made odd.
const PHI: u64 = 0x9e37_79b9_7f4a_7c15;

impl SeededDraw {
    /// Creates the generator of one match or group of a tournament.
    pub fn new(seed: u64, number: u64) -> Self {
        Self::from_numbers([seed, number])
    }

    /// Creates a generator that depends on these numbers and on their order.
    pub fn from_numbers(numbers: impl IntoIterator<Item = u64>) -> Self {
        let state =
            numbers.into_iter().fold(0, |state: u64, number| mix_bits(state.wrapping_add(PHI)) ^ number);
        Self { state: mix_bits(state) }
    }

    /// Draws 64 bits.
    pub fn next_bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(PHI);
        mix_bits(self.state)
    }

    /// Draws a number from 0 to `bound` - 1; all are equally likely. Returns 0 if `bound` is 0.
    ///
    /// Source: Lemire, "Fast Random Integer Generation in an Interval" (2019).
    pub fn number_below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        loop {
            let product = u128::from(self.next_bits()) * u128::from(bound);
            // In general, 2^64 values cannot be divided evenly among `bound` results. The excess values, which are
            // fewer than `bound`, are rejected.
            let excess = || bound.wrapping_neg() % bound;
            if product as u64 >= bound || product as u64 >= excess() {
                return (product >> 64) as u64;
            }
        }
    }

    /// Draws one of the choices, which are all equally likely; `None` if `choices` is empty.
    pub fn choose<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        choices.get(self.number_below(choices.len() as u64) as usize)
    }

    /// Shuffles the items; all orders are equally likely.
    ///
    /// Source: Durstenfeld's form of the Fisher-Yates shuffle (1964).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.number_below(last as u64 + 1) as usize);
        }
    }
}

fn mix_bits(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn draws_match_splitmix64() {
        let mut draw = SeededDraw { state: 1_234_567 };
        let drawn: [u64; 3] = std::array::from_fn(|_| draw.next_bits());
        assert_eq!(drawn, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_draw_depends_on_seed_and_number() {
        let first_bits = |seed, number| SeededDraw::new(seed, number).next_bits();
        assert_eq!(first_bits(1, 2), first_bits(1, 2));
        let all = [
            first_bits(0, 0),
            first_bits(0, 1),
            first_bits(1, 0),
            first_bits(1, 2),
            first_bits(2, 1),
            first_bits(u64::MAX, u64::MAX),
        ];
        assert!((1..all.len()).all(|i| !all[..i].contains(&all[i])), "{all:?}");
    }

    #[test]
    fn a_draw_depends_on_the_order_of_its_numbers() {
        let first_bits = |numbers: &[u64]| SeededDraw::from_numbers(numbers.iter().copied()).next_bits();
        let all = [
            first_bits(&[]),
            first_bits(&[0]),
            first_bits(&[0, 0]),
            first_bits(&[1, 2]),
            first_bits(&[2, 1]),
            first_bits(&[1, 2, 0]),
        ];
        assert!((1..all.len()).all(|i| !all[..i].contains(&all[i])), "{all:?}");
    }

    #[test]
    fn all_choices_are_equally_likely() {
        let (mut draw, choices) = (SeededDraw::new(1, 0), [0, 1, 2, 3, 4, 5, 6]);
        let mut counts = [0_u32; 7];
        for _ in 0..7_000 {
            counts[*draw.choose(&choices).unwrap()] += 1;
        }
        assert!(counts.iter().all(|&count| (850..1_150).contains(&count)), "{counts:?}");
        assert_eq!(draw.choose::<u8>(&[]), None);
    }

    #[test]
    fn numbers_stay_below_their_bound() {
        let mut draw = SeededDraw::new(7, 0);
        for bound in [1, 2, 3, 10, u64::MAX / 2 + 2, u64::MAX] {
            assert!((0..100).all(|_| draw.number_below(bound) < bound));
        }
        assert_eq!(draw.number_below(0), 0);
    }

    #[test]
    fn all_orders_are_equally_likely() {
        let mut counts = HashMap::new();
        for number in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            SeededDraw::new(99, number).shuffle(&mut items);
            *counts.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        // The expected count is 1,000, with a standard deviation of 31.
        assert!(counts.values().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }
}
