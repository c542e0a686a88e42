//! Multi-player Last Nim, as far as it is pure: rules, oracle, referee, tournaments, audits and drawings.
//!
//! Nothing here sees a runtime, a network, a file, a clock or a random source: times and seeds come in as arguments.
//! Uses run one way: `game <- oracle <- referee, tournament, drawing` and `tournament <- auditing`.

#![forbid(unsafe_code)]

pub mod auditing;
pub mod drawing;
pub mod game;
pub mod oracle;
pub mod referee;
pub mod tournament;
