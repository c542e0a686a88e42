//! The number of tokens in a call.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::AddAssign;

/// Tokens as counted by an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
pub struct TokenCount {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Tokens of the reply, including reasoning.
    pub completion: u64,
    /// Tokens of reasoning; 0 if unknown.
    #[serde(default)]
    pub reasoning: u64,
}

impl TokenCount {
    /// Reads the `usage` of a reply; `None` if it lacks the counts for prompt and completion.
    pub fn from_usage(usage: &Value) -> Option<Self> {
        let number = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
        Some(Self {
            prompt: number("/prompt_tokens")?,
            completion: number("/completion_tokens")?,
            reasoning: number("/completion_tokens_details/reasoning_tokens").unwrap_or_default(),
        })
    }

    /// Returns its JSON.
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
