//! What the store has of matches that a server before this one has left open.

use crate::error::ArenaError;
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_store::{Store, StoreError, StoredMatch};
use std::collections::BTreeMap;
use std::time::Instant;

/// The records of the matches that are not over.
pub(crate) struct OpenRecords {
    /// When they began to be read.
    pub(crate) began: Instant,
    /// By tournament; those of none are exhibitions.
    pub(crate) by_tournament: BTreeMap<Option<TournamentId>, Vec<StoredMatch>>,
    /// Those that are damaged, and how.
    pub(crate) damaged: Vec<(MatchId, String)>,
}

impl OpenRecords {
    /// Reads them from a store.
    pub(crate) async fn read(store: &dyn Store) -> Result<Self, ArenaError> {
        let began = Instant::now();
        let mut by_tournament: BTreeMap<_, Vec<StoredMatch>> = BTreeMap::new();
        let mut damaged = Vec::new();
        for id in store.unfinished_matches().await? {
            let stored = match store.match_record(id).await {
                Ok(stored) => stored.ok_or_else(|| vanished_match_error(id))?,
                Err(StoreError::Damaged { what, why }) => {
                    damaged.push((id, format!("{what}: {why}")));
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let origin = stored.record.state().setup().origin.as_ref();
            let tournament = origin.map(|origin| origin.tournament);
            by_tournament.entry(tournament).or_default().push(stored);
        }
        Ok(Self { began, by_tournament, damaged })
    }

    /// Returns when something happened last in any of the matches; the beginning of time if there are none.
    pub(crate) fn last_event_time(&self) -> Timestamp {
        let open = self.by_tournament.values().flatten();
        let last = open.filter_map(|stored| stored.record.events().last()).map(|event| event.at);
        last.max().unwrap_or_default()
    }
}

fn vanished_match_error(id: MatchId) -> StoreError {
    StoreError::Damaged {
        what: format!("match {id}"),
        why: "it is listed as not over, and there is no record of it".to_owned(),
    }
}
