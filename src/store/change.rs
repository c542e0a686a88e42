//! What can change and must last.

use super::TokenHash;
use crate::game::{BotName, MatchId, TournamentId};
use crate::oracle::Audit;
use crate::referee::{Terms, TimedEvent, Timestamp};
use crate::tournament::{Settings, State};
use std::sync::Arc;

/// A registered bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBot {
    /// Its name.
    pub name: BotName,
    /// When it was registered.
    pub registered_at: Timestamp,
    /// The hash of its token.
    pub token: TokenHash,
}

/// A tournament and where it stands.
#[derive(Debug, Clone)]
pub struct StoredTournament {
    /// Its id.
    pub id: TournamentId,
    /// When it was created.
    pub created_at: Timestamp,
    /// What it is.
    pub settings: Arc<Settings>,
    /// The terms of its matches.
    pub terms: Terms,
    /// The bots that joined, in the order of joining.
    pub field: Arc<Vec<BotName>>,
    /// Where it stands.
    pub state: State,
}

/// One thing that changed.
#[derive(Debug, Clone)]
pub enum Change {
    /// A bot was registered, or its token replaced.
    Bot(StoredBot),
    /// A tournament was created, joined, started or ended.
    Tournament(StoredTournament),
    /// A tournament that is over made room for another.
    TournamentForgotten(TournamentId),
    /// Events of a match.
    MatchEvents {
        /// The match.
        id: MatchId,
        /// The events, which follow those that it had.
        events: Vec<TimedEvent>,
    },
    /// The audit of a match that is over.
    MatchAudited {
        /// The match.
        id: MatchId,
        /// The audit.
        audit: Arc<Audit>,
    },
}
