//! How a model was asked, as stated with every call in a transcript.

use super::{LlmSettings, Memory, Thinking, dialect::Dialect};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The settings that decide how a model is asked a question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct QuestionMode {
    /// The version of the built-in prompt; `None` for a file.
    pub prompt_version: Option<u8>,
    /// Which of its earlier answers the model was shown: `none` or `match`, as in the settings.
    pub memory: String,
    /// Whether the names of bots were hidden.
    pub blind: bool,
    /// Whether the model was asked to think in its reply: `none` or `before`, as in the settings.
    pub think: String,
}

/// The settings of one call to a model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct CallMode {
    /// The settings of the question.
    #[serde(flatten)]
    pub question: QuestionMode,
    /// Whether the reply had to follow a JSON schema.
    pub schema: bool,
    /// Whether the reply was streamed.
    pub stream: bool,
    /// The key for the limit on reply tokens.
    pub max_tokens_key: String,
}

impl QuestionMode {
    /// Describes the questions that a bot with these settings asks.
    pub fn of_settings(settings: &LlmSettings) -> Self {
        let LlmSettings { memory, blind, think, .. } = settings;
        Self {
            prompt_version: settings.prompt.is_none().then_some(settings.prompt_version),
            memory: memory.to_string(),
            blind: *blind,
            think: think.to_string(),
        }
    }
}

impl CallMode {
    /// Describes a call with these settings and this form of request, with or without a schema.
    pub fn new(settings: &LlmSettings, dialect: Dialect, has_schema: bool) -> Self {
        Self {
            question: QuestionMode::of_settings(settings),
            schema: dialect.has_schema && has_schema,
            stream: dialect.is_streamed,
            max_tokens_key: dialect.max_tokens_key.name().to_owned(),
        }
    }
}

impl fmt::Display for QuestionMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.prompt_version {
            Some(version) => write!(f, "prompt {version}")?,
            None => f.write_str("prompt from a file")?,
        }
        let parts = [
            (self.memory == Memory::Match.to_string(), "with memory", "without memory"),
            (self.blind, "without bot names", "with bot names"),
            (
                self.think == Thinking::Before.to_string(),
                "with thinking before the answer",
                "without thinking before the answer",
            ),
        ];
        parts.into_iter().try_for_each(|(is, yes, no)| write!(f, ", {}", if is { yes } else { no }))
    }
}

impl fmt::Display for CallMode {
    /// Writes the parts that may change answers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} a schema", self.question, if self.schema { "with" } else { "without" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::MaxTokensKey;

    #[test]
    fn modes_are_described() {
        let dialect = Dialect {
            max_tokens_key: MaxTokensKey::MaxTokens,
            has_schema: true,
            has_stream_options: true,
            is_streamed: true,
            optional: crate::dialect::OptionalParameters::of_settings(&LlmSettings::default()),
        };
        let usual = LlmSettings::default();
        let mode_text =
            |settings: &LlmSettings, has_schema| CallMode::new(settings, dialect, has_schema).to_string();
        assert_eq!(
            mode_text(&usual, true),
            "prompt 3, with memory, with bot names, without thinking before the answer, with a schema"
        );
        let other = LlmSettings {
            memory: Memory::None,
            blind: true,
            think: Thinking::Before,
            prompt: Some("p.md".into()),
            ..usual
        };
        assert_eq!(
            mode_text(&other, false),
            "prompt from a file, without memory, without bot names, with thinking before the answer, without a schema"
        );
    }
}
