//! The oracle service: limits per caller, queues and deadlines.
//!
//! Answers are computed on separate threads, not on those that handle messages. The modules for the kinds of questions
//! contain pure functions that turn a request into an answer; the other modules schedule their work.

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
mod variants;

pub use local::{OracleQuestionError, answer_oracle_question};
pub use question_scheduler::QuestionError;
pub use service::OracleRpc;
