//! `lastnim audit rationalise`: finds the rows that explain how a bot played.

mod command;
mod report;

pub use command::{RationaliseArgs, run};
