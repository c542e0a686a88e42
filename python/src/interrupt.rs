//! Handles Ctrl-C during long computations.

use pyo3::prelude::*;
use std::{
    cell::{Cell, RefCell},
    time::{Duration, Instant},
};

/// Time between checks for an interrupt; each check takes Python's lock.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Checks for interrupts from a thread that has released Python's lock.
pub struct InterruptWatch {
    next_check_at: Cell<Instant>,
    raised_error: RefCell<Option<PyErr>>,
}

impl InterruptWatch {
    /// Starts the watch. The first check follows after one interval.
    pub fn start() -> Self {
        Self { next_check_at: Cell::new(Instant::now() + CHECK_INTERVAL), raised_error: RefCell::default() }
    }

    /// Returns whether the work may continue.
    pub fn may_continue(&self) -> bool {
        if self.raised_error.borrow().is_some() {
            return false;
        }
        let now = Instant::now();
        if now < self.next_check_at.get() {
            return true;
        }
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method has a fixed lifetime")]
        let checked = Python::attach(|py| py.check_signals());
        self.next_check_at.set(now + CHECK_INTERVAL);
        let may_continue = checked.is_ok();
        self.raised_error.replace(checked.err());
        may_continue
    }

    /// Returns the exception of the interrupt, if there was one.
    pub fn into_error(self) -> Option<PyErr> {
        self.raised_error.into_inner()
    }
}
