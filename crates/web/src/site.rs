//! What pages ask, and what is kept for them.

use super::bot_audits::BotAudits;
use super::kept_pages::KeptPages;
use super::live::Feeds;
use super::metrics::Metrics;
use super::public_url::PublicUrl;
use super::token_sessions::TokenSessions;
use lastnim_arena::Arena;
use lastnim_rpc::{
    Access, BotHands, BotRpc, GuestHands, MatchRpc, OracleRpc, ReadScheduler, TournamentRpc, TranscriptRpc,
};
use std::sync::Arc;

/// The services that pages ask, and what is kept for pages. No page knows which others there are.
#[derive(Debug, Clone)]
pub struct Site {
    /// Says whether the server can be used.
    pub arena: Arena,
    /// Says whose turn it is to have a page made.
    pub reads: ReadScheduler,
    /// The address by which the world knows the server, if it was told.
    pub public_url: Option<PublicUrl>,
    /// Answers about tournaments.
    pub tournaments: TournamentRpc,
    /// Answers about matches.
    pub matches: MatchRpc,
    /// Answers about bots.
    pub bots: BotRpc,
    /// Answers about transcripts of language models.
    pub transcripts: TranscriptRpc,
    /// Answers about positions.
    pub oracle: OracleRpc,
    /// Says whether a token is an admin's.
    pub access: Access,
    /// Organisers who are signed in.
    pub organisers: Arc<TokenSessions>,
    /// Others who are signed in to read.
    pub readers: Arc<TokenSessions>,
    /// Lets visitors play.
    pub guests: GuestHands,
    /// Lets those play who hold the token of a bot.
    pub bot_hands: BotHands,
    /// Those who are signed in with the token of a bot.
    pub players: Arc<TokenSessions>,
    /// What is measured, unless that has a listener of its own.
    pub metrics: Option<Metrics>,
    /// Says what changes on pages.
    pub feeds: Feeds,
    /// Pages that were made before.
    pub kept: KeptPages,
    /// Audits of bots that were worked out lately.
    pub audits: BotAudits,
}
