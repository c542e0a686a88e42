//! Errors in the configuration of a bot.

use std::path::PathBuf;
use thiserror::Error;

/// An error in the configuration of a bot.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LlmError {
    /// The settings name no model.
    #[error("--model: required: give the name that the endpoint uses for the model")]
    NoModel,
    /// The address of the endpoint is invalid. The message does not repeat it, as it may contain a password.
    #[error("--base-url: {0}")]
    BaseUrl(String),
    /// A header is invalid.
    #[error("{0}")]
    Header(String),
    /// A member of `--extra-body` cannot be added to requests.
    #[error("--extra-body: {0}")]
    ExtraBody(String),
    /// A variable does not contain a valid key.
    #[error("{variable}: its value is not a valid key: expected visible ASCII characters")]
    Key {
        /// The name of the variable.
        variable: String,
    },
    /// The key is missing.
    #[error(
        "{variable}: not set: the endpoint needs a key; set this variable, or name another one with --api-key-env"
    )]
    NoKey {
        /// The name of the variable that should contain the key.
        variable: String,
    },
    /// A prompt cannot be used.
    #[error("--prompt {path}: {reason}")]
    Prompt {
        /// The path of the prompt; `default` for the built-in one.
        path: String,
        /// The reason.
        reason: String,
    },
    /// A version of the built-in prompt cannot be used.
    #[error("--prompt-version {version}: {reason}")]
    PromptVersion {
        /// The version.
        version: u8,
        /// The reason.
        reason: String,
    },
    /// A transcript cannot be written.
    #[error("--transcript {}: {reason}", path.display())]
    Transcript {
        /// Its path.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A budget in money has no prices.
    #[error(
        "a budget in money needs prices: --prompt-price and --completion-price (prompt_price and completion_price in a tournament file)"
    )]
    NoPrices,
    /// A shared budget has no ledger.
    #[error("a shared budget needs --shared-ledger, a file used by all bots that share it")]
    NoSharedLedger,
    /// A ledger cannot be used.
    #[error("the ledger {}: {reason}", path.display())]
    Ledger {
        /// Its path.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The rate-limit file cannot be used.
    #[error("--rate-file {}: {reason}", path.display())]
    RateFile {
        /// Its path.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The HTTP client cannot be made.
    #[error("the HTTP client cannot be created: {0}")]
    Client(String),
}
