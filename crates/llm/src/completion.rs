//! Replies of models, whole or streamed.

use super::{
    TokenCount,
    failure::{CallFailure, FailureClass},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A reply of a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    /// Its text.
    pub text: String,
    /// The model's reasoning, if the endpoint shows it.
    pub reasoning: String,
    /// The text with which the model refused to answer, if any.
    pub refusal: String,
    /// Why the reply ended, according to the endpoint; `None` until it ends.
    pub finish_reason: Option<String>,
    /// The number of tokens, if the endpoint reports it.
    pub tokens: Option<TokenCount>,
    /// Whether the model called a tool.
    pub has_tool_call: bool,
    /// The source of the reply.
    pub source: ResponseSource,
}

/// Where a reply came from, according to the endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
pub struct ResponseSource {
    /// The id of the response.
    pub id: Option<String>,
    /// The name of the model, which may be a version of the requested model.
    pub model: Option<String>,
    /// The configuration of the endpoint.
    pub system_fingerprint: Option<String>,
}

impl ResponseSource {
    fn read_members(&mut self, json: &Value) {
        let members = [
            ("id", &mut self.id),
            ("model", &mut self.model),
            ("system_fingerprint", &mut self.system_fingerprint),
        ];
        for (name, member) in members {
            if let Some(text) = json.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()) {
                *member = Some(text.chars().take(MAX_SOURCE_CHARS).collect());
            }
        }
    }

    /// Applies a function to all texts.
    #[must_use]
    pub fn map_texts(self, change: impl Fn(String) -> String) -> Self {
        let Self { id, model, system_fingerprint } = self;
        Self {
            id: id.map(&change),
            model: model.map(&change),
            system_fingerprint: system_fingerprint.map(&change),
        }
    }

    /// Returns the source as JSON.
    pub fn to_json(&self) -> Value {
        json!({ "id": self.id, "model": self.model, "system_fingerprint": self.system_fingerprint })
    }
}

/// The maximum length of an id or a name in a response.
const MAX_SOURCE_CHARS: usize = 200;
/// Finish reasons, in lower case, that mean that the reply reached the token limit.
const LENGTH_REASONS: [&str; 4] = ["length", "max_tokens", "max_output_tokens", "model_length"];
/// Finish reasons, in lower case, that mean that a content filter stopped the reply.
const FILTER_REASONS: [&str; 6] =
    ["content_filter", "safety", "recitation", "prohibited_content", "blocklist", "spii"];
/// Finish reasons, in lower case, that mean that the model called a tool.
const TOOL_REASONS: [&str; 4] = ["tool_calls", "tool_use", "function_call", "malformed_function_call"];

/// Whether a stream has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamState {
    /// More events may follow.
    Open,
    /// The endpoint ended the stream.
    Done,
}

impl Completion {
    /// Reads a whole reply.
    ///
    /// # Errors
    /// If it is not a reply, or reports an error.
    pub fn from_body(body: &[u8]) -> Result<Self, CallFailure> {
        let json: Value = serde_json::from_slice(body)
            .map_err(|error| server_error(format!("the reply is not JSON: {error}")))?;
        check_for_error(&json)?;
        check_for_native_api(&json)?;
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
        check_for_native_api(&json)?;
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
        self.source.read_members(json);
        let Some(choice) = json.pointer("/choices/0") else { return Ok(()) };
        check_for_error(choice)?;
        if let Some(part) = choice.get(place) {
            push_text(&mut self.text, part.get("content"));
            push_text(&mut self.refusal, part.get("refusal"));
            self.push_reasoning(part);
            let is_tool_call =
                |calls: &Value| !calls.is_null() && calls.as_array().is_none_or(|all| !all.is_empty());
            self.has_tool_call |= ["tool_calls", "function_call"]
                .into_iter()
                .any(|name| part.get(name).is_some_and(is_tool_call));
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish_reason = Some(reason.to_owned());
        }
        Ok(())
    }

    /// Adds the model's reasoning. Some endpoints send the same reasoning under several names, so only one of them
    /// counts.
    fn push_reasoning(&mut self, part: &Value) {
        let before = self.reasoning.len();
        for name in ["reasoning_content", "reasoning", "thinking", "reasoning_details"] {
            push_text(&mut self.reasoning, part.get(name));
            if self.reasoning.len() > before {
                return;
            }
        }
        let parts = part.get("content").and_then(Value::as_array);
        for thinking in parts.into_iter().flatten().filter_map(|part| part.get("thinking")) {
            push_text(&mut self.reasoning, Some(thinking));
        }
    }

    /// Returns a number that grows with every part of the reply, by which progress is detected: the bytes of the texts
    /// so far, and one for each other part.
    pub fn size(&self) -> usize {
        let texts = [&self.text, &self.reasoning, &self.refusal];
        let has = [self.finish_reason.is_some(), self.tokens.is_some(), self.has_tool_call];
        texts.iter().map(|text| text.len()).sum::<usize>() + has.into_iter().map(usize::from).sum::<usize>()
    }

    /// Returns why the reply has no usable answer, if that is known.
    pub fn find_failure(&self) -> Option<CallFailure> {
        let failure = |class, detail: String| Some(CallFailure::new(class, detail));
        let Some(given) = self.finish_reason.as_deref() else {
            return failure(FailureClass::ServerError, "the reply was cut off".to_owned());
        };
        let reason = given.to_ascii_lowercase();
        let reason = reason.as_str();
        if reason == "error" {
            return failure(
                FailureClass::ServerError,
                "the endpoint ended the reply with an error".to_owned(),
            );
        }
        if FILTER_REASONS.contains(&reason) {
            let detail = format!("the endpoint's content filter withheld the reply ({given})");
            return failure(FailureClass::Filtered, detail);
        }
        if reason == "refusal" || !self.refusal.trim().is_empty() {
            let refusal = self.refusal.trim();
            let detail = match refusal {
                "" => "the model refused to answer".to_owned(),
                refusal => format!("the model refused: {refusal}"),
            };
            return failure(FailureClass::Refused, detail);
        }
        if LENGTH_REASONS.contains(&reason) {
            let detail = format!(
                "the reply ran out of tokens before its end ({given}): think and answer more briefly"
            );
            return failure(FailureClass::Truncated, detail);
        }
        match self.text.trim().is_empty() {
            true if self.has_tool_call || TOOL_REASONS.contains(&reason) => failure(
                FailureClass::ToolCall,
                "the reply calls a tool, but no tools are available: answer with text".to_owned(),
            ),
            true => failure(FailureClass::Empty, "the reply was empty".to_owned()),
            false => None,
        }
    }
}

/// Adds a string, or the strings in a list of parts.
fn push_text(text: &mut String, value: Option<&Value>) {
    match value {
        Some(Value::String(more)) => text.push_str(more),
        Some(Value::Array(parts)) => {
            for part in parts {
                // Summaries of reasoning have another key.
                let part_text = part.get("text").or_else(|| part.get("summary"));
                text.push_str(part_text.and_then(Value::as_str).unwrap_or_default());
            }
        }
        _ => {}
    }
}

fn check_for_error(json: &Value) -> Result<(), CallFailure> {
    match json.get("error") {
        None | Some(Value::Null) => Ok(()),
        Some(error) => Err(server_error(format!("the endpoint reports an error: {}", error_text(error)))),
    }
}

/// Rejects a reply in the format of another API, since repeating the call would not help.
fn check_for_native_api(json: &Value) -> Result<(), CallFailure> {
    let kind = json.get("type").and_then(Value::as_str);
    let is_of_ollama = json.get("done").is_some() && json.get("choices").is_none();
    let (api, base_url) = if matches!(kind, Some("message" | "message_start")) {
        ("Anthropic", "https://api.anthropic.com/v1")
    } else if json.get("candidates").is_some() {
        ("Gemini", "https://generativelanguage.googleapis.com/v1beta/openai")
    } else if is_of_ollama {
        ("Ollama", "http://127.0.0.1:11434/v1")
    } else if json.get("object").and_then(Value::as_str) == Some("response") {
        ("OpenAI's Responses API", "https://api.openai.com/v1")
    } else {
        return Ok(());
    };
    let detail = format!(
        "the reply has the native format of {api}, not that of chat completions: use an endpoint such as --base-url {base_url}"
    );
    Err(CallFailure::new(FailureClass::Rejected, detail))
}

/// Returns the message of an endpoint's error.
pub fn error_text(error: &Value) -> String {
    let message = error.get("message").unwrap_or(error);
    message.as_str().map_or_else(|| message.to_string(), str::to_owned)
}

fn server_error(detail: String) -> CallFailure {
    CallFailure::new(FailureClass::ServerError, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(choice: &Value) -> Result<Completion, CallFailure> {
        let usage = json!({ "prompt_tokens": 7, "completion_tokens": 5, "completion_tokens_details": { "reasoning_tokens": 3 } });
        Completion::from_body(json!({ "choices": [choice], "usage": usage }).to_string().as_bytes())
    }

    #[test]
    fn replies_that_are_not_streamed_are_read() {
        let completion = body(&json!({ "message": { "content": "hi" }, "finish_reason": "stop" })).unwrap();
        assert_eq!((completion.text.as_str(), completion.find_failure()), ("hi", None));
        assert_eq!(completion.tokens, Some(TokenCount { prompt: 7, completion: 5, reasoning: 3, cached: 0 }));
        let parts = json!([{ "type": "text", "text": "a" }, { "type": "image" }, { "text": "b" }]);
        assert_eq!(body(&json!({ "message": { "content": parts } })).unwrap().text, "ab");
        let class = |choice: Value| body(&choice).unwrap().find_failure().map(|failure| failure.class);
        for (choice, expected) in [
            (json!({ "message": { "content": "{" }, "finish_reason": "length" }), FailureClass::Truncated),
            (json!({ "message": { "content": null }, "finish_reason": "stop" }), FailureClass::Empty),
            (json!({ "message": { "content": " \n" } }), FailureClass::Empty),
            (json!({ "message": { "refusal": "no" }, "finish_reason": "stop" }), FailureClass::Refused),
            (json!({ "message": {}, "finish_reason": "content_filter" }), FailureClass::Filtered),
            (json!({ "message": {}, "finish_reason": "SAFETY" }), FailureClass::Filtered),
            (json!({ "message": {}, "finish_reason": "refusal" }), FailureClass::Refused),
            (
                json!({ "message": { "content": "{" }, "finish_reason": "MAX_TOKENS" }),
                FailureClass::Truncated,
            ),
            (
                json!({ "message": { "content": "{\"take\": 1}" }, "finish_reason": "error" }),
                FailureClass::ServerError,
            ),
            (
                json!({ "message": { "tool_calls": [{ "id": "a" }] }, "finish_reason": "tool_calls" }),
                FailureClass::ToolCall,
            ),
            (
                json!({ "message": { "tool_calls": [{ "id": "a" }], "content": null } }),
                FailureClass::ToolCall,
            ),
            (json!({ "message": { "tool_calls": [] } }), FailureClass::Empty),
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
        let failure = Completion::from_body(br#"{"choices": [{"message": {}, "error": {"message": "no"}}]}"#)
            .unwrap_err();
        assert_eq!(failure.detail, "the endpoint reports an error: no");
        let failure = Completion::from_body(br#"{"error": {"message": "overloaded"}}"#).unwrap_err();
        assert_eq!(failure.detail, "the endpoint reports an error: overloaded");
    }

    #[test]
    fn replies_of_other_apis_are_recognised() {
        for (reply, words) in [
            (
                json!({ "type": "message", "content": [{ "type": "text", "text": "x" }] }),
                "api.anthropic.com/v1",
            ),
            (json!({ "candidates": [] }), "v1beta/openai"),
            (json!({ "message": { "content": "x" }, "done": true }), "11434/v1"),
            (json!({ "object": "response", "output": [] }), "Responses API"),
        ] {
            let whole = Completion::from_body(reply.to_string().as_bytes()).unwrap_err();
            let streamed = Completion::default().add_event(&reply.to_string()).unwrap_err();
            for failure in [whole, streamed] {
                assert_eq!(failure.class, FailureClass::Rejected, "{reply}");
                assert!(failure.detail.contains(words), "{}", failure.detail);
            }
        }
    }

    #[test]
    fn reasoning_is_kept_under_any_name() {
        for message in [
            json!({ "reasoning": "ab" }),
            json!({ "reasoning_content": "ab" }),
            json!({ "reasoning": "ab", "reasoning_details": [{ "type": "reasoning.text", "text": "ab" }] }),
            json!({ "reasoning_details": [{ "summary": "a" }, { "text": "b" }, { "data": "c2VjcmV0" }] }),
            json!({ "content": [{ "type": "thinking", "thinking": "ab" }, { "type": "text", "text": "x" }] }),
            json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": "ab" }] }] }),
        ] {
            assert_eq!(body(&json!({ "message": message })).unwrap().reasoning, "ab", "{message}");
        }
    }

    #[test]
    fn the_response_source_is_kept() {
        let json = json!({
            "id": "gen-1", "model": "m-2026-05-01", "system_fingerprint": "fp_1",
            "choices": [{ "message": { "content": "x" } }],
        });
        let source = Completion::from_body(json.to_string().as_bytes()).unwrap().source;
        assert_eq!(
            source.to_json(),
            json!({ "id": "gen-1", "model": "m-2026-05-01", "system_fingerprint": "fp_1" })
        );
    }

    #[test]
    fn the_pieces_of_a_streamed_reply_are_joined() {
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
