//! The forms of requests; endpoints differ in which forms they accept.

use super::{LlmSettings, refusal::Refusal};
use lastnim_config::SettingValue;
use serde_json::Value;

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
    /// The optional parameters that requests contain.
    pub optional: OptionalParameters,
}

/// A parameter that is sent if the settings have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionalParameter {
    /// The temperature: how much replies vary.
    Temperature,
    /// The total probability of the likeliest tokens, from which the reply is sampled.
    TopP,
    /// The seed of the sampling.
    Seed,
    /// How long the model thinks.
    ReasoningEffort,
}

impl OptionalParameter {
    /// All parameters.
    pub const ALL: [Self; 4] = [Self::Temperature, Self::TopP, Self::Seed, Self::ReasoningEffort];

    /// Returns the parameter's key in requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::TopP => "top_p",
            Self::Seed => "seed",
            Self::ReasoningEffort => "reasoning_effort",
        }
    }

    /// Returns the parameter's value in the settings.
    pub fn value_in(self, settings: &LlmSettings) -> Option<Value> {
        match self {
            Self::Temperature => settings.temperature.as_ref().map(SettingValue::to_json),
            Self::TopP => settings.top_p.as_ref().map(SettingValue::to_json),
            Self::Seed => settings.sampling_seed.map(Value::from),
            Self::ReasoningEffort => settings.reasoning_effort.as_deref().map(Value::from),
        }
    }
}

/// The optional parameters that requests contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionalParameters([bool; OptionalParameter::ALL.len()]);

impl OptionalParameters {
    /// Creates the set of the parameters that the settings have.
    pub fn of_settings(settings: &LlmSettings) -> Self {
        Self(OptionalParameter::ALL.map(|parameter| parameter.value_in(settings).is_some()))
    }

    /// Returns whether requests contain this parameter.
    pub fn contains(self, parameter: OptionalParameter) -> bool {
        self.0[parameter as usize]
    }

    fn without(mut self, parameter: OptionalParameter) -> Self {
        self.0[parameter as usize] = false;
        self
    }
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

/// A change to the form of requests that an endpoint may require.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concession {
    /// Use the other key for the limit on reply tokens.
    OtherMaxTokensKey,
    /// Leave out the JSON schema.
    NoSchema,
    /// Leave out token counts in streams.
    NoStreamOptions,
    /// Do not stream.
    NoStream,
    /// Leave out an optional parameter.
    Without(OptionalParameter),
}

impl Concession {
    /// All concessions, the least harmful first.
    const ALL: [Self; 8] = [
        Self::OtherMaxTokensKey,
        Self::NoSchema,
        Self::NoStreamOptions,
        Self::NoStream,
        Self::Without(OptionalParameter::Temperature),
        Self::Without(OptionalParameter::TopP),
        Self::Without(OptionalParameter::Seed),
        Self::Without(OptionalParameter::ReasoningEffort),
    ];

    /// Returns whether the concession may be tried after a refusal that names no parameter, because it changes neither
    /// the answers nor the detection of stalls.
    fn is_harmless(self) -> bool {
        !matches!(self, Self::NoStream | Self::Without(_))
    }

    /// Returns the parameters that suggest this concession if an endpoint refuses them.
    fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::OtherMaxTokensKey => &["max_tokens", "max_completion_tokens"],
            Self::NoSchema => &["response_format", "json_schema"],
            Self::NoStreamOptions => &["stream_options", "include_usage"],
            Self::NoStream => &["stream", "streaming"],
            Self::Without(OptionalParameter::Temperature) => &["temperature"],
            Self::Without(OptionalParameter::TopP) => &["top_p"],
            Self::Without(OptionalParameter::Seed) => &["seed"],
            Self::Without(OptionalParameter::ReasoningEffort) => &["reasoning_effort", "reasoning.effort"],
        }
    }

    /// Describes the concession for a transcript.
    pub fn words(self) -> &'static str {
        match self {
            Self::OtherMaxTokensKey => "with max_tokens and max_completion_tokens swapped",
            Self::NoSchema => "without response_format",
            Self::NoStreamOptions => "without stream_options",
            Self::NoStream => "without stream",
            Self::Without(OptionalParameter::Temperature) => "without temperature",
            Self::Without(OptionalParameter::TopP) => "without top_p",
            Self::Without(OptionalParameter::Seed) => "without seed",
            Self::Without(OptionalParameter::ReasoningEffort) => "without reasoning_effort",
        }
    }
}

impl Dialect {
    /// Returns the concession to try after a refusal, given those `made` so far. If the refusal names a parameter, only that
    /// one is changed; if it names none, harmless concessions are tried in order.
    pub fn next_concession(self, refusal: &Refusal, made: &[Concession]) -> Option<Concession> {
        if !refusal.is_about_form() {
            return None;
        }
        let mut possible =
            Concession::ALL.into_iter().filter(|next| self.can_make(*next) && !made.contains(next));
        let is_named = |next: &Concession| next.parameters().iter().any(|name| refusal.names(name));
        let named = possible.clone().find(is_named);
        if named.is_some() || refusal.has_param() {
            return named;
        }
        possible.find(|next| next.is_harmless())
    }

    fn can_make(self, concession: Concession) -> bool {
        match concession {
            Concession::OtherMaxTokensKey => true,
            Concession::NoSchema => self.has_schema,
            Concession::NoStreamOptions => self.is_streamed && self.has_stream_options,
            Concession::NoStream => self.is_streamed,
            Concession::Without(parameter) => self.optional.contains(parameter),
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
            Concession::Without(parameter) => Self { optional: self.optional.without(parameter), ..self },
        }
    }
}

/// The form of requests to an endpoint, learned from what it has refused so far.
#[derive(Debug, Clone)]
pub struct KnownDialect {
    /// The form of requests to start with.
    pub dialect: Dialect,
    /// Concessions that one call has needed so far.
    suspected: Vec<Concession>,
}

impl KnownDialect {
    /// Starts with a form of requests.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, suspected: Vec::new() }
    }

    /// Learns from a call that started with the form `began` and succeeded after some concessions. One call may have
    /// needed a concession by accident, so only the second call that needs it changes the form of all further requests.
    pub fn learn_concessions(&mut self, began: Dialect, made: &[Concession]) {
        // Other calls may have changed the form in the meantime.
        if began != self.dialect {
            return;
        }
        for &concession in made {
            if self.suspected.contains(&concession) {
                tracing::warn!(
                    "the endpoint accepts requests only {}: from now on, all are sent that way",
                    concession.words()
                );
                self.dialect = self.dialect.with_concession(concession);
            } else {
                self.suspected.push(concession);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_second_call_confirms_a_concession() {
        let full = Dialect {
            max_tokens_key: MaxTokensKey::MaxTokens,
            has_schema: true,
            has_stream_options: true,
            is_streamed: true,
            optional: OptionalParameters::of_settings(&LlmSettings::default()),
        };
        let mut known = KnownDialect::new(full);
        known.learn_concessions(full, &[Concession::NoSchema]);
        assert_eq!(known.dialect, full);
        known.learn_concessions(full, &[Concession::NoStreamOptions]);
        assert_eq!(known.dialect, full, "another concession confirms nothing");
        known.learn_concessions(full, &[Concession::NoSchema]);
        assert_eq!(known.dialect, full.with_concession(Concession::NoSchema));
        known.learn_concessions(full, &[Concession::NoStreamOptions]);
        assert!(known.dialect.has_stream_options, "the call began before the form changed");
    }

    #[test]
    fn concessions_named_by_the_endpoint_come_first() {
        let dialect = Dialect {
            max_tokens_key: MaxTokensKey::MaxTokens,
            has_schema: true,
            has_stream_options: true,
            is_streamed: true,
            optional: OptionalParameters::of_settings(&LlmSettings::default()),
        };
        let refusal = |message: &str, param: Option<&str>| {
            let error = json!({ "message": message, "param": param });
            Refusal::from_body(json!({ "error": error }).to_string().as_bytes())
        };
        let next_concession = |message: &str| dialect.next_concession(&refusal(message, None), &[]);
        let unsupported = "Unsupported parameter: 'max_tokens' ... Use 'max_completion_tokens' instead.";
        assert_eq!(next_concession(unsupported), Some(Concession::OtherMaxTokensKey));
        assert_eq!(next_concession("Unknown field: stream_options"), Some(Concession::NoStreamOptions));
        assert_eq!(next_concession("`response_format` of type JSON_SCHEMA"), Some(Concession::NoSchema));
        assert_eq!(next_concession("streaming is not available"), Some(Concession::NoStream));
        // "upstream" does not name the parameter "stream".
        assert_ne!(next_concession("the upstream provider failed"), Some(Concession::NoStream));
        for (param, expected) in [
            ("temperature", None),
            ("messages[0]", None),
            ("stream_options.x", Some(Concession::NoStreamOptions)),
        ] {
            let refused = refusal("max_tokens, response_format and stream", Some(param));
            assert_eq!(dialect.next_concession(&refused, &[]), expected, "{param}");
        }
        let warm = LlmSettings { temperature: Some(1.into()), ..LlmSettings::default() };
        let warm = Dialect { optional: OptionalParameters::of_settings(&warm), ..dialect };
        let refused = refusal("unsupported", Some("temperature"));
        let concession = Concession::Without(OptionalParameter::Temperature);
        assert_eq!(warm.next_concession(&refused, &[]), Some(concession));
        assert_eq!(warm.with_concession(concession), dialect);
        let (mut now, mut made) = (dialect, Vec::new());
        while let Some(next) = now.next_concession(&refusal("bad request", None), &made) {
            made.push(next);
            now = now.with_concession(next);
        }
        assert_eq!(made, [Concession::OtherMaxTokensKey, Concession::NoSchema, Concession::NoStreamOptions]);
        assert_eq!(now.max_tokens_key, MaxTokensKey::MaxCompletionTokens);
        assert!(!now.has_schema && !now.has_stream_options && now.is_streamed);
    }
}
