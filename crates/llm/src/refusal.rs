//! Error responses in which an endpoint refuses a request.

use super::completion::error_text;
use serde_json::Value;

/// The maximum number of characters kept from a refusal.
const MAX_MESSAGE_CHARS: usize = 500;
/// Error codes for requests or answers that a content filter blocked.
const FILTER_CODES: [&str; 2] = ["content_filter", "content_policy_violation"];
/// Error codes for problems that last until the organiser changes the key, the model or the credit, whatever the HTTP status.
const UNUSABLE_CODES: [&str; 4] =
    ["insufficient_quota", "invalid_api_key", "model_not_found", "DeploymentNotFound"];
/// The error code for a prompt that is too long.
const TOO_LONG_CODE: &str = "context_length_exceeded";

/// An endpoint's error response.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refusal {
    /// Its message.
    pub words: String,
    /// The parameter that it names, as a path such as `response_format.type`.
    param: Option<String>,
    /// Its code.
    code: Option<String>,
}

impl Refusal {
    /// Reads the body of an error response.
    pub fn from_body(body: &[u8]) -> Self {
        let Ok(json) = serde_json::from_slice::<Value>(body) else {
            return Self { words: shorten(&String::from_utf8_lossy(body)), ..Self::default() };
        };
        let error = json.get("error").unwrap_or(&json);
        let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
        // Servers built with FastAPI state the path of the mistake in the body.
        let place = json.pointer("/detail/0/loc").and_then(Value::as_array).map(|steps| {
            let steps = steps.iter().filter_map(Value::as_str).filter(|step| *step != "body");
            steps.collect::<Vec<_>>().join(".")
        });
        let param = text("param").or(place).filter(|param| !param.is_empty());
        Self { words: shorten(&error_text(error)), param, code: text("code") }
    }

    /// Returns whether the refusal may be about the form of the request.
    pub fn is_about_form(&self) -> bool {
        !self.is_content_filter() && !self.is_unusable() && self.code.as_deref() != Some(TOO_LONG_CODE)
    }

    /// Returns whether the endpoint cannot be used until the organiser fixes the cause.
    pub fn is_unusable(&self) -> bool {
        self.has_code(&UNUSABLE_CODES)
    }

    /// Returns whether a content filter refused the prompt.
    pub fn is_content_filter(&self) -> bool {
        self.has_code(&FILTER_CODES)
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        self.code.as_deref().is_some_and(|code| codes.contains(&code))
    }

    /// Returns whether the refusal names a parameter. If it does, its message is not searched for one.
    pub fn has_param(&self) -> bool {
        self.param.is_some()
    }

    /// Returns whether it names this parameter. If no member names a parameter, the message is searched for the whole
    /// word: "upstream" does not contain "stream".
    pub fn names(&self, parameter: &str) -> bool {
        match &self.param {
            Some(path) => path.split(['.', '[', ']']).any(|step| step == parameter),
            None => contains_word(&self.words.to_ascii_lowercase(), parameter),
        }
    }

    /// Returns the same refusal with another message.
    #[must_use]
    pub fn with_words(self, words: String) -> Self {
        Self { words, ..self }
    }
}

fn shorten(text: &str) -> String {
    text.chars().take(MAX_MESSAGE_CHARS).collect()
}

fn contains_word(text: &str, word: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(is_inside) && !after.starts_with(is_inside)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_refusal_names_only_the_parameter_that_it_is_about() {
        let refusal = |json: Value| Refusal::from_body(json.to_string().as_bytes());
        let named =
            refusal(json!({ "error": { "message": "max_tokens, stream", "param": "response_format.type" } }));
        assert!(named.names("response_format") && !named.names("stream") && !named.names("max_tokens"));
        let placed =
            refusal(json!({ "detail": [{ "loc": ["body", "stream_options", "x"], "msg": "extra" }] }));
        assert!(placed.names("stream_options") && !placed.names("stream"));
        let unnamed = refusal(json!({ "error": { "message": "the upstream server", "param": null } }));
        assert!(!unnamed.names("stream") && !unnamed.has_param());
        let spoken = refusal(json!({ "error": "`stream` is not supported, nor stream_options" }));
        assert!(spoken.names("stream") && spoken.names("stream_options") && !spoken.names("options"));
        assert_eq!(Refusal::from_body(b"oops").words, "oops");
        assert_eq!(
            Refusal::from_body("é".repeat(MAX_MESSAGE_CHARS + 1).as_bytes()).words,
            "é".repeat(MAX_MESSAGE_CHARS)
        );
        let long = refusal(json!({ "error": { "message": "too long", "code": "context_length_exceeded" } }));
        assert!(!long.is_about_form() && !long.is_content_filter());
        assert!(refusal(json!({ "error": { "code": "content_filter" } })).is_content_filter());
    }
}
