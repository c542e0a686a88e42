//! The takes that are optimal in a position.

use std::fmt;

/// Takes from `lo` to `hi`, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TakeRange {
    /// The smallest take, at least 1.
    pub lo: u64,
    /// The largest take, at least `lo`.
    pub hi: u64,
}

impl TakeRange {
    /// Returns whether a take lies in the range.
    pub fn contains(self, take: u64) -> bool {
        (self.lo..=self.hi).contains(&take)
    }
}

/// All optimal takes of a position: at most two ranges in ascending order with a gap between them; none when the game
/// is over.
///
/// The numbers of counters that optimal takes leave are 0, one range of positive numbers, or both. So two ranges are
/// enough for any pile.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct OptimalTakes {
    ranges: [TakeRange; 2],
    len: u8,
}

impl OptimalTakes {
    /// Adds a range whose takes are all smaller than those of the other ranges.
    pub(super) fn prepend(&mut self, range: TakeRange) {
        if self.len > 0 && range.hi + 1 == self.ranges[0].lo {
            self.ranges[0].lo = range.lo;
        } else {
            assert!(self.len < 2, "optimal takes form at most two ranges");
            self.ranges = [range, self.ranges[0]];
            self.len += 1;
        }
    }

    /// Returns the ranges, in ascending order.
    pub fn as_slice(&self) -> &[TakeRange] {
        &self.ranges[..usize::from(self.len)]
    }

    /// Iterates over the ranges, in ascending order.
    pub fn iter(&self) -> std::slice::Iter<'_, TakeRange> {
        self.as_slice().iter()
    }

    /// Returns whether a take is optimal.
    pub fn contains(&self, take: u64) -> bool {
        self.iter().any(|range| range.contains(take))
    }

    /// Returns the smallest optimal take; `None` when the game is over.
    pub fn smallest(&self) -> Option<u64> {
        self.as_slice().first().map(|range| range.lo)
    }

    /// Returns whether there is no take, because the game is over.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<'a> IntoIterator for &'a OptimalTakes {
    type Item = &'a TakeRange;
    type IntoIter = std::slice::Iter<'a, TakeRange>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for OptimalTakes {
    /// Writes the takes in words: `1`, `2 or 3`, `2 to 9 or 12`; `none` when the game is over.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&describe_takes(self.as_slice()))
    }
}

/// Describes takes in words: `1`, `2 or 3`, `2 to 9 or 12`; `none` if there are no takes.
pub fn describe_takes(ranges: &[TakeRange]) -> String {
    let mut entries = Vec::with_capacity(ranges.len() + 1);
    for &TakeRange { lo, hi } in ranges {
        match hi - lo {
            0 => entries.push(lo.to_string()),
            1 => entries.extend([lo.to_string(), hi.to_string()]),
            _ => entries.push(format!("{lo} to {hi}")),
        }
    }
    match entries.split_last() {
        None => "none".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
    }
}

impl fmt::Debug for OptimalTakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OptimalTakes({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes_in_ranges(ranges: &[(u64, u64)]) -> OptimalTakes {
        let mut takes = OptimalTakes::default();
        for &(lo, hi) in ranges.iter().rev() {
            takes.prepend(TakeRange { lo, hi });
        }
        takes
    }

    #[test]
    fn take_ranges_are_written_in_words() {
        let takes_text = |ranges: &[(u64, u64)]| takes_in_ranges(ranges).to_string();
        assert_eq!(takes_text(&[]), "none");
        assert_eq!(takes_text(&[(1, 1)]), "1");
        assert_eq!(takes_text(&[(2, 3)]), "2 or 3");
        assert_eq!(takes_text(&[(2, 3), (12, 12)]), "2, 3 or 12");
        assert_eq!(takes_text(&[(2, 9), (12, 12)]), "2 to 9 or 12");
    }

    #[test]
    fn adjacent_ranges_are_merged() {
        let takes = takes_in_ranges(&[(2, 11), (12, 12)]);
        assert_eq!(takes.as_slice(), [TakeRange { lo: 2, hi: 12 }]);
        assert_eq!(takes.smallest(), Some(2));
        assert!(!takes.contains(1) && takes.contains(2) && takes.contains(12) && !takes.contains(13));
    }

    #[test]
    fn a_finished_game_has_no_optimal_take() {
        let takes = OptimalTakes::default();
        assert!(takes.is_empty() && takes.smallest().is_none() && !takes.contains(0));
    }
}
