//! `lastnim record transcript`: shows the questions to a language model and its replies next to the board, and
//! publishes them on a server.

mod command;
mod folded_text;
mod match_questions;
mod publishing;
mod question_report;

pub use command::{TranscriptArgs, run};
pub use match_questions::{MatchQuestions, read_questions};
