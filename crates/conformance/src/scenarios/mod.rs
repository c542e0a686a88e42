//! The scenarios that the checks play with the bot.

pub(super) mod ending;
pub(super) mod future_protocol;
pub(super) mod joining;
pub(super) mod losses;
pub(super) mod playing;
pub(super) mod repetition;
pub(super) mod session;
pub(super) mod snapshots;
