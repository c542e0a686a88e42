//! Adds machine-readable reasons to errors of the transport layers.

use super::status::{RETRY_AFTER, refusal_status, retry_after_status, retry_after_status_with, retry_status};
use std::collections::HashMap;
use std::time::Duration;
use tonic::codegen::http::HeaderMap;
use tonic::{Code, Status};

/// The metadata key of the details of a status.
const STATUS_DETAILS_KEY: &str = "grpc-status-details-bin";

/// The delay that is suggested to a caller without a token before it tries again, when too many such callers are
/// connected.
const STRANGER_RETRY_DELAY: Duration = Duration::from_secs(10);

/// Returns the status of a request that arrived too late.
pub fn late_request_status(limit: Duration) -> Status {
    let message = format!("the request, or one of its messages, did not arrive completely within {limit:?}");
    retry_status(Code::DeadlineExceeded, "LATE_REQUEST", &message)
}

/// Returns the status of a call whose own deadline has passed.
pub fn late_answer_status(limit: Duration) -> Status {
    let message = format!("grpc-timeout: the call was not answered within {limit:?}");
    refusal_status(Code::DeadlineExceeded, "LATE_ANSWER", &message)
}

/// Returns the status of a call that exceeds the memory limits for requests and responses.
pub fn memory_spent_status() -> Status {
    let message = "too many bytes of incomplete or unanswered requests, or of unread responses, from \
                   your address or in total: read your responses, and send fewer requests at once";
    retry_status(Code::ResourceExhausted, "MEMORY", message)
}

/// Returns the status of a call without a token while too many such connections are open.
pub fn too_many_strangers_status() -> Status {
    let message = "too many connections without a token, from your address or in total: \
                   close some, send a token, or try again later";
    retry_after_status(STRANGER_RETRY_DELAY, Code::Unavailable, "TOO_MANY_STRANGERS", message)
}

/// Returns the status for a call without TLS on a port that needs TLS.
pub fn tls_required_status() -> Status {
    refusal_status(Code::FailedPrecondition, "TLS_REQUIRED", "this port needs TLS: connect with https://")
}

/// Returns the status of a call from a client that has shown no certificate, or one that was rejected for this reason, on
/// a port that needs one.
pub fn client_certificate_status(rejection: Option<&str>) -> Status {
    let (reason, message) = match rejection {
        None => (
            "CLIENT_CERTIFICATE_REQUIRED",
            "this server requires a client certificate: use --client-cert and --client-key, or LASTNIM_CLIENT_CERT and LASTNIM_CLIENT_KEY".to_owned(),
        ),
        Some(why) => (
            "CLIENT_CERTIFICATE_REJECTED",
            format!("the server rejected the client's certificate ({why}): use one signed by an authority that the server trusts through --client-ca"),
        ),
    };
    refusal_status(Code::FailedPrecondition, reason, &message)
}

/// Returns the status of every call to a server that is standing by for the server named `holder`. `holder` is `None`
/// if this server has not seen another one serve yet.
pub fn standing_by_status(holder: Option<&str>) -> Status {
    let (code, reason) = (Code::Unavailable, "STANDING_BY");
    match holder {
        Some(holder) => retry_after_status_with(
            RETRY_AFTER,
            code,
            reason,
            &format!("this server is standing by for {holder}: connect to that server instead"),
            HashMap::from([("holder".to_owned(), holder.to_owned())]),
        ),
        None => retry_status(
            code,
            reason,
            "this server is standing by: try again later, or connect to the active server",
        ),
    }
}

/// Adds a reason to a status that has none, such as a status from the transport layers. `path` is the called method.
pub fn add_error_info(headers: &mut HeaderMap, path: &str) {
    if headers.contains_key(STATUS_DETAILS_KEY) {
        return;
    }
    let Some(status) = Status::from_header_map(headers).filter(|status| status.code() != Code::Ok) else {
        return;
    };
    let (reason, message) = error_explanation(&status, path);
    let explained = refusal_status(status.code(), reason, &message);
    // A status whose message does not fit in a header stays unchanged.
    let _ = explained.add_header(headers);
}

fn error_explanation(status: &Status, path: &str) -> (&'static str, String) {
    let status_message = status.message();
    let reason = match status.code() {
        Code::Unimplemented if status_message.is_empty() => {
            return ("UNKNOWN_METHOD", format!("this server has no method {path}"));
        }
        Code::Unimplemented if status_message.contains("compressed") => "UNKNOWN_COMPRESSION",
        Code::Unimplemented => "UNKNOWN_METHOD",
        // The messages name the size and the limit.
        Code::OutOfRange | Code::ResourceExhausted => "MESSAGE_TOO_LARGE",
        Code::Internal | Code::InvalidArgument => "MALFORMED",
        Code::NotFound => "UNKNOWN_SERVICE",
        Code::Cancelled => "CANCELLED",
        Code::DeadlineExceeded => "LATE_ANSWER",
        _ => "TRANSPORT",
    };
    (reason, status_message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic_types::StatusExt as _;

    fn with_error_info(status: &Status) -> (Code, Option<String>, String) {
        let mut headers = HeaderMap::new();
        status.add_header(&mut headers).unwrap();
        add_error_info(&mut headers, "/a.B/C");
        let status = Status::from_header_map(&headers).unwrap();
        let reason = status.get_details_error_info().map(|info| info.reason);
        (status.code(), reason, status.message().to_owned())
    }

    #[test]
    fn every_error_gets_a_reason_unless_it_already_has_one() {
        let spent = memory_spent_status();
        let cases = [
            (Status::unimplemented(""), "UNKNOWN_METHOD", "this server has no method /a.B/C"),
            (Status::out_of_range("5 bytes, the limit is 4"), "MESSAGE_TOO_LARGE", "5 bytes, the limit is 4"),
            (Status::internal("no protobuf"), "MALFORMED", "no protobuf"),
            (memory_spent_status(), "MEMORY", spent.message()),
            (refusal_status(Code::Internal, "STORE", "the store"), "STORE", "the store"),
        ];
        for (status, reason, message) in cases {
            let expected = (status.code(), Some(reason.to_owned()), message.to_owned());
            assert_eq!(with_error_info(&status), expected);
        }
    }

    #[test]
    fn a_successful_response_is_not_changed() {
        let mut headers = HeaderMap::new();
        add_error_info(&mut headers, "/a.B/C");
        headers.insert("grpc-status", "0".parse().unwrap());
        add_error_info(&mut headers, "/a.B/C");
        assert_eq!(headers.len(), 1);
    }
}
