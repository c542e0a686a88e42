//! What came to the server and what was refused, for those who watch over it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tonic::codegen::http::HeaderMap;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// The most reasons that are counted each by itself; all others count as one.
const MAX_REASONS: usize = 200;

/// Counts connections, refused calls by their reasons, and pages by their status. Bots that play pass by none of it.
#[derive(Debug, Default)]
pub struct TrafficCounts {
    accepted: AtomicU64,
    turned_away: AtomicU64,
    closed: AtomicU64,
    refused_calls: Mutex<BTreeMap<RefusedCall, u64>>,
    pages: Mutex<BTreeMap<u16, u64>>,
}

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefusedCall {
    /// The code of gRPC, as `RESOURCE_EXHAUSTED`.
    pub code: &'static str,
    /// The reason in the details, as `TOO_MANY_QUESTIONS`.
    pub reason: String,
}

impl TrafficCounts {
    /// Counts a connection that is accepted.
    pub fn note_accepted(&self) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a connection for which there is no place.
    pub fn note_turned_away(&self) {
        self.turned_away.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an accepted connection that is over.
    pub fn note_closed(&self) {
        self.closed.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a call if its answer, which has these headers, refuses it.
    pub fn note_answer(&self, headers: &HeaderMap) {
        let Some(status) = Status::from_header_map(headers).filter(|status| status.code() != Code::Ok) else {
            return;
        };
        let reason = status.get_details_error_info().map(|info| info.reason).unwrap_or_default();
        let mut refused = self.lock_refused();
        let call = RefusedCall { code: code_name(status.code()), reason };
        if refused.len() >= MAX_REASONS && !refused.contains_key(&call) {
            *refused.entry(RefusedCall { code: call.code, reason: "OTHER".to_owned() }).or_default() += 1;
        } else {
            *refused.entry(call).or_default() += 1;
        }
    }

    /// Counts a page by the status of its answer.
    pub fn note_page(&self, status: u16) {
        *self.lock_pages().entry(status).or_default() += 1;
    }

    /// Returns how many connections were accepted, and how many turned away.
    pub fn connections(&self) -> (u64, u64) {
        (self.accepted.load(Ordering::Relaxed), self.turned_away.load(Ordering::Relaxed))
    }

    /// Returns how many connections are open.
    pub fn open_connections(&self) -> u64 {
        // In this order, so that no connection is closed that was not accepted.
        let closed = self.closed.load(Ordering::Acquire);
        self.accepted.load(Ordering::Acquire).saturating_sub(closed)
    }

    /// Returns how many calls were refused for each reason.
    pub fn refused_calls(&self) -> BTreeMap<RefusedCall, u64> {
        self.lock_refused().clone()
    }

    /// Returns how many pages were answered with each status.
    pub fn pages(&self) -> BTreeMap<u16, u64> {
        self.lock_pages().clone()
    }

    fn lock_refused(&self) -> MutexGuard<'_, BTreeMap<RefusedCall, u64>> {
        self.refused_calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_pages(&self) -> MutexGuard<'_, BTreeMap<u16, u64>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the name of a code as gRPC writes it.
fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::memory_spent_status;

    #[test]
    fn refusals_are_counted_by_reason_up_to_a_bound() {
        let counts = TrafficCounts::default();
        let note = |status: Status| {
            let mut headers = HeaderMap::new();
            status.add_header(&mut headers).unwrap();
            counts.note_answer(&headers);
        };
        counts.note_answer(&HeaderMap::new());
        note(Status::ok(""));
        note(memory_spent_status());
        note(memory_spent_status());
        let refused = counts.refused_calls();
        let spent = RefusedCall { code: "RESOURCE_EXHAUSTED", reason: "MEMORY".into() };
        assert_eq!(refused, BTreeMap::from([(spent, 2)]));
        for reason in 0..2 * MAX_REASONS {
            note(crate::rpc::status::refusal_status(Code::NotFound, &format!("R{reason}"), ""));
        }
        let refused = counts.refused_calls();
        assert!(refused.len() <= MAX_REASONS + 1, "{}", refused.len());
        assert_eq!(refused.values().sum::<u64>(), 2 + 2 * MAX_REASONS as u64);
    }
}
