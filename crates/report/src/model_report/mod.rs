//! Reports on language models: first adherence to the rules, then strength.

mod claims;
mod cost;
mod figures;
mod report;
mod rules;
mod strength;

pub use report::model_report;
