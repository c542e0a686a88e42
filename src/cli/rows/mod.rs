//! `lastnim declarations` and `lastnim rationalise`: which rows seats do best to declare, and which explain how a bot
//! played.

pub(super) mod declarations;
mod declarations_report;
pub(super) mod rationalise;
mod rationalise_report;
mod report;
mod shown_args;
