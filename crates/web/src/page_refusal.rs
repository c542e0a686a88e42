//! Why there is no page, for those who count.

use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::Response;
use tonic_types::StatusExt as _;

/// Why there is no page: one of the reasons that the program knows. It goes with the answer as far as to where answers are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PageRefusal {
    reason: String,
}

/// Says with an answer why it is a refusal; the words are those of a status that a service gave.
#[must_use = "it is the answer with the reason"]
pub(super) fn with_status_reason(response: Response<Body>, status: &Status) -> Response<Body> {
    let reason = status.get_details_error_info().map(|info| info.reason);
    let reason = reason.filter(|reason| !reason.is_empty());
    // A status of the pages themselves has no details: its code says enough.
    with_reason(response, &reason.unwrap_or_else(|| format!("{:?}", status.code())))
}

/// Says with an answer why it is a refusal. Words are told apart by capitals or underscores, and written as in `TOO_MANY_READS`.
#[must_use = "it is the answer with the reason"]
pub(super) fn with_reason(mut response: Response<Body>, words: &str) -> Response<Body> {
    let mut reason = String::new();
    for letter in words.chars() {
        let is_new_word =
            letter.is_ascii_uppercase() && reason.ends_with(|last: char| last.is_ascii_lowercase());
        reason.extend(is_new_word.then_some('_'));
        reason.push(letter);
    }
    response.extensions_mut().insert(PageRefusal { reason: reason.to_ascii_uppercase() });
    response
}

/// Returns why an answer is a refusal; `None` if it is none, or does not say.
pub fn refusal_reason(response: &Response<Body>) -> Option<&str> {
    response.extensions().get::<PageRefusal>().map(|refusal| refusal.reason.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_rpc::memory_spent_status;

    #[test]
    fn reasons_are_those_of_the_services_or_the_codes() {
        let told = |status: &Status| {
            let response = with_status_reason(Response::default(), status);
            refusal_reason(&response).unwrap().to_owned()
        };
        assert_eq!(told(&memory_spent_status()), "MEMORY");
        assert_eq!(told(&Status::not_found("x")), "NOT_FOUND");
        assert_eq!(told(&Status::resource_exhausted("x")), "RESOURCE_EXHAUSTED");
        assert_eq!(refusal_reason(&Response::default()), None);
    }
}
