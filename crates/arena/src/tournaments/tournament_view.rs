//! A tournament as it is shown.

use lastnim_proto::PublicTournament;
use lastnim_store::StoredTournament;
use lastnim_tournament::OpenMatches;
use std::sync::Arc;

/// A tournament as it is at one moment.
#[derive(Debug, Clone)]
pub struct TournamentView {
    /// What it is and where it stands.
    pub stored: StoredTournament,
    /// Matches ended so far.
    pub played: u64,
    /// Matches in all, or the most there can be where results decide; 0 before the start, and where it is open-ended.
    pub total: u64,
    /// Whether it runs and nothing goes on before another bot enters.
    pub awaits_bots: bool,
    /// What becomes of its open matches, if it is paused.
    pub pause: Option<OpenMatches>,
    /// Why it cannot be carried on, if it is quarantined.
    pub damage: Option<Arc<str>>,
}

impl TournamentView {
    /// Returns it as others are shown it.
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

    /// Shows a tournament that is over.
    pub(crate) fn from_stored(stored: StoredTournament) -> Self {
        let (played, total) = stored.over.as_ref().map_or((0, 0), |over| (over.played, over.total));
        Self { stored, played, total, awaits_bots: false, pause: None, damage: None }
    }
}
