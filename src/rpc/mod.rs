//! The gRPC services: who may call, what the call asks for, what it is answered. What is decided is decided further in.

mod access;
mod activity;
mod address_limits;
mod address_tally;
mod arena_service;
mod bot_service;
mod client_address;
mod guests;
mod login_limits;
mod manifest;
mod match_service;
mod oracle;
mod page;
mod read_scheduler;
mod said_version;
mod scheduling;
mod status;
mod tournament_service;
mod transcript_service;
mod transport_errors;

pub use access::{Access, CallerStatus};
pub use address_limits::AddressLimiter;
pub use address_tally::AddressTally;
pub use arena_service::ArenaRpc;
pub use bot_service::BotRpc;
pub use client_address::ClientAddress;
pub use guests::{GuestHands, HandNews, HandRefusal};
pub use login_limits::LoginLimits;
pub use match_service::MatchRpc;
pub use oracle::{OracleQuestionError, OracleRpc, answer_oracle_question};
pub use read_scheduler::ReadScheduler;
pub use scheduling::call_timeout;
pub use tournament_service::TournamentRpc;
pub use transcript_service::TranscriptRpc;
pub use transport_errors::{add_error_info, late_answer_status, late_request_status, memory_spent_status};
