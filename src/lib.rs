//! lastnim: a tournament server for bots that play multi-player Last Nim.
//!
//! To write a bot, begin with [`client`]: implement [`client::Bot`], and [`client::run`] plays all its matches. The rules and
//! the exact oracle that a bot may ask in its own process are in [`game`] and [`oracle`].
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `client` | the SDK and the house bots; needs no C compiler |
//! | `tls` | `https://` for clients, by rustls |
//! | `llm` | a language model as a bot, behind an endpoint for chat completions |
//! | `server` | the server with its stores, to be run by another program |
//! | `cli` (default) | the program `lastnim` |
//!
//! Without any feature there is the core and [`wire`]: messages, records and their verification.

#![forbid(unsafe_code)]

#[cfg(feature = "server")]
#[doc(hidden)]
pub mod arena;
#[cfg(feature = "client")]
#[path = "../bots/mod.rs"]
pub mod bots;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "client")]
pub mod client;
#[cfg(any(feature = "server", feature = "llm"))]
#[doc(hidden)]
pub mod config;
#[cfg(feature = "server")]
#[doc(hidden)]
pub mod conformance;
#[cfg(feature = "server")]
#[doc(hidden)]
pub mod history;
#[cfg(feature = "llm")]
#[doc(hidden)]
pub mod llm;
#[cfg(feature = "server")]
#[doc(hidden)]
pub mod report;
#[cfg(feature = "server")]
#[doc(hidden)]
pub mod rpc;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "server")]
#[doc(hidden)]
pub mod store;
#[cfg(feature = "server")]
#[doc(hidden)]
pub mod web;
pub mod wire;

pub use lastnim_core::{auditing, drawing, game, oracle, referee, tournament};

/// The README, whose Rust is compiled as the documentation's is.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../README.md")]
struct Readme;
