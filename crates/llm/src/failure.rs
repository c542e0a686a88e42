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
    /// The reply has no readable answer, or several different ones.
    Unparsable,
    /// The answer is an illegal take or row.
    Illegal,
    /// The model refused to answer.
    Refused,
    /// The model called a tool, which it does not have.
    ToolCall,
    /// The model did not finish its answer in time.
    TimedOut,
    /// The endpoint's content filter withheld the reply.
    Filtered,
    /// The reply made no progress for the idle timeout.
    Stalled,
    /// The endpoint refused the call because it received too many calls.
    RateLimited,
    /// The endpoint was unreachable, broke off, or sent an invalid reply.
    ServerError,
    /// No call could start in time, because too many calls were open or because open calls had reserved the rest of a
    /// budget.
    Queued,
    /// The endpoint cannot be used until the organiser fixes the cause: a wrong key, no credit, an unknown model or
    /// address.
    Unusable,
    /// The endpoint rejected the call, for example because the prompt is too long.
    Rejected,
    /// The budget of the match has no room for the call.
    MatchBudget,
    /// The budget of the bot, or of all models, has no room for the call.
    Budget,
}

impl FailureClass {
    /// All classes.
    pub const ALL: [Self; 16] = [
        Self::Truncated,
        Self::Empty,
        Self::Unparsable,
        Self::Illegal,
        Self::Refused,
        Self::ToolCall,
        Self::TimedOut,
        Self::Filtered,
        Self::Stalled,
        Self::RateLimited,
        Self::ServerError,
        Self::Queued,
        Self::Unusable,
        Self::Rejected,
        Self::MatchBudget,
        Self::Budget,
    ];

    /// Returns the class's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Empty => "empty",
            Self::Unparsable => "unparsable",
            Self::Illegal => "illegal",
            Self::Refused => "refused",
            Self::ToolCall => "tool_call",
            Self::TimedOut => "timed_out",
            Self::Filtered => "filtered",
            Self::Stalled => "stalled",
            Self::RateLimited => "rate_limited",
            Self::ServerError => "server_error",
            Self::Queued => "queued",
            Self::Unusable => "unusable",
            Self::Rejected => "rejected",
            Self::MatchBudget => "match_budget",
            Self::Budget => "budget",
        }
    }

    /// Returns who is at fault.
    pub fn fault(self) -> Fault {
        match self {
            Self::Truncated
            | Self::Empty
            | Self::Unparsable
            | Self::Illegal
            | Self::Refused
            | Self::ToolCall
            | Self::TimedOut => Fault::Model,
            Self::Filtered | Self::Stalled | Self::RateLimited | Self::ServerError => Fault::Endpoint,
            Self::Queued | Self::Unusable | Self::Rejected | Self::MatchBudget | Self::Budget => {
                Fault::Settings
            }
        }
    }

    /// Returns whether the failure lasts until the endpoint or the organiser fixes the cause. Until then, the bot would
    /// lose every match.
    pub fn stops_play(self) -> bool {
        matches!(self, Self::Stalled | Self::RateLimited | Self::ServerError) || self.needs_change()
    }

    /// Returns whether the time for the call ended before the endpoint showed whether it works.
    pub fn is_without_reply(self) -> bool {
        matches!(self, Self::TimedOut | Self::Queued)
    }

    /// Returns whether waiting cannot help, because the organiser must change a setting, a key or a budget.
    pub fn needs_change(self) -> bool {
        matches!(self, Self::Unusable | Self::Budget)
    }

    /// Returns the remedy that may help.
    pub fn remedy(self) -> Remedy {
        match self.fault() {
            Fault::Model if self != Self::TimedOut => Remedy::AskAgain,
            Fault::Model | Fault::Endpoint => Remedy::CallAgain,
            Fault::Settings => Remedy::Nothing,
        }
    }
}

/// Who is at fault for a failure. Only the model's own faults count against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The model.
    Model,
    /// The endpoint.
    Endpoint,
    /// The organiser or the bot's owner, by a limit, a key or a budget.
    Settings,
}

impl Fault {
    /// Returns the party's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Endpoint => "endpoint",
            Self::Settings => "settings",
        }
    }
}

/// How to continue after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Explain the error to the model, and ask again.
    AskAgain,
    /// Repeat the call after a pause.
    CallAgain,
    /// Give up, because another call would fail too.
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
