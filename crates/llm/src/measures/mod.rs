//! Figures on models, from transcripts and the records of their matches.
//!
//! `asked_questions` holds transcripts. [`ModelMeasurer`] proves the questions match by match, and adds them to the
//! tally of each model: `question_tally` for adherence to the rules, [`auditing`](lastnim_auditing) for strength,
//! `spending` for cost, and `want_tally` and `plan_tally` for stated wishes and plans.

mod asked_questions;
mod measurer;
mod model_tally;
mod plan_tally;
mod question_tally;
mod spending;
mod talk_tally;
mod want_tally;

pub use asked_questions::AskedQuestions;
pub use measurer::ModelMeasurer;
