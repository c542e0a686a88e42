//! Merges leaves that together form one partial order.

use super::PartialRow;
use lastnim_core::oracle::{Budget, HaltReason};

/// Merges disjoint leaves in pairs, as long as there are two whose rows together are exactly the rows of one partial
/// order.
///
/// Compares all pairs of leaves; each comparison costs one step of the budget.
///
/// # Errors
/// If the budget runs out; some leaves may then be unmerged.
pub(crate) fn merge_leaves(leaves: &mut Vec<PartialRow>, budget: &mut Budget<'_>) -> Result<(), HaltReason> {
    let mut at = 0;
    while at < leaves.len() {
        budget.spend(at as u64)?;
        let union = (0..at).find_map(|other| Some((other, union_row(&leaves[at], &leaves[other])?)));
        match union {
            Some((other, union)) => {
                // The merged leaf may now merge with any leaf before it.
                leaves.swap_remove(at);
                leaves.swap_remove(other);
                leaves.push(union);
                at = other;
            }
            None => at += 1,
        }
    }
    Ok(())
}

/// Returns the union of two leaves, if they differ only in the order of one pair of offsets.
fn union_row(one: &PartialRow, other: &PartialRow) -> Option<PartialRow> {
    let common = one.intersection(other);
    let turned = one.all_pairs().filter(|&(preferred, less)| other.prefers(less, preferred));
    let mut splits = turned.map(|(preferred, less)| {
        [common.with_preference(preferred, less), common.with_preference(less, preferred)]
    });
    splits.any(|split| split == [Some(*one), Some(*other)]).then_some(common)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::SeatCount;

    /// Splits a leaf at each of the given pairs of offsets, unless the leaf already decides the pair.
    fn split_leaf(leaf: PartialRow, pairs: &[(usize, usize)]) -> Vec<PartialRow> {
        pairs.iter().fold(vec![leaf], |leaves, &(one, other)| {
            let halves = |leaf: PartialRow| {
                let undecided = [leaf.with_preference(one, other), leaf.with_preference(other, one)];
                if leaf.decides(one, other) { vec![leaf] } else { undecided.into_iter().flatten().collect() }
            };
            leaves.into_iter().flat_map(halves).collect()
        })
    }

    #[test]
    fn merging_undoes_splitting() {
        let unknown = PartialRow::unknown(SeatCount::new(6).unwrap());
        let whole = unknown.with_preference(4, 1).unwrap();
        let other = unknown.with_preference(1, 4).and_then(|row| row.with_preference(0, 2)).unwrap();
        let mut leaves = split_leaf(whole, &[(0, 1), (2, 3), (4, 5), (1, 2), (3, 0)]);
        assert!(leaves.len() > 16);
        leaves.push(other);
        merge_leaves(&mut leaves, &mut Budget::unbounded()).unwrap();
        assert!(leaves.len() == 2 && leaves.contains(&whole) && leaves.contains(&other), "{leaves:?}");
        assert!(merge_leaves(&mut leaves, &mut Budget::of_steps(0)).is_err());
    }
}
