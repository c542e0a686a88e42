//! What bots logged, held against the records of their matches: whether a server kept its promises.
//!
//! [`SessionLogs`] reads logs, [`check_match`] holds all that they say of one match against its record, or against each other where there
//! is none, and says each contradiction with the line that shows it. What only the clocks of two machines could decide is a doubt.
//! Nothing here reads a file or asks a server.

mod checks;
mod finding;
mod match_log;
mod replayed_match;
mod session_logs;

pub use checks::check_match;
pub use finding::{Certainty, Finding, FindingKind};
pub use match_log::MatchLog;
pub use session_logs::{LogCounts, LogLineError, SessionLogs};
