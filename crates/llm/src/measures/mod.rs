//! What models did, in figures: transcripts held together with the records of their matches.
//!
//! `asked_questions` are what is kept of transcripts. [`ModelMeasurer`] takes match after match, proves what the transcripts say of it, and
//! adds it to the tally of each model: `question_tally` for how it kept to the rules, the core's [`auditing`](lastnim_auditing) for how well
//! it played, `spending` for what it cost, and `want_tally` for what it wants.

mod asked_questions;
mod measurer;
mod model_tally;
mod question_tally;
mod spending;
mod want_tally;

pub use asked_questions::AskedQuestions;
pub use measurer::ModelMeasurer;
