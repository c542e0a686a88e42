//! The view of a tournament.

use lastnim_proto::PublicTournament;
use lastnim_store::StoredTournament;
use lastnim_tournament::OpenMatches;
use std::sync::Arc;

/// A tournament at one moment.
#[derive(Debug, Clone)]
pub struct TournamentView {
    /// The tournament's stored data.
    pub stored: StoredTournament,
    /// The number of matches that have ended so far.
    pub played: u64,
    /// The total number of matches, or the maximum if it depends on results; 0 before the start, and if the tournament
    /// is open-ended.
    pub total: u64,
    /// Whether the tournament is running but waiting for another bot to join.
    pub awaits_bots: bool,
    /// How open matches are treated during the current pause; `None` if the tournament is not paused.
    pub pause: Option<OpenMatches>,
    /// The reason why the tournament is quarantined; `None` if it is not.
    pub damage: Option<Arc<str>>,
}

impl TournamentView {
    /// Returns the public view of the tournament.
    pub fn to_public(&self) -> PublicTournament {
        let stored = &self.stored;
        PublicTournament {
            id: stored.id,
            created_at: stored.created_at,
            settings: Arc::clone(&stored.settings),
            terms: stored.terms.clone(),
            state: stored.state,
            field: Arc::clone(&stored.field),
            played: self.played,
            total: self.total,
            awaits_bots: self.awaits_bots,
            pause: self.pause,
            damage: self.damage.clone(),
            deal_secret: stored.published_secret(),
        }
    }

    /// Creates the view of a finished tournament.
    pub(crate) fn from_stored(stored: StoredTournament) -> Self {
        let (played, total) = stored.over.as_ref().map_or((0, 0), |over| (over.played, over.total));
        Self { stored, played, total, awaits_bots: false, pause: None, damage: None }
    }
}
