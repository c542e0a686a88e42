//! Who waits for an answer, and until when it is of use.

use super::caller::CallerConnection;
use super::deadline::answer_deadline;
use crate::arena::Principal;
use std::time::{Duration, Instant};
use tonic::Request;

/// Who waits for an answer, and until when it is of use.
#[derive(Debug, Clone)]
pub(in crate::rpc) struct WaitingCaller {
    /// The caller.
    pub(in crate::rpc) asker: CallerConnection,
    /// When it wants the answer at the latest; none if it did not say.
    pub(in crate::rpc) wanted_by: Option<Instant>,
}

impl WaitingCaller {
    /// Names the sender of a request.
    pub(in crate::rpc) fn of_request<T>(request: &Request<T>, principal: Option<Principal>) -> Self {
        let asker = CallerConnection::of_request(request, principal);
        Self { asker, wanted_by: answer_deadline(request.metadata()) }
    }

    /// Returns for how long it may be kept waiting: no longer than `longest`, nor than the answer is of use.
    pub(in crate::rpc) fn time_left(&self, longest: Duration) -> Duration {
        self.wanted_by.map_or(longest, |by| by.duration_since(Instant::now()).min(longest))
    }
}
