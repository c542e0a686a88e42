//! `lastnim audit`: matches held against the oracle. Many matches of a bot are the business of `bot_audit`.

mod bot_audit;
mod command;
mod input;

pub use bot_audit::{list_files, models::read_questions};
pub use command::{AuditArgs, run};
