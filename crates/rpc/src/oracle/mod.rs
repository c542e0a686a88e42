//! The oracle, for anybody: how much one may ask at once, in which queue a question waits, and when it is given up.
//!
//! A question is worked out away from the threads that carry messages. Each file of questions turns a request into an
//! answer, and is pure; the rest decides when that is done.

mod batch;
mod bot_audits;
mod declarations;
mod game_batches;
mod games;
mod local;
mod question_scheduler;
mod robustness;
mod rulesets;
mod service;
#[cfg(test)]
mod tests;
mod trees;

pub use local::{OracleQuestionError, answer_oracle_question};
pub use question_scheduler::QuestionError;
pub use service::OracleRpc;
