//! Ctrl-C while a question is worked on.

use pyo3::prelude::*;
use std::{
    cell::{Cell, RefCell},
    time::{Duration, Instant},
};

/// How often Python is asked whether something has interrupted it. Each time takes its lock.
const INTERVAL: Duration = Duration::from_millis(50);

/// Looks for an interrupt now and then, from a thread that has let go of Python's lock.
pub struct InterruptWatch {
    next_look: Cell<Instant>,
    raised: RefCell<Option<PyErr>>,
}

impl InterruptWatch {
    /// Looks for the first time after an interval.
    pub fn start() -> Self {
        Self { next_look: Cell::new(Instant::now() + INTERVAL), raised: RefCell::default() }
    }

    /// Returns whether nothing has interrupted the work.
    pub fn may_continue(&self) -> bool {
        if self.raised.borrow().is_some() {
            return false;
        }
        let now = Instant::now();
        if now < self.next_look.get() {
            return true;
        }
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime only")]
        let checked = Python::attach(|py| py.check_signals());
        self.next_look.set(now + INTERVAL);
        let may_continue = checked.is_ok();
        self.raised.replace(checked.err());
        may_continue
    }

    /// Returns the exception of the interrupt, if there was one.
    pub fn into_error(self) -> Option<PyErr> {
        self.raised.into_inner()
    }
}
