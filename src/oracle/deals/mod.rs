//! `lastnim oracle deals`: what lies and pacts are worth if each seat is dealt a private row.

mod command;
mod json;
mod pact_text;
mod report;

pub use command::{DealsArgs, run};
