//! `lastnim audit rationalise`: which rows explain how a bot played.

mod command;
mod report;

pub use command::{RationaliseArgs, run};
