//! Subsets found by their number in lexicographic order.

/// Returns how many subsets with `size` elements a set of `of` elements has; `None` if there are more than `limit`.
pub(super) fn count_subsets(of: usize, size: usize, limit: u64) -> Option<u64> {
    if size > of {
        return Some(0);
    }
    let mut subsets: u128 = 1;
    // With the smaller of `size` and `of - size` as the number of steps, the count increases with every step, so the
    // loop can stop at the limit.
    for step in 0..size.min(of - size) {
        subsets = subsets * (of - step) as u128 / (step as u128 + 1);
        if subsets > u128::from(limit) {
            return None;
        }
    }
    Some(subsets as u64)
}

/// Returns the subset of `0..of` with `size` elements that has this number, from 0, in lexicographic order.
///
/// The caller must have checked with [`count_subsets`] that this subset exists.
pub(super) fn nth_subset(of: usize, size: usize, mut number: u64) -> Vec<usize> {
    let subset_count = |of, size| {
        count_subsets(of, size, u64::MAX)
            .expect("the number is at most the total, which the caller has counted")
    };
    let mut chosen = Vec::with_capacity(size);
    let mut first_free = 0;
    for missing in (1..=size).rev() {
        let free = of - first_free;
        let here = subset_count(free, missing);
        // The number of subsets whose next element comes before the `skipped`th free element, counted from 0.
        let subsets_before = |skipped: usize| here - subset_count(free - skipped, missing);
        let (mut low, mut high) = (0, free - missing);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if subsets_before(middle) <= number { low = middle } else { high = middle - 1 }
        }
        number -= subsets_before(low);
        chosen.push(first_free + low);
        first_free += low + 1;
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list_subsets(of: usize, size: usize) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = (0..1u32 << of)
            .filter(|bits| bits.count_ones() as usize == size)
            .map(|bits| (0..of).filter(|element| bits >> element & 1 == 1).collect())
            .collect();
        all.sort();
        all
    }

    #[test]
    fn subsets_are_in_lexicographic_order() {
        for of in 0..10 {
            for size in 0..=of {
                let expected = list_subsets(of, size);
                assert_eq!(count_subsets(of, size, u64::MAX), Some(expected.len() as u64));
                for (number, subset) in expected.iter().enumerate() {
                    assert_eq!(&nth_subset(of, size, number as u64), subset, "{number} of {size} of {of}");
                }
            }
        }
    }

    #[test]
    fn counts_above_the_limit_are_not_computed() {
        assert_eq!(count_subsets(3, 4, 10), Some(0));
        assert_eq!(count_subsets(5, 2, 10), Some(10));
        assert_eq!(count_subsets(5, 2, 9), None);
        assert_eq!(count_subsets(1_000, 32, u64::MAX), None);
        assert_eq!(count_subsets(usize::MAX, 32, u64::MAX), None);
        assert_eq!(count_subsets(usize::MAX, usize::MAX - 1, u64::MAX), Some(u64::MAX));
    }

    #[test]
    fn the_last_of_many_subsets_is_found() {
        assert_eq!(nth_subset(4_000, 2, count_subsets(4_000, 2, u64::MAX).unwrap() - 1), [3_998, 3_999]);
        assert_eq!(
            nth_subset(36, 32, count_subsets(36, 32, u64::MAX).unwrap() - 1),
            (4..36).collect::<Vec<_>>()
        );
    }
}
