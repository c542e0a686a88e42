//! Reads the unfinished matches of an earlier server from the store.

use crate::error::ArenaError;
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_store::{Store, StoreError, StoredMatch};
use std::collections::BTreeMap;
use std::time::Instant;

/// The records of unfinished matches.
pub(crate) struct OpenRecords {
    /// The time at which reading began.
    pub(crate) began: Instant,
    /// The unfinished matches of each tournament; `None` stands for exhibitions.
    pub(crate) by_tournament: BTreeMap<Option<TournamentId>, Vec<StoredMatch>>,
    /// The damaged matches, each with a description of its damage.
    pub(crate) damaged: Vec<(MatchId, String)>,
}

impl OpenRecords {
    /// Reads the records of all unfinished matches from a store.
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
}

fn vanished_match_error(id: MatchId) -> StoreError {
    StoreError::Damaged {
        what: format!("match {id}"),
        why: "it is listed as unfinished but has no record".to_owned(),
    }
}
