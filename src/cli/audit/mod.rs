//! `lastnim audit`: matches held against the oracle. Many matches of a bot are the business of `bot_audit`.

mod bot_audit;
mod command;
mod input;
mod report;

pub use bot_audit::listed;
pub use command::{AuditArgs, run};
