//! Maps by the id of a match.

use super::MatchId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by the id of a match. The server draws the ids, so that nobody can choose them to collide.
pub type MatchMap<T> = HashMap<MatchId, T, BuildHasherDefault<MatchIdHasher>>;

/// Takes the bits of an id as its hash: most of them are random.
#[derive(Debug, Default, Clone, Copy)]
pub struct MatchIdHasher(u64);

impl Hasher for MatchIdHasher {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            // An odd multiplier, by the golden ratio, spreads ids that differ in a few bits.
            self.0 = (self.0.rotate_left(29) ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    fn write_usize(&mut self, _length: usize) {}

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::Hash as _;

    #[test]
    fn ids_that_differ_in_time_or_chance_have_different_hashes() {
        let hash = |id: MatchId| {
            let mut hasher = MatchIdHasher::default();
            id.hash(&mut hasher);
            hasher.finish()
        };
        let of_times = (0..1_000).map(|time| MatchId::new(time, &[7; 10]));
        let of_chance = (0..=255).map(|last| MatchId::new(1, &[1, 2, 3, 4, 5, 6, 7, 8, 9, last]));
        let hashes: HashSet<_> = of_times.chain(of_chance).map(hash).collect();
        assert_eq!(hashes.len(), 1_256);
        let low: HashSet<_> = hashes.iter().map(|hash| hash >> 57).collect();
        assert_eq!(low.len(), 128, "the bits that choose a group of the table vary");
    }
}
