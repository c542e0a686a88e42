//! Language models as bots: [`LlmBot`] asks an endpoint for chat completions for each round of talk, each row and each
//! take.
//!
//! `settings` are flags and keys of tournament files. `prompt` writes questions, with the scoring (`match_scoring`),
//! what the model said before (`match_memory`) and what the seats said in talk (`talk_values`, `talk_room`,
//! `talk_memory`); `answer`, `talk_answer` and `claims` read replies, and `correction` explains errors to the model;
//! the Python package uses the same texts. `request`, `event_stream`, `refusal` and `completion` are the endpoint's
//! protocol without I/O, and `endpoint` does the I/O. `budget` limits costs, across restarts by a `ledger`, from which
//! `spent_amounts` estimates the cost to come. `decision` turns a question into an answer or a [`FailureClass`], and
//! `failure_policy` replaces missing answers. `transcript` logs everything, `transcript_reader` reads it back,
//! `transcript_proof` compares it with the record, and `measures` computes figures from both. The key of the endpoint
//! (`api_key`) is hidden everywhere.

mod amount;
mod answer;
mod api_key;
mod bot;
mod budget;
mod call_mode;
mod claims;
mod completion;
mod config_hash;
mod correction;
mod decision;
mod dialect;
mod endpoint;
mod error;
mod event_stream;
mod failure;
mod failure_policy;
mod json_object;
mod ledger;
mod match_memory;
mod match_scoring;
mod measures;
mod outage;
mod probe;
mod prompt;
mod prompt_values;
mod provider;
mod question;
mod question_log;
mod rate_limit;
mod refusal;
mod reply_objects;
mod request;
mod retry_after;
mod row_notation;
mod settings;
mod spent_amounts;
mod talk_answer;
mod talk_memory;
mod talk_room;
mod talk_values;
mod tally;
mod thinking;
mod token_count;
mod transcript;
mod transcript_proof;
mod transcript_reader;
mod variable_name;

pub use amount::Amount;
pub use answer::{ModelAnswer, read_answer};
pub use api_key::ApiKey;
pub use bot::LlmBot;
pub use budget::CostBound;
pub use call_mode::{CallMode, QuestionMode};
pub use claims::Claims;
pub use completion::{Completion, ResponseSource};
pub use correction::append_correction;
pub use error::LlmError;
pub use failure::{CallFailure, FailureClass, Fault};
pub use failure_policy::FailurePolicy;
pub use json_object::JsonObject;
pub use match_memory::{EarlierAnswer, MatchMemories, Memory};
pub use match_scoring::MatchScoring;
pub use measures::{AskedQuestions, ModelMeasurer};
pub use probe::probe_endpoint;
pub use prompt::{LATEST_PROMPT, PromptContext, PromptTemplate};
pub use provider::Provider;
pub use question::{Answer, Question};
pub use question_log::{OUTAGE, RECOVERY, SAID};
pub use request::{Message, Speaker};
pub use row_notation::RowNotation;
pub use settings::{AMENDABLE_SETTINGS, LlmSettings, StructuredOutput};
pub use spent_amounts::SpentAmounts;
pub use tally::Tally;
pub use thinking::Thinking;
pub use token_count::TokenCount;
pub use transcript::Transcript;
pub use transcript_proof::{
    QuestionProof, RecordedAnswers, TranscriptQuestions, TranscriptVerdict, Unproved, UnprovedAnswer,
};
pub use transcript_reader::{
    DecidedAnswer, DecidedBy, SaidKind, SaidMessage, SaidMessages, TranscriptCall, TranscriptDecision,
    TranscriptItem, TranscriptMessage, TranscriptQuestion, TranscriptTalk, read_transcript,
};
pub use variable_name::VariableName;
