//! Groups of matches.

use lastnim_core::game::{MatchId, TournamentId};
use lastnim_tournament::SeededDraw;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A group of matches that were drawn together and so count as one observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchGroup {
    /// A duplicate group: the same bots on the same piles, in every rotation of the seats.
    Duplicate {
        /// The tournament.
        tournament: TournamentId,
        /// The number of the group.
        number: u64,
    },
    /// An exhibition match, which is a group by itself.
    Exhibition(MatchId),
}

impl MatchGroup {
    /// Creates a random generator that is seeded with the seed, the group and the purpose.
    pub(super) fn begin_draw(&self, seed: u64, purpose: impl IntoIterator<Item = u64>) -> SeededDraw {
        let (kind, id, number) = match self {
            Self::Duplicate { tournament, number } => (0, tournament.as_bytes(), *number),
            Self::Exhibition(id) => (1, id.as_bytes(), 0),
        };
        let [high, low] = id_halves(id);
        SeededDraw::from_numbers([seed, kind, high, low, number].into_iter().chain(purpose))
    }

    /// Returns the key of the group.
    pub(super) fn key(&self) -> GroupKey {
        GroupKey(self.begin_draw(0, []).next_bits())
    }
}

/// A 64-bit hash of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct GroupKey(u64);

/// Returns the high and the low 64 bits of an id.
pub(super) fn id_halves(id: &[u8; 16]) -> [u64; 2] {
    let bits = u128::from_be_bytes(*id);
    [(bits >> 64) as u64, bits as u64]
}

/// Counts distinct groups in constant memory.
///
/// It keeps the smallest hashes: while all fit, the count is exact; after that it is estimated from their density.
/// Source: Bar-Yossef et al., "Counting Distinct Elements in a Data Stream" (2002).
///
/// The count is exact below `LIMIT` groups. If larger counts do not matter, a small limit is enough.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "BTreeSet<GroupKey>", into = "BTreeSet<GroupKey>")]
pub(super) struct GroupCounter<const LIMIT: usize = 4096> {
    smallest: BTreeSet<GroupKey>,
}

/// A number of distinct groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupCount {
    /// The exact number.
    Exactly(u64),
    /// An estimate with a standard error of about 1.6%.
    About(u64),
}

impl GroupCount {
    /// Returns the number, exact or estimated.
    pub fn get(self) -> u64 {
        match self {
            Self::Exactly(groups) | Self::About(groups) => groups,
        }
    }
}

impl<const LIMIT: usize> From<BTreeSet<GroupKey>> for GroupCounter<LIMIT> {
    fn from(keys: BTreeSet<GroupKey>) -> Self {
        let mut counter = Self::default();
        counter.add_groups(&Self { smallest: keys });
        counter
    }
}

impl<const LIMIT: usize> From<GroupCounter<LIMIT>> for BTreeSet<GroupKey> {
    fn from(counter: GroupCounter<LIMIT>) -> Self {
        counter.smallest
    }
}

impl<const LIMIT: usize> GroupCounter<LIMIT> {
    /// Adds the groups of another counter.
    pub(super) fn add_groups(&mut self, other: &Self) {
        for &key in &other.smallest {
            self.add_group(key);
        }
    }

    pub(super) fn add_group(&mut self, key: GroupKey) {
        if self.smallest.len() < LIMIT {
            self.smallest.insert(key);
        } else if self.smallest.last().is_some_and(|&largest| key < largest) && self.smallest.insert(key) {
            self.smallest.pop_last();
        }
    }

    pub(super) fn count(&self) -> GroupCount {
        let kept = self.smallest.len() as u64;
        match self.smallest.last() {
            Some(&GroupKey(largest)) if self.is_full() => {
                let span = u128::from(largest).max(1);
                let estimate = (u128::from(kept - 1) << 64) / span;
                GroupCount::About(u64::try_from(estimate).unwrap_or(u64::MAX).max(kept))
            }
            _ => GroupCount::Exactly(kept),
        }
    }

    /// Returns whether the number of kept hashes has reached the limit.
    pub(super) fn is_full(&self) -> bool {
        self.smallest.len() == LIMIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(number: u64) -> MatchGroup {
        MatchGroup::Duplicate { tournament: TournamentId::new(1, &[0; 10]), number }
    }

    #[test]
    fn small_group_counts_are_exact_and_large_ones_are_estimates() {
        let mut groups = <GroupCounter>::default();
        for number in (0..1_000).chain(0..1_000) {
            groups.add_group(group(number).key());
        }
        assert_eq!(groups.count(), GroupCount::Exactly(1_000));
        for number in (0..200_000).rev() {
            groups.add_group(group(number).key());
        }
        let GroupCount::About(about) = groups.count() else { panic!("{:?}", groups.count()) };
        assert!((190_000..210_000).contains(&about), "{about}");
    }

    #[test]
    fn an_exhibition_is_a_separate_group() {
        let id = [7; 10];
        let exhibition = MatchGroup::Exhibition(MatchId::new(1, &id));
        let duplicate = MatchGroup::Duplicate { tournament: TournamentId::new(1, &id), number: 0 };
        assert_ne!(exhibition.key(), duplicate.key());
    }
}
