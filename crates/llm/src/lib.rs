//! A language model as a bot: [`LlmBot`] asks an endpoint for chat completions for each row and each take.
//!
//! `settings` are all that can be chosen, each a flag and a key of tournament files. `prompt` makes what the model is asked, `answer`
//! reads what it says, `claims` what it says beside that, and `correction` tells it what was wrong: the Python package asks in the same
//! words. `request`, `event_stream` and `completion` speak the endpoint's language without any I/O, and `endpoint` carries.
//! `budget` keeps calls from costing more than they may, also from one start of the bot to the next (`ledger`).
//! `decision` goes from a question to an answer or to a [`FailureClass`], `failure_policy` says what a bot does without an answer, and
//! `transcript` writes down all of it, `transcript_reader` reads it back,
//! `transcript_proof` holds it against the record, and `measures` makes figures of both. Nothing here shows the key of the endpoint: `api_key`.

mod amount;
mod answer;
mod api_key;
mod bot;
mod budget;
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
mod ledger;
mod measures;
mod prompt;
mod prompt_values;
mod question;
mod question_log;
mod request;
mod retry_after;
mod settings;
mod tally;
mod token_count;
mod transcript;
mod transcript_proof;
mod transcript_reader;
mod variable_name;

pub use amount::Amount;
pub use answer::{GivenAnswer, read_answer};
pub use api_key::ApiKey;
pub use bot::LlmBot;
pub use budget::CostBound;
pub use claims::Claims;
pub use completion::Completion;
pub use correction::correct_answer;
pub use error::LlmError;
pub use failure::{CallFailure, FailureClass};
pub use failure_policy::FailurePolicy;
pub use measures::{AskedQuestions, ModelMeasurer};
pub use prompt::PromptTemplate;
pub use question::{Answer, Question};
pub use question_log::ENDPOINT_ERROR;
pub use request::{Message, Speaker};
pub use settings::{LlmSettings, StructuredOutput};
pub use tally::Tally;
pub use token_count::TokenCount;
pub use transcript::Transcript;
pub use transcript_proof::{
    QuestionProof, RecordedAnswers, TranscriptQuestions, TranscriptVerdict, Unproved, UnprovedAnswer,
};
pub use transcript_reader::{
    DecidedAnswer, DecidedBy, TranscriptCall, TranscriptDecision, TranscriptItem, TranscriptQuestion,
    read_transcript,
};
pub use variable_name::VariableName;
