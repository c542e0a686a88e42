//! The core of multi-player Last Nim: rules, oracle, audit of one match, referee.
//!
//! Nothing here sees a runtime, a network, a file, a clock or a random source: times and seeds come in as arguments.
//! Uses run one way: `game <- oracle <- referee`.

pub mod duration_text;
pub mod game;
pub mod oracle;
pub mod referee;
