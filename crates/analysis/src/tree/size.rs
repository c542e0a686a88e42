//! Computes the size of a game's tree without building it.

use super::TreeCut;
use lastnim_core::game::Piles;
use std::fmt;

/// The largest exponent of two for which the number is also written as a power of ten. For larger exponents,
/// [`LOG10_2_E15`] is not precise enough.
const MAX_LOG2_IN_DECIMAL: u128 = 1_000_000_000_000;
/// The decimal logarithm of 2, times 10^15.
const LOG10_2_E15: u128 = 301_029_995_663_981;

/// A number of nodes or edges, exact below 2^128.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeSize {
    /// The exact number.
    Exactly(u128),
    /// 2^128 or more: approximately 2 to this power, rounded to a whole exponent.
    ApproxPowerOf2(u128),
    /// At least 2 to this power, which is 128 or more.
    AtLeastPowerOf2(u128),
}

impl TreeSize {
    /// Counts the nodes in the tree of all possible play from these piles.
    ///
    /// The number is the last of `T_0 = 1` and `T_j = 2^(x_j - 1) (1 + T_{j-1})` for the piles `x_1`, `x_2`, and so on.
    /// This formula counts the nodes that Algorithm 3.2 of El-Seidy, El Kady and Nassr (2019) appends.
    pub fn of_piles(piles: &Piles) -> Self {
        Self::of_prefixes(piles.as_slice()).last().copied().unwrap_or(Self::Exactly(1))
    }

    /// Counts the nodes that are at most `depth` takes below the root in the tree of all possible play from these
    /// piles.
    ///
    /// Consider the nodes at depth `d` in which `k` piles, with `s` counters in total, are empty and a pile that had
    /// `x` counters is in play. There are `C(s + x - k - 1, d - k)` of them: exactly `k` of the takes empty a pile, and
    /// each of the others ends at any of the remaining counters.
    pub fn to_depth(piles: &Piles, depth: u64) -> Self {
        match nodes_to_depth(piles.as_slice(), depth, u128::MAX) {
            Some(nodes) => Self::Exactly(nodes),
            None => Self::AtLeastPowerOf2(128),
        }
    }

    /// Returns the deepest cut of the tree with at most `limit` nodes; `None` if `limit` is 0.
    pub(super) fn deepest_cut(piles: &Piles, limit: u64) -> Option<TreeCut> {
        let fits = |depth| nodes_to_depth(piles.as_slice(), depth, limit.into());
        // Each depth down to the deepest leaf adds at least one node, so a cut at depth `limit` has too many.
        let (mut depth, mut nodes) = (0, fits(0)?);
        let mut too_deep = limit;
        while depth + 1 < too_deep {
            let middle = depth + (too_deep - depth) / 2;
            match fits(middle) {
                Some(more) => (depth, nodes) = (middle, more),
                None => too_deep = middle,
            }
        }
        Some(TreeCut { depth, nodes: u64::try_from(nodes).ok()? })
    }

    /// Returns the size of the tree for the first pile alone, for the first two piles, and so on.
    pub(super) fn of_prefixes(piles: &[u64]) -> Vec<Self> {
        let mut size = Self::Exactly(1);
        let add_pile = |&counters| {
            size = size.with_pile(counters);
            size
        };
        piles.iter().map(add_pile).collect()
    }

    /// Returns the size of the tree after a pile of `counters` counters is appended.
    pub(super) fn with_pile(self, counters: u64) -> Self {
        let splits = u128::from(counters - 1);
        match self {
            Self::Exactly(nodes) => {
                let shift = u32::try_from(splits).ok();
                let exact = nodes.checked_add(1).and_then(|nodes| {
                    let factor = shift.filter(|&shift| shift < u128::BITS).map(|shift| 1 << shift)?;
                    nodes.checked_mul(factor)
                });
                exact.map_or_else(
                    || Self::ApproxPowerOf2(splits + nearest_log2(nodes.saturating_add(1))),
                    Self::Exactly,
                )
            }
            // One more node is negligible compared with 2^128.
            Self::ApproxPowerOf2(log2) => Self::ApproxPowerOf2(log2 + splits),
            Self::AtLeastPowerOf2(log2) => Self::AtLeastPowerOf2(log2 + splits),
        }
    }

    /// Returns the number of nodes below the root.
    pub(super) fn below_root(self) -> Self {
        match self {
            Self::Exactly(nodes) => Self::Exactly(nodes - 1),
            about => about,
        }
    }

    /// Returns the number, if it is exact and at most `limit`.
    pub fn at_most(self, limit: u64) -> Option<u64> {
        match self {
            Self::Exactly(nodes) => u64::try_from(nodes).ok().filter(|&nodes| nodes <= limit),
            Self::ApproxPowerOf2(_) | Self::AtLeastPowerOf2(_) => None,
        }
    }
}

impl fmt::Display for TreeSize {
    /// Writes the exact or approximate number: `14`, `about 2^400 (10^120)`, `at least 2^128 (10^39)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (about, log2) = match self {
            Self::Exactly(nodes) => return f.pad(&nodes.to_string()),
            Self::ApproxPowerOf2(log2) => ("about", log2),
            Self::AtLeastPowerOf2(log2) => ("at least", log2),
        };
        if *log2 > MAX_LOG2_IN_DECIMAL {
            return f.pad(&format!("{about} 2^{log2}"));
        }
        let log10 = (log2 * LOG10_2_E15 + 500_000_000_000_000) / 1_000_000_000_000_000;
        f.pad(&format!("{about} 2^{log2} (10^{log10})"))
    }
}

/// Returns the binary logarithm of `nodes`, rounded to the nearest integer. `nodes` must be at least 1.
fn nearest_log2(nodes: u128) -> u128 {
    let floor = nodes.ilog2();
    // The 64 leading bits, of which the highest is set, are read as a number from 1 to 2. The logarithm is rounded up
    // if the square of this number is at least 2.
    let first_bits = (nodes << nodes.leading_zeros()) >> 64;
    u128::from(floor) + ((first_bits * first_bits) >> 127)
}

/// Counts the nodes down to a depth; `None` if there are more than `limit`.
fn nodes_to_depth(piles: &[u64], depth: u64, limit: u128) -> Option<u128> {
    let mut nodes: u128 = 0;
    // The number of counters in the emptied piles and the pile in play, leaving out one counter of each pile.
    let mut free: u128 = 0;
    let mut emptied = 0;
    for &counters in piles.iter().rev() {
        free += u128::from(counters) - 1;
        let Some(others) = depth.checked_sub(emptied) else { return Some(nodes) };
        nodes = add_binomials(nodes, free, others, limit)?;
        emptied += 1;
    }
    // Finally, the leaves are added: the nodes in which no counter is left.
    match depth.checked_sub(emptied) {
        Some(others) => add_binomials(nodes, free, others, limit),
        None => Some(nodes),
    }
}

/// Returns `sum + C(of, 0) + ... + C(of, up_to)`; `None` if that exceeds `limit`.
fn add_binomials(mut sum: u128, of: u128, up_to: u64, limit: u128) -> Option<u128> {
    let mut binomial: u128 = 1;
    for chosen in 0..=of.min(u128::from(up_to)) {
        if chosen > 0 {
            binomial = multiply_then_divide(binomial, of - chosen + 1, chosen)?;
        }
        sum = sum.checked_add(binomial).filter(|&sum| sum <= limit)?;
    }
    Some(sum)
}

/// Returns `a * b / c`, which must be an integer; `None` if it is 2^128 or more.
fn multiply_then_divide(a: u128, b: u128, c: u128) -> Option<u128> {
    if let Some(product) = a.checked_mul(b) {
        return Some(product / c);
    }
    let shared = greatest_common_divisor(a, c);
    (a / shared).checked_mul(b / (c / shared))
}

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
