//! How many tokens a call took.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::AddAssign;

/// Tokens, as an endpoint counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
pub struct TokenCount {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Tokens of the reply, those of reasoning among them.
    pub completion: u64,
    /// Tokens of reasoning; 0 where the endpoint does not say.
    #[serde(default)]
    pub reasoning: u64,
}

impl TokenCount {
    /// Reads the `usage` of a reply; none if it does not say what the prompt and the completion took.
    pub fn from_usage(usage: &Value) -> Option<Self> {
        let number = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
        Some(Self {
            prompt: number("/prompt_tokens")?,
            completion: number("/completion_tokens")?,
            reasoning: number("/completion_tokens_details/reasoning_tokens").unwrap_or_default(),
        })
    }

    /// Makes its JSON.
    pub fn to_json(self) -> Value {
        json!({ "prompt": self.prompt, "completion": self.completion, "reasoning": self.reasoning })
    }
}

impl AddAssign for TokenCount {
    fn add_assign(&mut self, other: Self) {
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.completion = self.completion.saturating_add(other.completion);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}
