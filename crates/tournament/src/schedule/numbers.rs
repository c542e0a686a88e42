//! Sequences of match numbers.

use crate::checkpoint::{CheckpointError, ensure_valid};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A number greater than any match number, but low enough that counting past it cannot overflow.
pub(super) const MAX_NUMBER: u64 = 1 << 62;

/// Hands out ascending numbers and skips those that are left out. It stores only left-out numbers above the next one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct NumberSequence {
    next: u64,
    /// Numbers above `next` that are left out.
    ahead: BTreeSet<u64>,
}

impl NumberSequence {
    /// Creates a sequence that leaves out all numbers below `next`.
    pub(super) fn starting_at(next: u64) -> Self {
        Self { next, ahead: BTreeSet::new() }
    }

    /// Returns the lowest number neither handed out nor left out.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Returns how many numbers above [`next`](Self::next) are left out.
    pub(crate) fn left_out_above(&self) -> usize {
        self.ahead.len()
    }

    /// Returns whether a number was handed out or left out.
    pub(crate) fn contains(&self, number: u64) -> bool {
        number < self.next || self.ahead.contains(&number)
    }

    /// Checks that values decoded from a checkpoint are consistent.
    pub(crate) fn ensure_consistent(&self) -> Result<(), CheckpointError> {
        let Self { next, ahead } = self;
        ensure_valid(
            ahead.first().is_none_or(|first| first > next),
            "the match numbers are not in ascending order",
        )?;
        ensure_valid(ahead.last().unwrap_or(next) <= &MAX_NUMBER, "a match number is too high")
    }

    /// Hands out the next number if it is below `end`.
    pub(super) fn next_below(&mut self, end: u64) -> Option<u64> {
        (self.next < end).then(|| {
            let number = self.next;
            self.next += 1;
            self.skip_left_out();
            number
        })
    }

    /// Leaves a number out. This has no effect if the number was already handed out.
    pub(crate) fn leave_out(&mut self, number: u64) {
        if number >= self.next {
            self.ahead.insert(number);
            // Numbers that follow each other from `next` on are removed at once, so that long runs are never stored.
            self.skip_left_out();
        }
    }

    fn skip_left_out(&mut self) {
        while self.ahead.first() == Some(&self.next) {
            self.ahead.pop_first();
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_out_numbers_are_not_handed_out() {
        let mut numbers = NumberSequence::default();
        for left_out in [3, 0, 5, 1, 3] {
            numbers.leave_out(left_out);
        }
        assert_eq!(numbers.next_below(2), None, "0 and 1 are left out");
        assert_eq!(numbers.next_below(7), Some(2));
        numbers.leave_out(2);
        assert_eq!(numbers.next_below(7), Some(4));
        assert_eq!(numbers.next_below(7), Some(6));
        assert_eq!(numbers.next_below(7), None);
        assert_eq!(numbers.next_below(8), Some(7));
    }

    #[test]
    fn leaving_out_consecutive_numbers_uses_no_memory() {
        let mut numbers = NumberSequence::default();
        for number in 0..100_000 {
            numbers.leave_out(number);
            assert!(numbers.ahead.is_empty());
        }
    }
}
