//! The takes that the tree search tries.

/// Maximum number of takes tried in a position.
pub(super) const MAX_CANDIDATES: u64 = 32;
const HALF_CANDIDATES: u64 = MAX_CANDIDATES / 2;

/// The takes that the search tries: all takes if the pile has at most 32 counters, otherwise the 16 smallest and the 16
/// largest.
#[derive(Debug, Clone, Copy)]
pub(super) struct CandidateTakes {
    counters: u64,
}

impl CandidateTakes {
    /// Returns the candidates in a pile with this number of counters.
    pub(super) fn of_pile(counters: u64) -> Self {
        Self { counters }
    }

    /// Returns the indexes of the candidates, from 0.
    pub(super) fn indices(self) -> impl Iterator<Item = u8> {
        0..self.counters.min(MAX_CANDIDATES) as u8
    }

    /// Returns the take at an index, in ascending order.
    pub(super) fn take_at(self, place: u8) -> u64 {
        let place = u64::from(place);
        if self.counters <= MAX_CANDIDATES || place < HALF_CANDIDATES {
            1 + place
        } else {
            self.counters - (MAX_CANDIDATES - 1 - place)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::MAX_COUNTERS;

    fn takes(counters: u64) -> Vec<u64> {
        let candidates = CandidateTakes::of_pile(counters);
        candidates.indices().map(|place| candidates.take_at(place)).collect()
    }

    #[test]
    fn all_takes_of_small_piles_and_extreme_takes_of_large_piles_are_tried() {
        assert!(takes(0).is_empty());
        assert_eq!(takes(3), [1, 2, 3]);
        assert_eq!(takes(32), (1..=32).collect::<Vec<_>>());
        assert_eq!(takes(33), (1..=16).chain(18..=33).collect::<Vec<_>>());
        let high = takes(MAX_COUNTERS);
        assert_eq!((high.len(), high[15], high[16], high[31]), (32, 16, MAX_COUNTERS - 15, MAX_COUNTERS));
    }
}
