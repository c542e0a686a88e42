//! Refused pages: the reason, for the metrics, and when to try again.

use lastnim_arena::retry_seconds;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::Response;
use tonic::codegen::http::header::RETRY_AFTER;
use tonic_types::StatusExt as _;

/// The reason why a page was refused. It is an extension of the response, so that responses can be counted by reason.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PageRefusal {
    reason: String,
}

/// Adds the reason in a service's status to a response, and the status's `RetryInfo` as `Retry-After`.
#[must_use = "returns the changed response"]
pub(super) fn with_refusal(mut response: Response<Body>, status: &Status) -> Response<Body> {
    if let Some(wait) = status.get_details_retry_info().and_then(|info| info.retry_delay) {
        response.headers_mut().insert(RETRY_AFTER, retry_seconds(wait).into());
    }
    let reason = status.get_details_error_info().map(|info| info.reason);
    let reason = reason.filter(|reason| !reason.is_empty());
    // A status that the pages create has no details, so its code is used as the reason.
    with_reason(response, &reason.unwrap_or_else(|| format!("{:?}", status.code())))
}

/// Adds a reason to a response. Words separated by capitals or underscores become `UPPER_SNAKE_CASE`.
#[must_use = "returns the changed response"]
pub(super) fn with_reason(mut response: Response<Body>, reason: &str) -> Response<Body> {
    let mut snake_case = String::new();
    for letter in reason.chars() {
        let is_new_word =
            letter.is_ascii_uppercase() && snake_case.ends_with(|last: char| last.is_ascii_lowercase());
        snake_case.extend(is_new_word.then_some('_'));
        snake_case.push(letter);
    }
    response.extensions_mut().insert(PageRefusal { reason: snake_case.to_ascii_uppercase() });
    response
}

/// Returns the reason of a refused response, if it has one.
pub fn refusal_reason(response: &Response<Body>) -> Option<&str> {
    response.extensions().get::<PageRefusal>().map(|refusal| refusal.reason.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_rpc::memory_spent_status;
    use std::time::Duration;
    use tonic::Code;
    use tonic_types::ErrorDetails;

    #[test]
    fn refusal_reasons_come_from_the_service_or_the_status_code() {
        let value_of = |status: &Status| {
            let response = with_refusal(Response::default(), status);
            refusal_reason(&response).unwrap().to_owned()
        };
        assert_eq!(value_of(&memory_spent_status()), "MEMORY");
        assert_eq!(value_of(&Status::not_found("x")), "NOT_FOUND");
        assert_eq!(value_of(&Status::resource_exhausted("x")), "RESOURCE_EXHAUSTED");
        assert_eq!(refusal_reason(&Response::default()), None);
    }

    #[test]
    fn the_time_to_wait_is_sent_in_a_header() {
        let value_of = |wait: Option<Duration>| {
            let mut details = ErrorDetails::new();
            details.set_retry_info(wait);
            let status = Status::with_error_details(Code::ResourceExhausted, "full", details);
            let response = with_refusal(Response::default(), &status);
            response.headers().get(RETRY_AFTER).map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(value_of(Some(Duration::from_millis(119_001))).as_deref(), Some("120"));
        assert_eq!(value_of(Some(Duration::ZERO)).as_deref(), Some("1"));
        assert_eq!(value_of(None), None, "nothing suggests a retry");
    }
}
