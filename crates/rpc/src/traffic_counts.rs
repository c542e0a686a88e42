//! Counts of traffic and refusals, for monitoring.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tonic::codegen::http::HeaderMap;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// The maximum number of different reasons that are counted for calls, and the maximum for pages. All further reasons
/// are counted together.
const MAX_REASONS: usize = 200;
/// The reason under which calls without a reason, and reasons beyond the maximum, are counted.
const OTHER_REASONS: &str = "OTHER";

/// Counts connections, refused calls and pages by reason, and pages by status. The call of a playing bot is not counted
/// until its stream ends.
#[derive(Debug, Default)]
pub struct TrafficCounts {
    accepted: AtomicU64,
    rejected: AtomicU64,
    closed: AtomicU64,
    refused_calls: Mutex<BTreeMap<RefusedCall, u64>>,
    refused_pages: Mutex<BTreeMap<RefusedPage, u64>>,
    pages: Mutex<BTreeMap<u16, u64>>,
}

/// The reason for a refused call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefusedCall {
    /// The gRPC code, for example `RESOURCE_EXHAUSTED`.
    pub code: &'static str,
    /// The reason in the details, for example `TOO_MANY_QUESTIONS`.
    pub reason: String,
}

/// The reason for a refused page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefusedPage {
    /// The HTTP status, which is 400 or above.
    pub status: u16,
    /// The reason, for example `TOO_MANY_READS`.
    pub reason: String,
}

impl TrafficCounts {
    /// Counts an accepted connection.
    pub fn count_accepted(&self) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a connection that was turned away.
    pub fn count_rejected(&self) {
        self.rejected.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts the end of an accepted connection.
    pub fn count_closed(&self) {
        self.closed.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a call if the headers or trailers of its answer show an error.
    pub fn count_refused_call(&self, headers: &HeaderMap) {
        let Some(status) = Status::from_header_map(headers).filter(|status| status.code() != Code::Ok) else {
            return;
        };
        let reason = status.get_details_error_info().map(|info| info.reason);
        let reason = reason.filter(|reason| !reason.is_empty()).unwrap_or_else(|| OTHER_REASONS.to_owned());
        let code = code_name(status.code());
        let other = RefusedCall { code, reason: OTHER_REASONS.to_owned() };
        add_one_bounded(&self.refused_calls, RefusedCall { code, reason }, other);
    }

    /// Counts a page by its HTTP status, and by the reason for its refusal, if there is one.
    pub fn count_page(&self, status: u16, reason: Option<&str>) {
        *lock_counts(&self.pages).entry(status).or_default() += 1;
        if status >= 400 {
            let refusal = |reason: &str| RefusedPage { status, reason: reason.to_owned() };
            let reason = reason.unwrap_or(OTHER_REASONS);
            add_one_bounded(&self.refused_pages, refusal(reason), refusal(OTHER_REASONS));
        }
    }

    /// Returns the number of connections accepted and turned away.
    pub fn connections(&self) -> (u64, u64) {
        (self.accepted.load(Ordering::Relaxed), self.rejected.load(Ordering::Relaxed))
    }

    /// Returns the number of open connections.
    pub fn open_connection_count(&self) -> u64 {
        // The ends are read first, so that every counted end has a counted start.
        let closed = self.closed.load(Ordering::Acquire);
        self.accepted.load(Ordering::Acquire).saturating_sub(closed)
    }

    /// Returns the number of refused calls by reason.
    pub fn refused_calls(&self) -> BTreeMap<RefusedCall, u64> {
        lock_counts(&self.refused_calls).clone()
    }

    /// Returns the number of refused pages by reason.
    pub fn refused_pages(&self) -> BTreeMap<RefusedPage, u64> {
        lock_counts(&self.refused_pages).clone()
    }

    /// Returns the number of pages by status.
    pub fn pages(&self) -> BTreeMap<u16, u64> {
        lock_counts(&self.pages).clone()
    }
}

fn lock_counts<K>(counts: &Mutex<BTreeMap<K, u64>>) -> MutexGuard<'_, BTreeMap<K, u64>> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Increments the count of `counted`, or the count of `other` if there are already too many kinds.
fn add_one_bounded<K: Ord>(counts: &Mutex<BTreeMap<K, u64>>, counted: K, other: K) {
    let mut counts = lock_counts(counts);
    let is_full = counts.len() >= MAX_REASONS && !counts.contains_key(&counted);
    *counts.entry(if is_full { other } else { counted }).or_default() += 1;
}

/// Returns the gRPC name of a code.
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
    use crate::memory_spent_status;

    #[test]
    fn refusals_are_counted_by_reason_up_to_a_limit() {
        let counts = TrafficCounts::default();
        let note = |status: Status| {
            let mut headers = HeaderMap::new();
            status.add_header(&mut headers).unwrap();
            counts.count_refused_call(&headers);
        };
        counts.count_refused_call(&HeaderMap::new());
        note(Status::ok(""));
        note(memory_spent_status());
        note(memory_spent_status());
        let refused = counts.refused_calls();
        let spent = RefusedCall { code: "RESOURCE_EXHAUSTED", reason: "MEMORY".into() };
        assert_eq!(refused, BTreeMap::from([(spent, 2)]));
        for reason in 0..2 * MAX_REASONS {
            note(crate::status::refusal_status(Code::NotFound, &format!("R{reason}"), ""));
        }
        let refused = counts.refused_calls();
        assert!(refused.len() <= MAX_REASONS + 1, "{}", refused.len());
        assert_eq!(refused.values().sum::<u64>(), 2 + 2 * MAX_REASONS as u64);
    }

    #[test]
    fn pages_are_counted_by_status_and_refusals_by_reason_up_to_a_limit() {
        let counts = TrafficCounts::default();
        counts.count_page(200, None);
        counts.count_page(404, Some("NOT_FOUND"));
        counts.count_page(404, None);
        assert_eq!(counts.pages(), BTreeMap::from([(200, 1), (404, 2)]));
        let refusal = |status, reason: &str| RefusedPage { status, reason: reason.to_owned() };
        let expected = BTreeMap::from([(refusal(404, "NOT_FOUND"), 1), (refusal(404, "OTHER"), 1)]);
        assert_eq!(counts.refused_pages(), expected);
        for reason in 0..2 * MAX_REASONS {
            counts.count_page(429, Some(&format!("R{reason}")));
        }
        let counted = counts.refused_pages();
        assert!(counted.len() <= MAX_REASONS + 1, "{}", counted.len());
        assert_eq!(counted.values().sum::<u64>(), 2 + 2 * MAX_REASONS as u64);
    }
}
