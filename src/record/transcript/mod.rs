//! `lastnim record transcript`: shows what language models were asked and what they replied, with the position
//! of each take, and publishes them on a server.

mod command;
mod folded_text;
mod match_questions;
mod publishing;
mod question_report;

pub use command::{TranscriptArgs, run};
pub use match_questions::{MatchQuestions, fetch_published_questions, read_questions};
