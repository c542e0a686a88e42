//! Who waits for an answer, and until when it is of use.

use super::caller::CallerConnection;
use super::deadline::answer_deadline;
use lastnim_arena::Principal;
use std::time::{Duration, Instant};
use tonic::Request;

/// Who waits for an answer, and until when it is of use.
#[derive(Debug, Clone)]
pub(crate) struct WaitingCaller {
    /// The caller.
    pub(crate) asker: CallerConnection,
    /// When it wants the answer at the latest; none if it did not say.
    pub(crate) wanted_by: Option<Instant>,
}

impl WaitingCaller {
    /// Names the sender of a request.
    pub(crate) fn of_request<T>(request: &Request<T>, principal: Option<Principal>) -> Self {
        let asker = CallerConnection::of_request(request, principal);
        Self { asker, wanted_by: answer_deadline(request.metadata()) }
    }

    /// Returns for how long it may be kept waiting: no longer than `longest`, nor than the answer is of use.
    pub(crate) fn time_left(&self, longest: Duration) -> Duration {
        self.wanted_by.map_or(longest, |by| by.duration_since(Instant::now()).min(longest))
    }
}
