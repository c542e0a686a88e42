//! A bot that breaks every rule, to test that other bots are not affected.
//!
//! It uses the generated client directly. Its actions depend only on its seed and the events, and are bounded in rate and time.

pub mod attack;
mod misbehaviour;
mod mischief;

pub use misbehaviour::Misbehaviour;
