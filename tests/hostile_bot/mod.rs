//! A bot that breaks every rule it can: used to see that nobody else notices.
//!
//! It drives the generated client directly, as a stranger would. What it does follows from its seed and from what it
//! is sent, and is bounded in rate and time.

pub mod attack;
mod misbehaviour;
mod mischief;

pub use misbehaviour::Misbehaviour;
