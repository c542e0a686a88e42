//! `lastnim record transcript`: what a language model was asked and replied, beside the board; and handing that to a server for others to read.

mod command;
mod folded_text;
mod publishing;
mod question_report;

pub use command::{TranscriptArgs, run};
