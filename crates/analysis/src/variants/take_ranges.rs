//! Groups takes by the counters that they leave.

use lastnim_core::oracle::TakeRange;

/// Returns the takes to keep, from a pile of `counters` counters, as ranges in ascending order with gaps between them.
///
/// `is_kept` tells, for a number of counters left below `levels`, whether to keep the take that leaves it. Its answer
/// for `levels - 1` also applies to every larger number.
pub(super) fn take_ranges(counters: u64, levels: usize, is_kept: impl Fn(usize) -> bool) -> Vec<TakeRange> {
    let mut ranges: Vec<TakeRange> = Vec::new();
    for (level, fewest) in (0..levels).zip(0..counters) {
        if !is_kept(level) {
            continue;
        }
        let most = if level + 1 == levels { counters - 1 } else { fewest };
        let range = TakeRange { lo: counters - most, hi: counters - fewest };
        match ranges.last_mut() {
            Some(larger) if larger.lo == range.hi + 1 => larger.lo = range.lo,
            _ => ranges.push(range),
        }
    }
    ranges.reverse();
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_level_applies_to_larger_numbers() {
        let ranges = |counters, levels, kept: &[usize]| {
            let ranges = take_ranges(counters, levels, |level| kept.contains(&level));
            ranges.iter().map(|range| (range.lo, range.hi)).collect::<Vec<_>>()
        };
        assert_eq!(ranges(10, 3, &[0, 2]), [(1, 8), (10, 10)]);
        assert_eq!(ranges(10, 3, &[0, 1]), [(9, 10)]);
        assert_eq!(ranges(10, 3, &[0, 1, 2]), [(1, 10)]);
        assert_eq!(ranges(2, 9, &[1, 5]), [(1, 1)], "a take leaves at most one counter");
        assert_eq!(ranges(0, 1, &[0]), []);
    }
}
