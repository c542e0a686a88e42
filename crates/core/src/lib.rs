//! The core of multi-player Last Nim: the rules, the oracle, the audit of a single match, and the referee.
//!
//! Nothing here uses a runtime, a network, a file, a clock or a random source; times and seeds are arguments. Modules
//! depend on each other in one direction: `game <- oracle <- referee`.

pub mod duration_text;
pub mod game;
pub mod oracle;
pub mod referee;
pub mod shown_number;
pub mod visible_text;
