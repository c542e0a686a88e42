//! The contents of a tournament's manifest at one moment.

use crate::arena::Arena;
use crate::error::ArenaError;
use crate::tournaments::tournament_handle::TournamentHandle;
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::{ManifestHash, Seal};
use lastnim_proto::manifest::{ListedMatch, ListedRecord};
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_store::{FieldHistory, HeadsPage, MatchHead, StoreError, StoredTournament};
use lastnim_tournament::{FormatVerdict, Standing, TournamentEvent, TournamentState};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A snapshot of a running tournament, taken by its director.
#[derive(Debug)]
pub(crate) struct RunningSnapshot {
    /// The number of stored changes to the tournament's field.
    pub(crate) changes: usize,
    /// The organiser's interventions.
    pub(crate) events: Vec<TimedTournamentEvent>,
    /// The ids and numbers of the matches that have begun but are not counted yet, in order of id.
    pub(crate) open: Vec<(MatchId, u64)>,
    /// An upper bound on ids: all matches that have begun have lower ids than this, and later matches do not.
    pub(crate) before: MatchId,
    pub(crate) standings: Vec<Standing>,
    /// The verdict of the tournament's format.
    pub(crate) verdict: FormatVerdict,
}

/// A snapshot of a tournament without its matches, which are read [page by page](Arena::listed_matches).
#[derive(Debug, Clone)]
pub struct ManifestSnapshot {
    /// The tournament.
    pub stored: StoredTournament,
    /// The tournament's field and its changes over time.
    pub history: FieldHistory,
    /// The organiser's interventions.
    pub events: Vec<TimedTournamentEvent>,
    /// The tournament's standings, which have no ratings if the tournament was not over.
    pub standings: Arc<Vec<Standing>>,
    /// The verdict of the tournament's format.
    pub verdict: Arc<FormatVerdict>,
    /// The numbers of the matches that were unfinished, by id.
    open: BTreeMap<MatchId, u64>,
    /// An upper bound on ids: all matches of the snapshot have lower ids than this.
    before: MatchId,
}

/// A page of a snapshot's matches.
#[derive(Debug)]
pub struct ListedMatches {
    /// The matches, in order of id.
    pub matches: Vec<ListedMatch>,
    /// The last match of this page, if there may be further pages.
    pub next: Option<MatchId>,
}

impl Arena {
    /// Returns a snapshot of a tournament; `None` if its last match is over but its end is not written yet.
    ///
    /// # Errors
    /// If no tournament has this id, or the store cannot be read.
    pub async fn manifest_snapshot(&self, id: TournamentId) -> Result<Option<ManifestSnapshot>, ArenaError> {
        let is_unfinished = |handle: &Arc<TournamentHandle>| !handle.view().stored.state.is_over();
        match self.live_tournament(id).filter(is_unfinished) {
            Some(handle) => self.unfinished_snapshot(&handle).await,
            None => self.finished_snapshot(id).await.map(Some),
        }
    }

    /// Waits until a tournament is over.
    ///
    /// # Errors
    /// If the server stops first.
    pub async fn wait_until_over(&self, id: TournamentId) -> Result<(), ArenaError> {
        let Some(handle) = self.live_tournament(id) else { return Ok(()) };
        let mut state = handle.subscribe_to_state();
        tokio::select! {
            biased;
            // A dropped sender also means that the tournament is over.
            _ = state.wait_for(|state| state.is_over()) => Ok(()),
            () = self.wait_until_stopped() => Err(ArenaError::Stopping),
        }
    }

    async fn finished_snapshot(&self, id: TournamentId) -> Result<ManifestSnapshot, ArenaError> {
        let stored = self.tournament_from_store(id).await?;
        let store = &self.inner.store;
        let verdict = stored
            .over
            .as_ref()
            .map_or_else(|| Arc::new(FormatVerdict::Standings), |over| Arc::clone(&over.verdict));
        Ok(ManifestSnapshot {
            stored,
            history: store.field_history(id).await?,
            events: store.tournament_events(id).await?,
            standings: Arc::new(store.standings(id).await?),
            verdict,
            open: BTreeMap::new(),
            before: MatchId::greatest(),
        })
    }

    async fn unfinished_snapshot(
        &self,
        handle: &TournamentHandle,
    ) -> Result<Option<ManifestSnapshot>, ArenaError> {
        let stored = handle.view().stored;
        if stored.state == TournamentState::Open {
            let history = FieldHistory { start: stored.field.to_vec(), changes: Vec::new() };
            return Ok(Some(ManifestSnapshot {
                stored,
                history,
                events: Vec::new(),
                standings: Arc::new(handle.unrated_standings()),
                verdict: Arc::new(FormatVerdict::Standings),
                open: BTreeMap::new(),
                before: MatchId::least(),
            }));
        }
        let Some(running) = handle.take_snapshot().await else { return Ok(None) };
        let mut history = self.inner.store.field_history(stored.id).await?;
        history.changes.truncate(running.changes);
        Ok(Some(ManifestSnapshot {
            stored,
            history,
            events: running.events,
            standings: Arc::new(running.standings),
            verdict: Arc::new(running.verdict),
            open: running.open.into_iter().collect(),
            before: running.before,
        }))
    }

    /// Returns a page of a snapshot's matches with ids greater than `after`: up to `limit` finished matches, and the
    /// open matches with ids in the same range.
    ///
    /// # Errors
    /// If the store cannot be read, or has dropped some of the matches.
    pub async fn listed_matches(
        &self,
        snapshot: &ManifestSnapshot,
        after: Option<MatchId>,
        limit: usize,
    ) -> Result<ListedMatches, ArenaError> {
        let &ManifestSnapshot { ref stored, ref events, ref open, before, .. } = snapshot;
        let page = HeadsPage { tournament: stored.id, after, before, limit };
        let heads = self.inner.store.match_heads(&page).await?;
        let next = heads.last().filter(|_| heads.len() >= limit).map(|last| last.id);
        let is_of_page =
            |id: MatchId| after.is_none_or(|after| id > after) && next.is_none_or(|next| id <= next);
        let open_ones = open.iter().filter(|&(&id, _)| is_of_page(id));
        let open_ones =
            open_ones.map(|(&id, &number)| ListedMatch { id, number, record: ListedRecord::Open });
        let mut matches: Vec<_> = open_ones.collect();
        for head in heads.into_iter().filter(|head| !open.contains_key(&head.id)) {
            let number = head.number.or_else(|| number_of_voided(events, head.id));
            let MatchHead { id, record, .. } = head;
            let number = number.ok_or_else(|| StoreError::Damaged {
                what: format!("match {id}"),
                why: "the match's number cannot be read".to_owned(),
            })?;
            matches.push(ListedMatch { id, number, record });
        }
        matches.sort_unstable_by_key(|listed| listed.id);
        Ok(ListedMatches { matches, next })
    }

    /// Signs a manifest.
    pub fn seal_manifest(&self, hash: ManifestHash) -> Seal {
        self.inner.context.terms.key.seal_manifest(hash)
    }
}

/// Returns the number of a voided match from the event that voided it.
fn number_of_voided(events: &[TimedTournamentEvent], id: MatchId) -> Option<u64> {
    let voided = events.iter().filter_map(|timed| match &timed.event {
        TournamentEvent::Voided { matches, .. } => Some(matches),
        _ => None,
    });
    voided.flatten().find(|voided| voided.id == id).map(|voided| voided.number)
}
