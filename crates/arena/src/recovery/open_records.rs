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
            if stored.record.state().lacks_dealt_rows() {
                damaged.push((id, format!("the record of match {id}: `dealt` is missing")));
                continue;
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Backend;
    use lastnim_core::game::Piles;
    use lastnim_core::referee::{
        Deal, DealRule, DealSecret, DealtRows, Event, MatchSetup, TimedEvent, Timestamp,
    };
    use lastnim_store::Change;

    #[tokio::test]
    async fn an_open_match_without_its_dealt_rows_is_damaged() {
        let id = MatchId::new(1, &[1; 10]);
        let bots = vec!["a".parse().unwrap(), "b".parse().unwrap()];
        let mut setup = MatchSetup::new(bots.try_into().unwrap(), Piles::parse(&[3]).unwrap());
        let dealt = DealtRows::of_match(&DealSecret::from_bytes([1; 32]), id, &DealRule::All, setup.seats());
        setup.deal = Some(Box::new(Deal::of_rows(DealRule::All, &dealt)));
        let timed_event = |event| TimedEvent { at: Timestamp::from_micros(1), event };
        let created = timed_event(Event::Created(Box::new(setup)));
        for (events, is_damaged) in [
            (vec![created.clone()], true),
            (vec![created, timed_event(Event::Dealt(Box::new(dealt)))], false),
        ] {
            let store = Backend::in_memory().store;
            store.write(&[Change::MatchEvents { id, first: 0, events }]).await.unwrap();
            let records = OpenRecords::read(&*store).await.unwrap();
            assert_eq!(
                (records.damaged.len() == 1, records.by_tournament.is_empty()),
                (is_damaged, is_damaged)
            );
        }
    }
}
