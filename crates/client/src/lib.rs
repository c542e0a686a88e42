//! The Rust SDK: implement [`Bot`], and [`run`] plays all its matches over one session that it keeps alive.
//!
//! A complete bot that always takes one counter:
//!
//! ```no_run
//! use lastnim_client::{Bot, Error, MatchView, Options, run};
//!
//! struct Timid;
//!
//! impl Bot for Timid {
//!     fn play(&mut self, _: &MatchView) -> u64 {
//!         1
//!     }
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Error> {
//!     run(Timid, Options::new("localhost:7600", "the bot's token")).await.map(|summary| println!("{summary}"))
//! }
//! ```
//!
//! `event` parses what the server sends; `match_tracker` decides how to react, without I/O; `session` sends and
//! receives. The bot thinks on its own thread, so that slow thinking does not delay replies to pings. A bot that awaits
//! something while it thinks should implement [`AsyncBot`] instead, which can play many matches at once.

mod async_bot;
mod backoff;
mod bot;
mod bot_host;
mod bot_tasks;
mod bot_thread;
mod bounds;
mod ca_certificates;
mod channel;
mod client_certificate;
mod error;
mod event;
mod join_state;
#[doc(hidden)]
pub mod line_file;
mod local_match;
mod match_end;
mod match_info;
mod match_tracker;
mod match_view;
mod options;
mod practice;
mod question;
mod question_queue;
mod refusal;
mod request_id;
mod seen_takes;
mod server_address;
mod session;
mod session_log;
mod socket_path;
mod summary;
mod suspension;
mod talk;
pub mod text_input;
mod tls;
mod tournament;
mod tournament_end;
mod transport;
mod watching;

pub use async_bot::{AsyncBot, Choice, MatchFailure};
pub use bot::{Bot, Connected};
pub use ca_certificates::CaCertificates;
pub use channel::{Authorization, MAX_MESSAGE_BYTES, connect, no_authorization, token_authorization};
pub use client_certificate::ClientCertificate;
pub use error::Error;
pub use event::ProtocolError;
pub use local_match::{LocalMatch, RefusedAction};
pub use match_end::{EndReport, MatchEnd, SeatFigures};
pub use match_info::MatchInfo;
pub use match_view::MatchView;
pub use options::Options;
pub use practice::{Practice, practice, practice_async_until, practice_until};
pub use refusal::Refusal;
pub use request_id::new_request_id;
pub use seen_takes::{MAX_SEEN_TAKES, SeenTake};
pub use server_address::ServerAddress;
pub use session::{run, run_async, run_async_until, run_until};
pub use socket_path::socket_path;
pub use summary::Summary;
pub use suspension::{Suspension, SuspensionReason};
pub use talk::{Message, TalkMessage, TalkRound};
pub use tournament::{fetch_scoring, join_tournament};
pub use tournament_end::TournamentEnd;
pub use transport::{ByteStream, OpeningConnection, Transport};
pub use watching::{MAX_SILENCE, ResumedStream, SeenEvents, WatchUpdate, status_of_error};

pub use lastnim_core::referee::{
    Clock, DealHash, DealRule, DealSecret, DealtRows, EndReason, MatchPhase, MatchSetup, MatchSetupError,
    NoteHash, OfferId, OfferedPact, Origin, Record, RefusalReason, TalkContent, TalkPrivacy, TalkTerms,
    Terms, Timestamp,
};
pub use lastnim_core::{game, oracle, oracle::Mover};
pub use lastnim_proto::{JoinRefusal, TakeFeed};
pub use lastnim_tournament::TournamentState;
