//! All settings of a language model as a bot.

use super::{
    FailurePolicy, LlmError,
    budget::check_budgets,
    endpoint::{Endpoint, parse_base_url},
    prompt::PromptTemplate,
    variable_name::VariableName,
};
use lastnim_config::{Decimal, settings, text_settings};
use std::{fmt, path::PathBuf, str::FromStr, time::Duration};
use thiserror::Error;

/// The endpoint that is asked unless another one is named.
pub const USUAL_ENDPOINT: &str = "https://api.openai.com/v1";
/// The variable that holds the key unless another one is named.
pub const USUAL_KEY_VARIABLE: &str = "OPENAI_API_KEY";

settings! {
    /// All settings of a language model as a bot: each is a flag of `lastnim bot llm`, and a key of `llm` in the file of a tournament.
    pub struct LlmSettings {
        /// The model, as its endpoint calls it
        model: String = String::new(), "NAME";
        /// The endpoint: what stands before `/chat/completions` in its address
        base_url: String = USUAL_ENDPOINT.to_owned(), "URL";
        /// The environment variable that holds the key of the endpoint [default: `OPENAI_API_KEY`]
        ///
        /// The key goes to the endpoint and nowhere else. An endpoint that is named with --base-url may need none.
        api_key_env: Option<VariableName> = None, "VARIABLE";
        /// The file of the prompt, a template [default: the one of the program]
        prompt: Option<PathBuf> = None, "FILE";
        /// How much the model varies its replies, 0 to 2 [default: as the endpoint says]
        temperature: Option<Decimal> = None, "NUMBER".range(0..=2);
        /// How long the model thinks, such as low, medium or high [default: as the endpoint says]
        reasoning_effort: Option<String> = None, "WORD";
        /// The most tokens of a reply, those of reasoning among them
        max_tokens: u32 = 16_384, "N".range(16..=1_000_000);
        /// Whether replies have to follow a JSON schema: `auto`, where the endpoint accepts one, or `off`
        structured: StructuredOutput = StructuredOutput::default(), "auto|off";
        /// Whether replies come piece by piece, so that one that stalls is noticed
        stream: bool = true, "true|false";
        /// How often the model may answer a question: after an answer that cannot be used it hears why
        answers: u8 = 3, "N".range(1..=10);
        /// How often a call is repeated that was refused for the time being, broke off or stalled
        retries: u8 = 5, "N".range(0..=100);
        /// What the bot does without an answer: `forfeit` gives up the seat, `first-legal` takes one counter, `random` any number,
        /// as --seed says
        on_failure: FailurePolicy = FailurePolicy::default(), "forfeit|first-legal|random";
        /// How long the bot waits, where its endpoint failed for good, before it does that: meanwhile an organiser can void the match
        endpoint_error_pause: Duration = Duration::ZERO, "MS".range(0..=600_000);
        /// The longest that a row or a take may need, with all calls; the clock of the match may leave less
        turn_timeout: Duration = Duration::from_mins(15), "MS".range(100..=86_400_000);
        /// The longest that a reply may stand still
        idle_timeout: Duration = Duration::from_mins(5), "MS".range(100..=86_400_000);
        /// Calls to the endpoint at once, of all matches together
        concurrency: u16 = 8, "N".range(1..=1_024);
        /// What a million tokens of prompts cost, in any currency
        prompt_price: Option<Decimal> = None, "MONEY";
        /// What a million tokens of replies cost, those of reasoning among them
        completion_price: Option<Decimal> = None, "MONEY";
        /// The most money that the model may cost in one match
        match_budget: Option<Decimal> = None, "MONEY";
        /// The most tokens that the model may take in one match, of prompts and replies together
        match_token_budget: Option<u64> = None, "N";
        /// The most money that the model may cost in all
        budget: Option<Decimal> = None, "MONEY";
        /// The most tokens that the model may take in all, of prompts and replies together
        token_budget: Option<u64> = None, "N";
        /// The file that keeps what is spent from one start of the bot to the next
        ledger: Option<PathBuf> = None, "FILE";
        /// The most money that all models may cost whose bots have the same --shared-ledger
        shared_budget: Option<Decimal> = None, "MONEY";
        /// The most tokens that all models may take whose bots have the same --shared-ledger
        shared_token_budget: Option<u64> = None, "N";
        /// The file that keeps what is spent by all bots that have it
        shared_ledger: Option<PathBuf> = None, "FILE";
        /// The file to which every call is appended as a line of JSON, or the folder in which each run writes a file of its own
        transcript: Option<PathBuf> = None, "FILE|DIR";
    }
}

/// Whether replies have to follow a JSON schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StructuredOutput {
    /// Where the endpoint accepts one.
    #[default]
    Auto,
    /// Never.
    Off,
}

/// A word that is neither.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is not auto or off")]
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
    /// Checks the address of the endpoint.
    ///
    /// # Errors
    /// Says what is wrong with it, and does not repeat it, as it may hold a password.
    pub fn check_base_url(&self) -> Result<(), String> {
        parse_base_url(&self.base_url).map(drop)
    }

    /// Checks all that can be known before anything is played: the address of the endpoint, its key, the prompt, and the budgets.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check_readiness(&self) -> Result<(), LlmError> {
        Endpoint::new(self.clone())?;
        check_budgets(self)?;
        self.read_prompt().map(drop)
    }

    /// Reads the template of the prompt, and tries it.
    ///
    /// # Errors
    /// If the file cannot be read, or is no template.
    pub fn read_prompt(&self) -> Result<PromptTemplate, LlmError> {
        self.prompt.as_deref().map_or_else(|| Ok(PromptTemplate::usual()), PromptTemplate::read)
    }
}
