//! The gRPC services. They authorise callers, parse requests and build responses; the inner crates make all decisions.

mod access;
mod activity;
mod address_limits;
mod arena_service;
mod bot_service;
mod client_address;
mod creation_request;
mod entry_service;
mod guests;
mod heartbeats;
mod login_limits;
mod manifest;
mod match_service;
mod oracle;
mod page;
mod read_scheduler;
mod reported_version;
mod scheduling;
mod server_service;
mod status;
mod tournament_service;
mod traffic_counts;
mod transcript_service;
mod transport_errors;
mod void_targets;

pub use access::{Access, CallerStatus};
pub use address_limits::AddressLimiter;
pub use arena_service::ArenaRpc;
pub use bot_service::BotRpc;
pub use client_address::ClientAddress;
pub use entry_service::EntryRpc;
pub use guests::{BotGames, GameRefusal, GameStatus, GuestGames, GuestLimits};
pub use login_limits::LoginLimits;
pub use match_service::MatchRpc;
pub use oracle::{OracleQuestionError, OracleRpc, QuestionError, answer_oracle_question};
pub use read_scheduler::{FeedStart, ReadScheduler};
pub use scheduling::{FeedNumber, QuotaShare, SharedQuota, call_timeout};
pub use server_service::ServerRpc;
pub use status::retry_status;
pub use tournament_service::TournamentRpc;
pub use traffic_counts::{RefusedCall, TrafficCounts};
pub use transcript_service::TranscriptRpc;
pub use transport_errors::{
    add_error_info, client_certificate_status, late_answer_status, late_request_status, memory_spent_status,
    standing_by_status, tls_required_status, too_many_strangers_status,
};
