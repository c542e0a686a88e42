//! The number of tokens in a call.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::AddAssign;

/// Tokens as counted by an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
pub struct TokenCount {
    /// Prompt tokens.
    pub prompt: u64,
    /// Reply tokens, including reasoning.
    pub completion: u64,
    /// Reasoning tokens; 0 if unknown.
    #[serde(default)]
    pub reasoning: u64,
    /// Prompt tokens that the endpoint had cached; 0 if unknown.
    #[serde(default)]
    pub cached: u64,
}

/// The paths at which endpoints report the number of cached tokens.
const CACHED_TOKEN_KEYS: [&str; 3] =
    ["/prompt_tokens_details/cached_tokens", "/prompt_cache_hit_tokens", "/cache_read_input_tokens"];

impl TokenCount {
    /// Reads the `usage` of a reply; `None` if it lacks the counts for prompt and completion. Some endpoints count
    /// reasoning only in the total, so the excess of the total counts for the reply.
    pub fn from_usage(usage: &Value) -> Option<Self> {
        let number = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
        let (prompt, completion) = (number("/prompt_tokens")?, number("/completion_tokens")?);
        let total = number("/total_tokens").unwrap_or_default();
        Some(Self {
            prompt,
            completion: completion.max(total.saturating_sub(prompt)),
            cached: CACHED_TOKEN_KEYS.into_iter().find_map(number).unwrap_or_default().min(prompt),
            reasoning: number("/completion_tokens_details/reasoning_tokens").unwrap_or_default(),
        })
    }

    /// Returns the counts as JSON.
    pub fn to_json(self) -> Value {
        json!({ "prompt": self.prompt, "completion": self.completion, "reasoning": self.reasoning, "cached": self.cached })
    }
}

impl AddAssign for TokenCount {
    fn add_assign(&mut self, other: Self) {
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.completion = self.completion.saturating_add(other.completion);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
        self.cached = self.cached.saturating_add(other.cached);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_read_in_the_forms_of_endpoints() {
        let count_tokens = |usage: Value| {
            TokenCount::from_usage(&usage).map(|count| (count.prompt, count.completion, count.cached))
        };
        for (usage, expected) in [
            (json!({ "prompt_tokens": 7, "completion_tokens": 5 }), Some((7, 5, 0))),
            (json!({ "prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12 }), Some((7, 5, 0))),
            // The total includes reasoning that is not in the count of the reply.
            (json!({ "prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 40 }), Some((7, 33, 0))),
            (json!({ "prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 1 }), Some((7, 5, 0))),
            (
                json!({ "prompt_tokens": 7, "completion_tokens": 5, "prompt_tokens_details": { "cached_tokens": 4 } }),
                Some((7, 5, 4)),
            ),
            (
                json!({ "prompt_tokens": 7, "completion_tokens": 5, "prompt_cache_hit_tokens": 9 }),
                Some((7, 5, 7)),
            ),
            (json!({ "total_tokens": 7 }), None),
        ] {
            assert_eq!(count_tokens(usage.clone()), expected, "{usage}");
        }
    }
}
