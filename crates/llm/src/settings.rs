//! The settings of a language model as a bot.

use super::{
    FailurePolicy, LlmError,
    budget::check_budgets,
    endpoint::{Endpoint, parse_base_url},
    json_object::JsonObject,
    match_memory::Memory,
    prompt::{LATEST_PROMPT, PromptTemplate},
    provider::Provider,
    thinking::Thinking,
    variable_name::VariableName,
};
use lastnim_config::{Decimal, settings, text_settings};
use std::{fmt, path::PathBuf, str::FromStr, time::Duration};
use thiserror::Error;

/// The default endpoint.
pub const DEFAULT_ENDPOINT: &str = "https://api.openai.com/v1";

/// The settings that an organiser may change while a tournament is played. They limit cost, time and load, but do not
/// change the questions to the model or how its answers are read.
pub const AMENDABLE_SETTINGS: [&str; 15] = [
    "retries",
    "turn_timeout",
    "idle_timeout",
    "concurrency",
    "requests_per_minute",
    "tokens_per_minute",
    "match_budget",
    "match_token_budget",
    "match_reply_token_budget",
    "budget",
    "token_budget",
    "reply_token_budget",
    "shared_budget",
    "shared_token_budget",
    "shared_reply_token_budget",
];

settings! {
    /// All settings of a bot that plays with a language model. Each is a flag of `lastnim bot run llm` and a key of `llm` in a tournament file.
    pub struct LlmSettings {
        /// The name of the model at its endpoint
        model: String = String::new(), "NAME";
        /// A well-known endpoint, which sets the address, and the variable and header of the key
        ///
        /// One of openai, anthropic, gemini, azure, openrouter, vllm, ollama and llama.cpp.
        provider: Option<Provider> = None, "NAME";
        /// The address of the endpoint, without `/chat/completions`
        base_url: String = DEFAULT_ENDPOINT.to_owned(), "URL";
        /// The environment variable with the key of the endpoint [default: the provider's]
        ///
        /// The default is `OPENAI_API_KEY` without a provider, and applies only at the provider's own address.
        api_key_env: Option<VariableName> = None, "VARIABLE";
        /// The header with the key, such as `api-key` for Azure [default: Authorization]
        api_key_header: Option<String> = None, "NAME";
        /// Additional headers for each request, as a JSON object of strings
        headers: JsonObject = JsonObject::default(), "JSON";
        /// Additional JSON members for each request, as a JSON object
        extra_body: JsonObject = JsonObject::default(), "JSON";
        /// The text of a system message before the prompt
        system_prompt: Option<String> = None, "TEXT";
        /// A file with a template of the prompt [default: the built-in prompt]
        prompt: Option<PathBuf> = None, "FILE";
        /// The version of the built-in prompt; 1 has examples that models copy, 2 does not ask for plans
        prompt_version: u8 = LATEST_PROMPT, "1|2|3".range(1..=LATEST_PROMPT.into());
        /// Which of the model's earlier answers the prompt repeats: those of the same match, or none
        memory: Memory = Memory::default(), "none|match";
        /// Whether the prompt hides the names of the bots
        blind: bool = false, "true|false";
        /// Whether a model without reasoning first thinks in plain text, `before` it answers in JSON
        think: Thinking = Thinking::default(), "none|before";
        /// How much the replies vary, 0 to 2 [default: the endpoint's]
        temperature: Option<Decimal> = None, "NUMBER".range(0..=2);
        /// The total probability of the likeliest tokens to sample from, 0 to 1 [default: the endpoint's]
        top_p: Option<Decimal> = None, "NUMBER".range(0..=1);
        /// The seed of the endpoint's sampling, if the endpoint supports seeds
        sampling_seed: Option<u64> = None, "N";
        /// How long the model thinks, such as low, medium or high [default: the endpoint's]
        reasoning_effort: Option<String> = None, "WORD";
        /// Maximum tokens of a reply, with its reasoning
        max_tokens: u32 = 16_384, "N".range(16..=1_000_000);
        /// Whether replies must follow a JSON schema: `auto` if the endpoint accepts one, or `off`
        structured: StructuredOutput = StructuredOutput::default(), "auto|off";
        /// Whether requests leave out parameters that the endpoint refuses; if `false`, a refusal is a failure
        adapt: bool = true, "true|false";
        /// Whether replies are streamed, so that a stalled reply is detected
        stream: bool = true, "true|false";
        /// How many answers the model may give to a question; after an unusable one it is told the reason
        answers: u8 = 3, "N".range(1..=10);
        /// How often a call is repeated after a temporary refusal, a broken connection or a stall
        retries: u8 = 5, "N".range(0..=100);
        /// What the bot does without an answer: give up the seat, take one counter, or take at random
        on_failure: FailurePolicy = FailurePolicy::default(), "forfeit|first-legal|random";
        /// How long a question waits for a failing endpoint, while the organiser freezes the match
        outage_limit: Duration = Duration::ZERO, "DURATION".range(0..=2_592_000_000);
        /// Maximum time for a question with all its calls; less if the clock has less
        turn_timeout: Duration = Duration::from_mins(15), "DURATION".range(100..=86_400_000);
        /// Maximum time without progress in a reply
        idle_timeout: Duration = Duration::from_mins(5), "DURATION".range(100..=86_400_000);
        /// Maximum number of open calls to the endpoint, of all matches together
        concurrency: u16 = 8, "N".range(1..=1_024);
        /// Maximum requests per minute to the endpoint, of all bots with the same --rate-file
        requests_per_minute: Option<u32> = None, "N".range(1..=1_000_000);
        /// Maximum tokens per minute, prompts and replies together, of all bots with the same --rate-file
        tokens_per_minute: Option<u64> = None, "N".range(1..=1_000_000_000_000);
        /// The file through which bots with the same key share their limits per minute
        rate_file: Option<PathBuf> = None, "FILE";
        /// The price of a million tokens of prompts, in any currency
        prompt_price: Option<Decimal> = None, "MONEY";
        /// The price of a million tokens of prompts that the endpoint had cached [default: that of prompts]
        cached_price: Option<Decimal> = None, "MONEY";
        /// The price of a million tokens of replies, with their reasoning
        completion_price: Option<Decimal> = None, "MONEY";
        /// Maximum cost of the model in one match
        match_budget: Option<Decimal> = None, "MONEY";
        /// Maximum tokens of the model in one match, prompts and replies together
        match_token_budget: Option<u64> = None, "N";
        /// Maximum tokens of the model's replies in one match, with their reasoning
        match_reply_token_budget: Option<u64> = None, "N";
        /// Maximum cost of the model in total
        budget: Option<Decimal> = None, "MONEY";
        /// Maximum tokens of the model in total, prompts and replies together
        token_budget: Option<u64> = None, "N";
        /// Maximum tokens of the model's replies in total, with their reasoning
        reply_token_budget: Option<u64> = None, "N";
        /// The file that keeps the spending from one start of the bot to the next
        ledger: Option<PathBuf> = None, "FILE";
        /// Maximum cost of all models with the same --shared-ledger
        shared_budget: Option<Decimal> = None, "MONEY";
        /// Maximum tokens of all models with the same --shared-ledger
        shared_token_budget: Option<u64> = None, "N";
        /// Maximum tokens of the replies of all models with the same --shared-ledger
        shared_reply_token_budget: Option<u64> = None, "N";
        /// The file that keeps the spending of all bots that share it
        shared_ledger: Option<PathBuf> = None, "FILE";
        /// A file to which calls are added as lines of JSON, or a folder in which each run writes a file
        transcript: Option<PathBuf> = None, "FILE|DIR";
    }
}

/// Whether replies must follow a JSON schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StructuredOutput {
    /// Replies must follow the schema if the endpoint supports schemas.
    #[default]
    Auto,
    /// Replies need not follow a schema.
    Off,
}

/// A word that is not a value of this setting.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?}: expected auto or off")]
pub struct StructuredOutputError(String);

impl fmt::Display for StructuredOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::Off => "off",
        })
    }
}

impl FromStr for StructuredOutput {
    type Err = StructuredOutputError;

    fn from_str(word: &str) -> Result<Self, StructuredOutputError> {
        match word {
            "auto" => Ok(Self::Auto),
            "off" => Ok(Self::Off),
            _ => Err(StructuredOutputError(word.to_owned())),
        }
    }
}

text_settings!(StructuredOutput);

impl LlmSettings {
    /// Returns the settings, in which missing ones have the provider's defaults.
    ///
    /// # Errors
    /// If the provider has no fixed address and none is given.
    pub fn completed(self) -> Result<Self, LlmError> {
        let provider = self.provider.unwrap_or_default();
        if provider.base_url().is_none() && self.base_url == DEFAULT_ENDPOINT {
            let why = format!("required for {provider}, such as https://NAME.openai.azure.com/openai/v1");
            return Err(LlmError::BaseUrl(why));
        }
        Ok(provider.complete_settings(self))
    }

    /// Returns the settings without ledgers, so that only new spending counts.
    #[must_use]
    pub fn without_ledgers(self) -> Self {
        Self {
            ledger: None,
            shared_ledger: None,
            shared_budget: None,
            shared_token_budget: None,
            shared_reply_token_budget: None,
            ..self
        }
    }

    /// Returns the two parts that identify the account to which limits per minute apply: the name of the variable that
    /// contains the key, or `none`, and the address of the endpoint.
    pub fn rate_account(&self) -> (String, String) {
        let settings = self.clone().completed().unwrap_or_else(|_| self.clone());
        let key = settings.api_key_env.as_ref().map_or("none", |name| name.as_str());
        (key.to_owned(), settings.base_url)
    }

    /// Returns whether requests or tokens per minute are limited.
    pub fn has_rate_limit(&self) -> bool {
        self.requests_per_minute.is_some() || self.tokens_per_minute.is_some()
    }

    /// Checks the address of the endpoint.
    ///
    /// # Errors
    /// If the address is invalid. The error does not repeat it, as it may contain a password.
    pub fn check_base_url(&self) -> Result<(), String> {
        parse_base_url(&self.base_url).map(drop)
    }

    /// Checks everything that can be checked before play: the address of the endpoint, its key, the prompt, and the budgets.
    ///
    /// # Errors
    /// The first error that is found.
    pub fn check_readiness(&self) -> Result<(), LlmError> {
        Endpoint::new(self.clone().completed()?)?;
        check_budgets(self)?;
        self.read_prompt().map(drop)
    }

    /// Reads the template of the prompt, and checks that it can be rendered.
    ///
    /// # Errors
    /// If the file cannot be read or is not a valid template, or if the version of the built-in prompt is unknown or
    /// contradicts the file.
    pub fn read_prompt(&self) -> Result<PromptTemplate, LlmError> {
        let version = self.prompt_version;
        let unusable_error = |reason: String| LlmError::PromptVersion { version, reason };
        match &self.prompt {
            Some(_) if version != LATEST_PROMPT => Err(unusable_error(
                "it selects the built-in prompt, but --prompt names a file: give only one of them".to_owned(),
            )),
            Some(path) => PromptTemplate::read(path),
            None => PromptTemplate::of_version(version)
                .ok_or_else(|| unusable_error(format!("unknown: expected 1 to {LATEST_PROMPT}"))),
        }
    }
}
