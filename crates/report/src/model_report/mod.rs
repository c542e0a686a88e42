//! What language models did: how they kept to the rules first, how well they played second.

mod claims;
mod cost;
mod figures;
mod report;
mod rules;
mod strength;

pub use report::model_report;
