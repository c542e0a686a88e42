//! Why a call, or a whole question, came to no answer.

use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// The kinds of failures. Each is counted by itself, so that runs can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The reply ends where its tokens were used up.
    Truncated,
    /// The reply has no text.
    Empty,
    /// The reply has no JSON object of the kind that was asked for at its end.
    Unparsable,
    /// The answer is a take or a row that the rules do not allow.
    Illegal,
    /// The model, or a filter before it, refused to answer.
    Refused,
    /// No answer came in time.
    TimedOut,
    /// The endpoint had too many calls.
    RateLimited,
    /// The endpoint could not be reached, broke off, or sent what is no reply.
    ServerError,
    /// The endpoint did not accept the call: a wrong key, an unknown model, a prompt that is too long.
    Rejected,
    /// A budget has no room for the call.
    Budget,
}

impl FailureClass {
    /// All classes.
    pub const ALL: [Self; 10] = [
        Self::Truncated,
        Self::Empty,
        Self::Unparsable,
        Self::Illegal,
        Self::Refused,
        Self::TimedOut,
        Self::RateLimited,
        Self::ServerError,
        Self::Rejected,
        Self::Budget,
    ];

    /// Returns its word for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Empty => "empty",
            Self::Unparsable => "unparsable",
            Self::Illegal => "illegal",
            Self::Refused => "refused",
            Self::TimedOut => "timed_out",
            Self::RateLimited => "rate_limited",
            Self::ServerError => "server_error",
            Self::Rejected => "rejected",
            Self::Budget => "budget",
        }
    }

    /// Returns whether it says something of the endpoint alone, and nothing of the model.
    pub fn is_of_endpoint(self) -> bool {
        matches!(self, Self::RateLimited | Self::ServerError)
    }

    /// Returns what a model is told of it by which it can mend its answer.
    pub fn remedy(self) -> Remedy {
        match self {
            Self::Truncated | Self::Empty | Self::Unparsable | Self::Illegal | Self::Refused => {
                Remedy::AskAgain
            }
            Self::TimedOut | Self::RateLimited | Self::ServerError => Remedy::CallAgain,
            Self::Rejected | Self::Budget => Remedy::Nothing,
        }
    }
}

/// What can be done about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// The model is told what was wrong.
    AskAgain,
    /// The same call is made again, after a pause.
    CallAgain,
    /// The same would happen again.
    Nothing,
}

impl fmt::Display for FailureClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A failure of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailure {
    /// Its kind.
    pub class: FailureClass,
    /// What happened, in words.
    pub detail: String,
    /// How long the endpoint wants to be left alone.
    pub retry_after: Option<Duration>,
}

impl CallFailure {
    /// Makes a failure of a kind.
    pub fn new(class: FailureClass, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into(), retry_after: None }
    }
}
