//! The queue of notices for Python.

use crate::bot_link::Notice;
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The maximum number of log events that wait for Python. Further ones are dropped, and their number is logged.
const MAX_WAITING_LOGS: usize = 1_024;

/// Notices in the order of their arrival.
///
/// The queue is bounded, however long Python takes to answer: a question that is withdrawn before Python has read it is
/// removed, so there is at most one notice for each question that the SDK asks at once, one for each question that
/// Python has read, and [`MAX_WAITING_LOGS`] log events.
#[derive(Debug, Default)]
pub struct NoticeQueue {
    state: Mutex<QueueState>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct QueueState {
    waiting: VecDeque<Notice>,
    waiting_logs: usize,
    dropped_logs: u64,
    is_closed: bool,
}

/// Why there is no notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeError {
    /// None has arrived in time.
    TimedOut,
    /// None will arrive: the sender has ended.
    Closed,
}

/// Closes the queue when dropped, even by a panic.
#[derive(Debug)]
pub struct ClosingGuard<'a>(pub &'a NoticeQueue);

impl Drop for ClosingGuard<'_> {
    fn drop(&mut self) {
        self.0.lock_state().is_closed = true;
        self.0.arrived.notify_all();
    }
}

impl NoticeQueue {
    /// Adds a notice.
    pub fn push(&self, notice: Notice) {
        self.lock_state().waiting.push_back(notice);
        self.arrived.notify_one();
    }

    /// Adds a log event, unless too many wait.
    pub fn push_log(&self, json: Value) {
        let mut state = self.lock_state();
        if state.waiting_logs == MAX_WAITING_LOGS {
            state.dropped_logs += 1;
            return;
        }
        state.waiting_logs += 1;
        state.waiting.push_back(log_notice(json));
        self.arrived.notify_one();
    }

    /// Removes a question that Python has not read yet, or tells Python that it is withdrawn.
    pub fn withdraw(&self, number: u64) {
        let mut state = self.lock_state();
        let is_question = |notice: &Notice| notice.number == Some(number);
        match state.waiting.iter().position(is_question) {
            Some(index) => drop(state.waiting.remove(index)),
            None => {
                state.waiting.push_back(Notice {
                    kind: "withdrawn",
                    number: Some(number),
                    json: Value::Null,
                });
            }
        }
        self.arrived.notify_one();
    }

    /// Removes the first notice, or waits for one.
    pub fn receive(&self, wait: Duration) -> Result<Notice, NoticeError> {
        let until = Instant::now() + wait;
        let mut state = self.lock_state();
        loop {
            if let Some(notice) = state.pop() {
                return Ok(notice);
            }
            if state.is_closed {
                return Err(NoticeError::Closed);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(NoticeError::TimedOut);
            }
            state = self.arrived.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    fn pop(&mut self) -> Option<Notice> {
        let notice = self.waiting.pop_front()?;
        if notice.kind == "log" {
            self.waiting_logs -= 1;
            if self.waiting_logs == 0 && self.dropped_logs > 0 {
                let dropped = std::mem::take(&mut self.dropped_logs);
                self.waiting_logs = 1;
                self.waiting.push_back(log_notice(json!({
                    "level": 30,
                    "logger": "lastnim",
                    "message": format!("log events dropped while the bot was busy: {dropped}"),
                })));
            }
        }
        Some(notice)
    }
}

fn log_notice(json: Value) -> Notice {
    Notice { kind: "log", number: None, json }
}
