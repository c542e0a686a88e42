//! Numbers that look random and follow from a seed.

/// The generator `SplitMix64`: small, fast, with 64 bits of state, and the same on every machine.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), with the mixing
/// constants of Stafford's variant 13.
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

/// What the state grows by: the odd number nearest to 2^64 divided by the golden ratio.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

impl SplitMix64 {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Starts from several numbers, each of which changes everything that follows.
    pub fn of(numbers: impl IntoIterator<Item = u64>) -> Self {
        numbers.into_iter().fold(Self(0), |mut mixed, number| Self(mixed.next() ^ number))
    }

    /// Returns the next number.
    #[expect(clippy::should_implement_trait, reason = "a number is always there: no iterator that may end")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `limit` - 1, and 0 if there is none.
    ///
    /// The numbers are equally likely up to one part in 2^64 / `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        let product = u128::from(self.next()) * u128::from(limit);
        (product >> 64) as u64
    }

    /// Returns one of the choices, and nothing if there are none.
    pub fn choose<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        choices.get(self.below(choices.len() as u64) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_the_published_sequence() {
        let mut numbers = SplitMix64::new(1_234_567);
        let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([numbers.next(), numbers.next(), numbers.next()], first);
    }

    #[test]
    fn what_is_below_a_limit_is_spread_over_all_of_it() {
        let mut numbers = SplitMix64::new(1);
        let mut counts = [0_u32; 7];
        for _ in 0..7_000 {
            counts[numbers.below(7) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| (850..1150).contains(&count)), "{counts:?}");
        assert_eq!(numbers.below(0), 0);
        assert_eq!(numbers.choose::<u8>(&[]), None);
    }

    #[test]
    fn the_order_of_what_it_is_made_of_matters() {
        let first = |numbers: [u64; 2]| SplitMix64::of(numbers).next();
        assert_ne!(first([1, 2]), first([2, 1]));
        assert_ne!(first([0, 0]), first([0, 1]));
        assert_eq!(first([3, 4]), first([3, 4]));
    }
}
