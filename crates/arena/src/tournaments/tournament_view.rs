//! The view of a tournament.

use lastnim_proto::PublicTournament;
use lastnim_store::StoredTournament;
use lastnim_tournament::OpenMatches;
use std::sync::Arc;

/// A tournament at one moment.
#[derive(Debug, Clone)]
pub struct TournamentView {
    /// Its stored data.
    pub stored: StoredTournament,
    /// Matches ended so far.
    pub played: u64,
    /// The total number of matches, or the maximum if results decide it; 0 before the start, and if it is open-ended.
    pub total: u64,
    /// Whether it runs but waits for another bot to join.
    pub awaits_bots: bool,
    /// What happens to its open matches, if it is paused.
    pub pause: Option<OpenMatches>,
    /// The reason for its quarantine; `None` if it is not quarantined.
    pub damage: Option<Arc<str>>,
}

impl TournamentView {
    /// Returns its public view.
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
        }
    }

    /// Creates the view of a finished tournament.
    pub(crate) fn from_stored(stored: StoredTournament) -> Self {
        let (played, total) = stored.over.as_ref().map_or((0, 0), |over| (over.played, over.total));
        Self { stored, played, total, awaits_bots: false, pause: None, damage: None }
    }
}
