//! Failures of calls and of questions.

use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// The kinds of failures, which are counted separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The reply was cut off by the token limit.
    Truncated,
    /// The reply has no text.
    Empty,
    /// The reply does not end with the requested JSON object.
    Unparsable,
    /// The answer is an illegal take or row.
    Illegal,
    /// The model or a content filter refused to answer.
    Refused,
    /// No answer arrived in time.
    TimedOut,
    /// The endpoint had too many calls.
    RateLimited,
    /// The endpoint was unreachable, broke off, or sent an invalid reply.
    ServerError,
    /// The endpoint rejected the call: a wrong key, an unknown model, a prompt that is too long.
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

    /// Returns whether it is caused by the endpoint, not by the model.
    pub fn is_of_endpoint(self) -> bool {
        matches!(self, Self::RateLimited | Self::ServerError)
    }

    /// Returns what may help.
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

/// How to continue after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Tell the model its error, and ask again.
    AskAgain,
    /// Repeat the call after a pause.
    CallAgain,
    /// Give up: it would fail again.
    Nothing,
}

impl fmt::Display for FailureClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A failure of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailure {
    /// Its kind.
    pub class: FailureClass,
    /// A description.
    pub detail: String,
    /// How long the endpoint asked to wait.
    pub retry_after: Option<Duration>,
}

impl CallFailure {
    /// Creates a failure.
    pub fn new(class: FailureClass, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into(), retry_after: None }
    }
}
