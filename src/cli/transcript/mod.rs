//! `lastnim transcript`: what a language model was asked and replied, beside the board.

mod command;
mod folded_text;
mod question_report;

pub use command::{TranscriptArgs, run};
