//! A caller that waits for an answer, and its deadline.

use super::caller::CallerConnection;
use super::deadline::answer_deadline;
use lastnim_arena::Principal;
use std::time::{Duration, Instant};
use tonic::Request;

/// A caller that waits for an answer, and its deadline.
#[derive(Debug, Clone)]
pub(crate) struct WaitingCaller {
    pub(crate) asker: CallerConnection,
    /// The time by which it needs the answer; `None` if it gave no deadline.
    pub(crate) deadline: Option<Instant>,
}

impl WaitingCaller {
    /// Identifies the sender of a request.
    pub(crate) fn of_request<T>(request: &Request<T>, principal: Option<Principal>) -> Self {
        let asker = CallerConnection::of_request(request, principal);
        Self { asker, deadline: answer_deadline(request.metadata()) }
    }

    /// Returns how long the caller may wait: at most `longest`, and not beyond its deadline.
    pub(crate) fn time_left(&self, longest: Duration) -> Duration {
        self.deadline.map_or(longest, |by| by.duration_since(Instant::now()).min(longest))
    }
}
