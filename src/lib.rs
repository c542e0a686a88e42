//! lastnim: a tournament server for bots that play multi-player Last Nim.
//!
//! This is the map of the house. Arrows between floors run one way, `A <- B` meaning that B uses A:
//! `game <- oracle <- referee, tournament <- wire <- store <- arena <- rpc <- server <- cli`,
//! `tournament <- auditing <- wire`, `wire <- client <- bots, cli`, and `oracle <- drawing <- cli`. `tests/tidy.rs` keeps
//! it so.

pub mod arena;
pub mod auditing;
#[path = "../bots/mod.rs"]
pub mod bots;
pub mod cli;
pub mod client;
pub mod drawing;
pub mod game;
pub mod oracle;
pub mod referee;
pub mod rpc;
pub mod server;
pub mod store;
pub mod tournament;
pub mod wire;

/// The README, whose Rust is compiled as the documentation's is.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
