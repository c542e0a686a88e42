//! Pages without a server, for tests of what they do.

use super::bot_audits::BotAudits;
use super::kept_pages::KeptPages;
use super::live::Feeds;
use super::pages::Pages;
use super::token_sessions::TokenSessions;
use crate::arena::Arena;
use crate::rpc::{
    Access, AddressLimiter, BotHands, BotRpc, GuestHands, LoginLimits, MatchRpc, OracleRpc, ReadScheduler,
    TournamentRpc, TranscriptRpc,
};
use std::sync::Arc;
use std::time::Duration;

/// Makes the pages of an arena, for everybody; `reads` are worked out at once.
pub(super) fn open_pages(arena: &Arena, reads: usize) -> Pages {
    let minute = Duration::from_mins(1);
    let mut access = Access::tokens_only(arena.clone(), Arc::new(LoginLimits::new(10, minute)));
    access.private = false;
    let reads = ReadScheduler::new(arena.clone(), access.clone(), reads);
    let registrations = AddressLimiter::new(10, minute);
    Pages {
        arena: arena.clone(),
        public_url: None,
        tournaments: TournamentRpc::new(arena.clone(), access.clone(), reads.clone()),
        matches: MatchRpc::new(arena.clone(), access.clone(), reads.clone()),
        bots: BotRpc::new(arena.clone(), access.clone(), reads.clone(), registrations),
        transcripts: TranscriptRpc::new(arena.clone(), access.clone(), reads.clone()),
        oracle: OracleRpc::new(arena.clone(), access.clone(), 1),
        guests: GuestHands::new(arena.clone(), access.clone(), 20, 8),
        organisers: TokenSessions::new(minute),
        readers: TokenSessions::new(minute),
        bot_hands: BotHands::new(arena.clone(), access.clone()),
        players: TokenSessions::new(minute),
        metrics: None,
        feeds: Feeds::default(),
        kept: KeptPages::default(),
        audits: BotAudits::default(),
        access,
        reads,
    }
}
