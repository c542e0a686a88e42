//! Differences between endpoints in what requests they accept.

/// The form of requests for an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The key for the limit on reply tokens.
    pub max_tokens_key: MaxTokensKey,
    /// Whether requests contain a JSON schema.
    pub has_schema: bool,
    /// Whether requests ask for token counts in streams.
    pub has_stream_options: bool,
    /// Whether requests ask for a stream.
    pub is_streamed: bool,
}

/// The key for the limit on reply tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxTokensKey {
    /// `max_tokens`, which nearly all endpoints know.
    MaxTokens,
    /// `max_completion_tokens`, required by the API of `OpenAI` for reasoning models.
    MaxCompletionTokens,
}

impl MaxTokensKey {
    /// Returns the key.
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::MaxTokens => Self::MaxCompletionTokens,
            Self::MaxCompletionTokens => Self::MaxTokens,
        }
    }
}

/// A part of a request that can be left out or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concession {
    /// The other key for the limit on tokens.
    OtherMaxTokensKey,
    /// Leave out the JSON schema.
    NoSchema,
    /// Leave out token counts in streams.
    NoStreamOptions,
    /// Do not stream.
    NoStream,
}

impl Concession {
    /// All concessions, the least harmful first.
    const ALL: [Self; 4] = [Self::OtherMaxTokensKey, Self::NoSchema, Self::NoStreamOptions, Self::NoStream];

    /// Returns words in an endpoint's error that suggest this concession.
    fn cues(self) -> &'static [&'static str] {
        match self {
            Self::OtherMaxTokensKey => &["max_tokens", "max_completion_tokens"],
            Self::NoSchema => &["response_format", "json_schema", "structured output"],
            Self::NoStreamOptions => &["stream_options", "include_usage"],
            Self::NoStream => &["stream"],
        }
    }

    /// Describes it for a transcript.
    pub fn words(self) -> &'static str {
        match self {
            Self::OtherMaxTokensKey => "with max_tokens and max_completion_tokens swapped",
            Self::NoSchema => "without response_format",
            Self::NoStreamOptions => "without stream_options",
            Self::NoStream => "without stream",
        }
    }
}

impl Dialect {
    /// Returns the concession to try after a refusal, given those `made` so far. Concessions named by the error come first; if it names none,
    /// harmless ones are tried in order.
    pub fn next_concession(self, refusal: &str, made: &[Concession]) -> Option<Concession> {
        let refusal = refusal.to_ascii_lowercase();
        let mut possible =
            Concession::ALL.into_iter().filter(|next| self.can_make(*next) && !made.contains(next));
        let is_named = |next: &Concession| next.cues().iter().any(|cue| refusal.contains(cue));
        possible.clone().find(is_named).or_else(|| possible.find(|next| *next != Concession::NoStream))
    }

    fn can_make(self, concession: Concession) -> bool {
        match concession {
            Concession::OtherMaxTokensKey => true,
            Concession::NoSchema => self.has_schema,
            Concession::NoStreamOptions => self.is_streamed && self.has_stream_options,
            Concession::NoStream => self.is_streamed,
        }
    }

    /// Applies a concession.
    #[must_use]
    pub fn with_concession(self, concession: Concession) -> Self {
        match concession {
            Concession::OtherMaxTokensKey => Self { max_tokens_key: self.max_tokens_key.other(), ..self },
            Concession::NoSchema => Self { has_schema: false, ..self },
            Concession::NoStreamOptions => Self { has_stream_options: false, ..self },
            Concession::NoStream => Self { is_streamed: false, ..self },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concessions_named_by_the_endpoint_come_first() {
        let dialect = Dialect {
            max_tokens_key: MaxTokensKey::MaxTokens,
            has_schema: true,
            has_stream_options: true,
            is_streamed: true,
        };
        let next = |refusal: &str| dialect.next_concession(refusal, &[]);
        let unsupported = "Unsupported parameter: 'max_tokens' ... Use 'max_completion_tokens' instead.";
        assert_eq!(next(unsupported), Some(Concession::OtherMaxTokensKey));
        assert_eq!(next("Unknown field: stream_options"), Some(Concession::NoStreamOptions));
        assert_eq!(next("`response_format` of type JSON_SCHEMA"), Some(Concession::NoSchema));
        assert_eq!(next("streaming is not available"), Some(Concession::NoStream));
        let (mut now, mut made) = (dialect, Vec::new());
        while let Some(next) = now.next_concession("bad request", &made) {
            made.push(next);
            now = now.with_concession(next);
        }
        assert_eq!(made, [Concession::OtherMaxTokensKey, Concession::NoSchema, Concession::NoStreamOptions]);
        assert_eq!(now.max_tokens_key, MaxTokensKey::MaxCompletionTokens);
        assert!(!now.has_schema && !now.has_stream_options && now.is_streamed);
    }
}
