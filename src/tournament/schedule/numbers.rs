//! Which matches were handed out.

use std::collections::BTreeSet;

/// Numbers in order, without those that are left out. It holds only what is out of order.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbers {
    next: u64,
    /// Numbers above `next` that are left out.
    ahead: BTreeSet<u64>,
}

impl Numbers {
    /// Hands out the next number, if it is below the end.
    pub(super) fn next_below(&mut self, end: u64) -> Option<u64> {
        (self.next < end).then(|| {
            let number = self.next;
            self.next += 1;
            self.skip();
            number
        })
    }

    /// Leaves a number out; one that was handed out already is out anyway.
    pub(super) fn leave_out(&mut self, number: u64) {
        if number >= self.next {
            self.ahead.insert(number);
            // At once, so that numbers which come in order are never all held.
            self.skip();
        }
    }

    fn skip(&mut self) {
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
    fn what_is_left_out_is_not_handed_out() {
        let mut numbers = Numbers::default();
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
    fn numbers_in_order_are_not_held() {
        let mut numbers = Numbers::default();
        for number in 0..100_000 {
            numbers.leave_out(number);
            assert!(numbers.ahead.is_empty());
        }
    }
}
