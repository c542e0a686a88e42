//! `lastnim record transcript`: a language model's questions and replies next to the board; and publishing them on a
//! server.

mod command;
mod folded_text;
mod publishing;
mod question_report;

pub use command::{TranscriptArgs, run};
