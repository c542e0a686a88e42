//! `lastnim audit`: matches held against the oracle. Many matches of a bot are the business of `bot_audit`.

mod command;
mod input;
mod report;

pub(super) use command::{AuditArgs, run};
