//! Reports on language models: how well they followed the rules, and then how well they played.

mod claims;
mod cost;
mod figures;
mod report;
mod rules;
mod strength;
mod talk;

pub use report::model_report;
