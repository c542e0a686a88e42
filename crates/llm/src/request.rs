//! Requests to an endpoint.

use super::{
    dialect::{Dialect, OptionalParameter},
    settings::LlmSettings,
};
use serde_json::{Value, json};

/// The speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// This bot.
    User,
    /// The model.
    Assistant,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The speaker.
    pub speaker: Speaker,
    /// The text.
    pub text: String,
}

impl Message {
    /// Creates a message from this bot.
    pub fn from_user(text: impl Into<String>) -> Self {
        Self { speaker: Speaker::User, text: text.into() }
    }

    /// Creates a message from the model.
    pub fn from_model(text: impl Into<String>) -> Self {
        Self { speaker: Speaker::Assistant, text: text.into() }
    }

    /// Returns the message as JSON.
    pub fn to_json(&self) -> Value {
        let role = match self.speaker {
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
        };
        json!({ "role": role, "content": self.text })
    }
}

/// A call for a completion.
#[derive(Debug, Clone)]
pub struct ModelCall {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The name of the schema.
    pub schema_name: &'static str,
    /// The JSON schema of the answer; `None` if the model may write text before it.
    pub schema: Option<Value>,
}

impl ModelCall {
    /// Writes the body of the request.
    pub fn to_json(&self, settings: &LlmSettings, dialect: Dialect) -> Value {
        let system = settings.system_prompt.iter().map(|text| json!({ "role": "system", "content": text }));
        let messages: Vec<_> = system.chain(self.messages.iter().map(Message::to_json)).collect();
        let mut body = json!({ "model": settings.model, "messages": messages });
        body[dialect.max_tokens_key.name()] = settings.max_tokens.into();
        let sent =
            OptionalParameter::ALL.into_iter().filter(|parameter| dialect.optional.contains(*parameter));
        for (parameter, value) in
            sent.filter_map(|parameter| Some((parameter, parameter.value_in(settings)?)))
        {
            body[parameter.name()] = value;
        }
        if let Some(schema) = self.schema.as_ref().filter(|_| dialect.has_schema) {
            let schema = json!({ "name": self.schema_name, "strict": true, "schema": schema });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        if dialect.is_streamed {
            body["stream"] = true.into();
            if dialect.has_stream_options {
                body["stream_options"] = json!({ "include_usage": true });
            }
        }
        for (key, value) in &settings.extra_body.0 {
            body[key] = value.clone();
        }
        body
    }
}
