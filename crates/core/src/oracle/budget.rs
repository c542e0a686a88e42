//! What the answer to a question may cost.

use thiserror::Error;

/// Steps between two looks at whether the answer is still wanted: some microseconds of work.
const STEPS_BETWEEN_LOOKS: u64 = 4096;

/// How much work a question may take, and whether its answer is still wanted.
///
/// The unit is a step, some nanoseconds of work, of which each question says what it counts as one. The oracle knows no
/// clock: a limit of time is an `is_wanted` that looks at one.
pub struct Budget<'a> {
    most: u64,
    spent: u64,
    next_look: u64,
    is_wanted: &'a dyn Fn() -> bool,
}

/// Why an answer was not worked out to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum HaltReason {
    /// It would have taken more steps than it may.
    #[error("it takes more than {most} steps")]
    OutOfSteps {
        /// The most that it may take.
        most: u64,
    },
    /// The answer was no longer wanted, or time was up.
    #[error("it was stopped after {spent} steps")]
    Stopped {
        /// What was done till then.
        spent: u64,
    },
}

impl Budget<'static> {
    /// Allows so many steps, whatever time they take.
    pub fn of_steps(most: u64) -> Self {
        Self::while_wanted(most, &|| true)
    }

    /// Allows any number of steps.
    pub fn unbounded() -> Self {
        Self::of_steps(u64::MAX)
    }
}

impl<'a> Budget<'a> {
    /// Allows so many steps, as long as `is_wanted`, which is asked every few thousand steps.
    pub fn while_wanted(most: u64, is_wanted: &'a dyn Fn() -> bool) -> Self {
        Self { most, spent: 0, next_look: 0, is_wanted }
    }

    /// Returns the steps that were spent.
    pub fn steps_spent(&self) -> u64 {
        self.spent
    }

    /// Returns the steps that are left.
    pub fn steps_left(&self) -> u64 {
        self.most - self.spent
    }

    /// Spends steps, before they are taken.
    ///
    /// # Errors
    /// If there are not so many left, or the answer is no longer wanted. Nothing is spent then.
    pub fn spend(&mut self, steps: u64) -> Result<(), HaltReason> {
        if steps > self.steps_left() {
            return Err(HaltReason::OutOfSteps { most: self.most });
        }
        if self.spent >= self.next_look {
            if !(self.is_wanted)() {
                return Err(HaltReason::Stopped { spent: self.spent });
            }
            self.next_look = self.spent.saturating_add(STEPS_BETWEEN_LOOKS);
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
    fn steps_run_out() {
        let mut budget = Budget::of_steps(10);
        assert_eq!(budget.spend(7), Ok(()));
        assert_eq!(budget.spend(4), Err(HaltReason::OutOfSteps { most: 10 }));
        assert_eq!((budget.steps_spent(), budget.steps_left()), (7, 3), "what is refused is not spent");
        assert_eq!(budget.spend(3), Ok(()));
        assert_eq!(budget.spend(1).unwrap_err().to_string(), "it takes more than 10 steps");
        let mut endless = Budget::unbounded();
        assert_eq!((endless.spend(u64::MAX), endless.spend(1).is_err()), (Ok(()), true));
    }

    #[test]
    fn work_stops_when_nobody_wants_it() {
        let looks = Cell::new(0);
        let is_wanted = || {
            looks.set(looks.get() + 1);
            looks.get() < 3
        };
        let mut budget = Budget::while_wanted(u64::MAX, &is_wanted);
        let mut taken = 0;
        while budget.spend(1).is_ok() {
            taken += 1;
        }
        assert_eq!((taken, looks.get()), (2 * STEPS_BETWEEN_LOOKS, 3));
        assert_eq!(budget.spend(1), Err(HaltReason::Stopped { spent: taken }));
    }
}
