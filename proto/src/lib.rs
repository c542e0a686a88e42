//! Generated protobuf code, its codec, and its conversions to and from the domain types.
//!
//! Only this layer uses protobuf. Requests are parsed once into the types of the layers below. Parsing continues after
//! a mistake, so that every mistake is reported; the length of a repeated field is checked before its elements are
//! read. Replies are converted with `From`.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `client`, `server` | the generated clients and services |
//! | `analysis` | conversions of the results of `lastnim-analysis` and `lastnim-auditing` |

#[cfg(feature = "analysis")]
pub mod admission;
mod audit;
pub mod batch;
pub mod benchmark_card;
#[cfg(feature = "analysis")]
pub mod bot_audit;
pub mod bot_profile;
pub mod bot_version;
mod codec;
mod deal;
#[cfg(feature = "analysis")]
pub mod declaration;
mod enums;
mod field;
pub mod field_history;
mod format;
pub mod game;
#[cfg(feature = "analysis")]
pub mod grundy_sequence;
mod joining;
pub mod json;
mod listed_state;
pub mod manifest;
#[cfg(feature = "analysis")]
mod model_report;
pub mod number_text;
mod play;
#[cfg(feature = "server")]
mod play_codec;
mod positions;
mod public_tournament;
pub mod record;
pub mod record_file;
pub mod record_text;
#[cfg(feature = "analysis")]
pub mod robustness;
#[cfg(feature = "analysis")]
pub mod ruleset;
pub mod session_log;
pub mod setup;
mod solution;
pub mod talk;
#[cfg(feature = "analysis")]
mod talk_audit;
#[cfg(test)]
mod testing;
pub mod tournament;
pub mod tournament_event;
pub mod tournament_settings;
pub mod transcript;
#[cfg(feature = "analysis")]
pub mod tree;
#[cfg(feature = "analysis")]
pub mod variant;
pub mod verdict;
mod violation;

pub use codec::SmallBufferCodec;
pub use enums::FromWire;
pub use field::{RequestField, parse_request};
pub use joining::{JoinRefusal, JoinRefused};
pub use listed_state::ListedState;
pub use play::{BotAction, InvalidAction, MatchEvent, MissedEnd, RevealedRows, ServerEvent, TakeFeed};
#[cfg(feature = "server")]
pub use play_codec::{IncomingAction, PlayCodec};
pub use public_tournament::PublicTournament;
pub use violation::{Violation, Violations};

/// The generated service for bot sessions, which uses its own codec.
#[cfg(feature = "server")]
#[allow(missing_docs, clippy::all, clippy::pedantic)]
pub mod play_service {
    include!(concat!(env!("OUT_DIR"), "/lastnim.v1.ArenaService.rs"));
}

/// The generated messages, clients and service traits of the package `lastnim.v1`; the protos document them.
#[allow(missing_docs, clippy::all, clippy::pedantic)]
pub mod pb {
    tonic::include_proto!("lastnim.v1");

    /// The descriptors of all protos, used for server reflection.
    pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/lastnim.v1.descriptors.bin"));
}
