//! Limits on the work of a query.

use thiserror::Error;

/// The number of steps between two calls of `may_continue`: a few microseconds of work.
const STEPS_BETWEEN_CHECKS: u64 = 4096;

/// A limit on the work of a query, combined with a check of whether its answer is still wanted.
///
/// The unit is a step, a few nanoseconds of work; each query documents what it counts as a step. The oracle reads no
/// clock: for a time limit, pass a `may_continue` that reads one.
pub struct Budget<'a> {
    limit: u64,
    spent: u64,
    next_check: u64,
    may_continue: &'a dyn Fn() -> bool,
}

/// Why a query stopped early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum HaltReason {
    /// The query exceeded its step limit.
    #[error("the calculation needs more than {limit} steps")]
    OutOfSteps {
        /// The limit, in steps.
        limit: u64,
    },
    /// The answer was no longer wanted, or the time limit was reached.
    #[error("the calculation was stopped after {spent} steps")]
    Stopped {
        /// The number of steps spent until then.
        spent: u64,
    },
}

impl Budget<'static> {
    /// Creates a budget of `limit` steps, without a time limit.
    pub fn of_steps(limit: u64) -> Self {
        Self::interruptible(limit, &|| true)
    }

    /// Creates a budget without limits.
    pub fn unbounded() -> Self {
        Self::of_steps(u64::MAX)
    }
}

impl<'a> Budget<'a> {
    /// Creates a budget of `limit` steps that ends early if `may_continue` returns false. That function is called every
    /// few thousand steps.
    pub fn interruptible(limit: u64, may_continue: &'a dyn Fn() -> bool) -> Self {
        Self { limit, spent: 0, next_check: 0, may_continue }
    }

    /// Returns the number of steps spent so far.
    pub fn steps_spent(&self) -> u64 {
        self.spent
    }

    /// Returns the number of steps left.
    pub fn steps_left(&self) -> u64 {
        self.limit - self.spent
    }

    /// Spends steps from the budget. Call this before doing the work.
    ///
    /// # Errors
    /// If fewer steps are left, or the answer is no longer wanted. In both cases, no steps are spent.
    pub fn spend(&mut self, steps: u64) -> Result<(), HaltReason> {
        if steps > self.steps_left() {
            return Err(HaltReason::OutOfSteps { limit: self.limit });
        }
        if self.spent >= self.next_check {
            if !(self.may_continue)() {
                return Err(HaltReason::Stopped { spent: self.spent });
            }
            self.next_check = self.spent.saturating_add(STEPS_BETWEEN_CHECKS);
        }
        self.spent += steps;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_budget_refuses_steps_beyond_its_limit() {
        let mut budget = Budget::of_steps(10);
        assert_eq!(budget.spend(7), Ok(()));
        assert_eq!(budget.spend(4), Err(HaltReason::OutOfSteps { limit: 10 }));
        assert_eq!((budget.steps_spent(), budget.steps_left()), (7, 3), "rejected steps are not spent");
        assert_eq!(budget.spend(3), Ok(()));
        assert_eq!(budget.spend(1).unwrap_err().to_string(), "the calculation needs more than 10 steps");
        let mut endless = Budget::unbounded();
        assert_eq!((endless.spend(u64::MAX), endless.spend(1).is_err()), (Ok(()), true));
    }

    #[test]
    fn work_stops_when_the_check_says_so() {
        let looks = Cell::new(0);
        let may_continue = || {
            looks.set(looks.get() + 1);
            looks.get() < 3
        };
        let mut budget = Budget::interruptible(u64::MAX, &may_continue);
        let mut taken = 0;
        while budget.spend(1).is_ok() {
            taken += 1;
        }
        assert_eq!((taken, looks.get()), (2 * STEPS_BETWEEN_CHECKS, 3));
        assert_eq!(budget.spend(1), Err(HaltReason::Stopped { spent: taken }));
    }
}
