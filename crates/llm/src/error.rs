//! Why a bot cannot begin.

use std::path::PathBuf;
use thiserror::Error;

/// What is wrong with the settings of a bot.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LlmError {
    /// No model is named.
    #[error("--model: a language model needs its name, as its endpoint calls it")]
    NoModel,
    /// The address of the endpoint cannot be used. The address itself is not repeated, as it may hold a password.
    #[error("--base-url: {0}")]
    BaseUrl(String),
    /// A variable holds what is no key.
    #[error("{variable}: the key of an endpoint has visible ASCII characters only")]
    Key {
        /// The variable.
        variable: String,
    },
    /// A key is needed, and there is none.
    #[error(
        "{variable}: the endpoint needs a key: set this variable, or name another one with --api-key-env"
    )]
    NoKey {
        /// The variable.
        variable: String,
    },
    /// A prompt cannot be read.
    #[error("--prompt {path}: {reason}")]
    Prompt {
        /// Its file; `default` for the own one.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// A transcript cannot be written.
    #[error("--transcript {}: {reason}", path.display())]
    Transcript {
        /// Its file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Money is bounded, and prices are not given.
    #[error(
        "a budget of money needs what tokens cost: --prompt-price and --completion-price (prompt_price and completion_price in a file)"
    )]
    NoPrices,
    /// A budget is shared, and nothing says with whom.
    #[error("a shared budget needs --shared-ledger, the file that those who share it have in common")]
    NoSharedLedger,
    /// A ledger cannot be used.
    #[error("the ledger {}: {reason}", path.display())]
    Ledger {
        /// Its file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// No connection can be made at all.
    #[error("the client for endpoints: {0}")]
    Client(String),
}
