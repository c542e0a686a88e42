//! Batches: one JSON document per line, each answered by one line, in order.

mod answering;
mod answers;
mod lines;

pub use answering::{answer_lines, print_json_line};
pub use answers::{AuditAnswer, RulesetAnswer, SolutionAnswer};
pub use lines::MAX_LINE_BYTES;
