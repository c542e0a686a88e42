//! Replies of models, whole or streamed.

use super::{
    TokenCount,
    failure::{CallFailure, FailureClass},
};
use serde_json::Value;

/// A reply of a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    /// Its text.
    pub text: String,
    /// The model's reasoning, if the endpoint shows it.
    pub reasoning: String,
    /// Its refusal, if it refused.
    pub refusal: String,
    /// The endpoint's reason for the end of the reply; `None` until it ends.
    pub finish_reason: Option<String>,
    /// The number of tokens, if the endpoint reports it.
    pub tokens: Option<TokenCount>,
}

/// Whether a stream has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamState {
    /// More follows.
    Open,
    /// The endpoint ended the stream.
    Done,
}

impl Completion {
    /// Reads a whole reply.
    ///
    /// # Errors
    /// If it is not a reply.
    pub fn from_body(body: &[u8]) -> Result<Self, CallFailure> {
        let json: Value = serde_json::from_slice(body)
            .map_err(|error| server_error(format!("the reply is not JSON: {error}")))?;
        check_for_error(&json)?;
        let mut completion = Self::default();
        completion.add_part(&json, "message")?;
        if json.pointer("/choices/0/message").is_none_or(|message| !message.is_object()) {
            return Err(server_error("the reply has no choices[0].message".to_owned()));
        }
        completion.finish_reason.get_or_insert_with(|| "stop".to_owned());
        Ok(completion)
    }

    /// Adds an event of a stream.
    ///
    /// # Errors
    /// If it is not an event of a reply, or reports an error.
    pub fn add_event(&mut self, data: &str) -> Result<StreamState, CallFailure> {
        if data.trim() == "[DONE]" {
            self.finish_reason.get_or_insert_with(|| "stop".to_owned());
            return Ok(StreamState::Done);
        }
        let json: Value = serde_json::from_str(data)
            .map_err(|error| server_error(format!("an event in the reply is not JSON: {error}")))?;
        check_for_error(&json)?;
        self.add_part(&json, "delta")?;
        Ok(StreamState::Open)
    }

    fn add_part(&mut self, json: &Value, place: &str) -> Result<(), CallFailure> {
        if !json.is_object() {
            return Err(server_error("the reply is not a JSON object".to_owned()));
        }
        if let Some(tokens) = json.get("usage").and_then(TokenCount::from_usage) {
            self.tokens = Some(tokens);
        }
        let Some(choice) = json.pointer("/choices/0") else { return Ok(()) };
        if let Some(part) = choice.get(place) {
            push_text(&mut self.text, part.get("content"));
            push_text(&mut self.refusal, part.get("refusal"));
            push_text(&mut self.reasoning, part.get("reasoning_content").or_else(|| part.get("reasoning")));
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish_reason = Some(reason.to_owned());
        }
        Ok(())
    }

    /// Returns why the reply has no usable answer, if that is known.
    pub fn find_failure(&self) -> Option<CallFailure> {
        let failure = |class, detail: String| Some(CallFailure::new(class, detail));
        match self.finish_reason.as_deref() {
            None => failure(FailureClass::ServerError, "the reply was cut off".to_owned()),
            Some("content_filter") => {
                failure(FailureClass::Refused, "the endpoint's content filter withheld the reply".to_owned())
            }
            _ if !self.refusal.trim().is_empty() => {
                failure(FailureClass::Refused, format!("the model refused: {}", self.refusal.trim()))
            }
            Some("length") => failure(
                FailureClass::Truncated,
                "the reply ran out of tokens before its end: think and answer more briefly".to_owned(),
            ),
            _ if self.text.trim().is_empty() => {
                failure(FailureClass::Empty, "the reply was empty".to_owned())
            }
            _ => None,
        }
    }
}

/// Adds a string, or the strings in a list of parts.
fn push_text(text: &mut String, value: Option<&Value>) {
    match value {
        Some(Value::String(more)) => text.push_str(more),
        Some(Value::Array(parts)) => {
            for part in parts {
                text.push_str(part.get("text").and_then(Value::as_str).unwrap_or_default());
            }
        }
        _ => {}
    }
}

fn check_for_error(json: &Value) -> Result<(), CallFailure> {
    match json.get("error") {
        None | Some(Value::Null) => Ok(()),
        Some(error) => Err(server_error(format!("the endpoint reports an error: {}", error_words(error)))),
    }
}

/// Returns the message of an endpoint's error.
pub fn error_words(error: &Value) -> String {
    let message = error.get("message").unwrap_or(error);
    message.as_str().map_or_else(|| message.to_string(), str::to_owned)
}

fn server_error(detail: String) -> CallFailure {
    CallFailure::new(FailureClass::ServerError, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn body(choice: &Value) -> Result<Completion, CallFailure> {
        let usage = json!({ "prompt_tokens": 7, "completion_tokens": 5, "completion_tokens_details": { "reasoning_tokens": 3 } });
        Completion::from_body(json!({ "choices": [choice], "usage": usage }).to_string().as_bytes())
    }

    #[test]
    fn whole_replies_are_read() {
        let completion = body(&json!({ "message": { "content": "hi" }, "finish_reason": "stop" })).unwrap();
        assert_eq!((completion.text.as_str(), completion.find_failure()), ("hi", None));
        assert_eq!(completion.tokens, Some(TokenCount { prompt: 7, completion: 5, reasoning: 3 }));
        let parts = json!([{ "type": "text", "text": "a" }, { "type": "image" }, { "text": "b" }]);
        assert_eq!(body(&json!({ "message": { "content": parts } })).unwrap().text, "ab");
        let class = |choice: Value| body(&choice).unwrap().find_failure().map(|failure| failure.class);
        for (choice, expected) in [
            (json!({ "message": { "content": "{" }, "finish_reason": "length" }), FailureClass::Truncated),
            (json!({ "message": { "content": null }, "finish_reason": "stop" }), FailureClass::Empty),
            (json!({ "message": { "content": " \n" } }), FailureClass::Empty),
            (json!({ "message": { "refusal": "no" }, "finish_reason": "stop" }), FailureClass::Refused),
            (json!({ "message": {}, "finish_reason": "content_filter" }), FailureClass::Refused),
        ] {
            assert_eq!(class(choice.clone()), Some(expected), "{choice}");
        }
    }

    #[test]
    fn invalid_replies_are_server_errors() {
        for body in ["", "<html>", "[]", "{}", "7", r#"{"choices": []}"#, r#"{"choices": [{"message": 3}]}"#]
        {
            let failure = Completion::from_body(body.as_bytes()).unwrap_err();
            assert_eq!(failure.class, FailureClass::ServerError, "{body}");
        }
        let failure = Completion::from_body(br#"{"error": {"message": "overloaded"}}"#).unwrap_err();
        assert_eq!(failure.detail, "the endpoint reports an error: overloaded");
    }

    #[test]
    fn streamed_replies_add_up() {
        let mut completion = Completion::default();
        for piece in ["{\"ta", "ke\"", ": 1}"] {
            let event = json!({ "choices": [{ "delta": { "content": piece, "reasoning_content": "m" } }], "usage": null });
            assert_eq!(completion.add_event(&event.to_string()), Ok(StreamState::Open));
        }
        assert_eq!(completion.find_failure().unwrap().class, FailureClass::ServerError, "it is cut off");
        let last = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }).to_string();
        completion.add_event(&last).unwrap();
        let usage =
            json!({ "choices": [], "usage": { "prompt_tokens": 1, "completion_tokens": 2 } }).to_string();
        completion.add_event(&usage).unwrap();
        assert_eq!(completion.add_event(" [DONE]"), Ok(StreamState::Done));
        assert_eq!((completion.text.as_str(), completion.reasoning.as_str()), ("{\"take\": 1}", "mmm"));
        assert_eq!((completion.tokens.unwrap().completion, completion.find_failure()), (2, None));
        assert!(
            completion.add_event("{nonsense").is_err() && completion.add_event(r#"{"error": "x"}"#).is_err()
        );
    }
}
