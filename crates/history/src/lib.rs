//! Compares the logs of bots with the records of their matches, to check whether the server told the truth.
//!
//! [`SessionLogs`] reads logs, and [`check_match`] compares everything that the logs say about one match with its
//! record or, if there is no record, with the other logs. It reports each contradiction with its log line. Findings
//! that depend on the clocks of two machines are doubts. This crate reads no files and calls no server.

mod checks;
mod finding;
mod match_log;
mod replayed_match;
mod session_logs;

pub use checks::check_match;
pub use finding::{Certainty, Finding, FindingKind};
pub use match_log::MatchLog;
pub use session_logs::{LogCounts, LogLineError, SessionLogs};
