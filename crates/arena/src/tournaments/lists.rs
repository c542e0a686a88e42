//! Functions that read tournaments: views, lists, standings and watches.

use crate::arena::Arena;
use crate::error::ArenaError;
use crate::tournaments::tournament_view::TournamentView;
use lastnim_core::game::TournamentId;
use lastnim_store::{FieldHistory, StoredTournament};
use lastnim_tournament::{FormatVerdict, Standing, TournamentState};
use std::ops::Bound;
use std::sync::Arc;
use tokio::sync::watch;

/// If the field of a tournament has changed more often than this, its history is not shown.
const MAX_SHOWN_CHANGES: usize = 100_000;

impl Arena {
    /// Returns the current view of a tournament.
    ///
    /// # Errors
    /// If no tournament has this id, or the store cannot be read.
    pub async fn tournament(&self, id: TournamentId) -> Result<TournamentView, ArenaError> {
        match self.live_tournament(id) {
            Some(handle) => Ok(handle.view()),
            None => Ok(TournamentView::from_stored(self.settled_tournament(id).await?)),
        }
    }

    /// Returns a tournament that has no director, from the cache or the store.
    async fn settled_tournament(&self, id: TournamentId) -> Result<StoredTournament, ArenaError> {
        match self.ended_tournament(id).await? {
            Some(ended) => Ok(ended.stored.clone()),
            None => self.tournament_from_store(id).await,
        }
    }

    /// Returns up to `limit` tournaments that are older than `before`, the newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn list_tournaments(
        &self,
        before: Option<TournamentId>,
        limit: usize,
    ) -> Result<Vec<TournamentView>, ArenaError> {
        let stored = self.inner.store.tournaments(before, limit).await?;
        let view = |stored: StoredTournament| match self.live_tournament(stored.id) {
            Some(handle) => handle.view(),
            None => TournamentView::from_stored(stored),
        };
        Ok(stored.into_iter().map(view).collect())
    }

    /// Returns up to `limit` unfinished tournaments that are in this state and older than `before`, the newest first.
    /// Only unfinished tournaments are searched, so finished ones do not slow this down.
    pub fn list_unfinished_tournaments(
        &self,
        state: TournamentState,
        before: Option<TournamentId>,
        limit: usize,
    ) -> Vec<TournamentView> {
        let tournaments = self.inner.tournaments.read();
        let end = before.map_or(Bound::Unbounded, Bound::Excluded);
        let handles = tournaments.range((Bound::Unbounded, end)).rev();
        let handles = handles.filter(|(_, handle)| handle.borrow_view().stored.state == state);
        let handles: Vec<_> = handles.take(limit).map(|(_, handle)| Arc::clone(handle)).collect();
        drop(tournaments);
        // The state of a tournament may have changed after the table was unlocked.
        handles.iter().map(|handle| handle.view()).filter(|view| view.stored.state == state).collect()
    }

    /// Returns the current standings of a tournament, by place, with the latest ratings.
    ///
    /// # Errors
    /// If no tournament has this id, or the store cannot be read.
    pub async fn standings(&self, id: TournamentId) -> Result<Arc<Vec<Standing>>, ArenaError> {
        if let Some(handle) = self.live_tournament(id) {
            return Ok(handle.standings());
        }
        match self.ended_tournament(id).await? {
            Some(ended) => self.ended_standings(&ended).await,
            None => Ok(Arc::new(self.inner.store.standings(id).await?)),
        }
    }

    /// Returns the current verdict of a tournament's format.
    ///
    /// # Errors
    /// If no tournament has this id, or the store cannot be read.
    pub async fn format_verdict(&self, id: TournamentId) -> Result<Arc<FormatVerdict>, ArenaError> {
        if let Some(handle) = self.live_tournament(id) {
            return Ok(Arc::new(handle.format_verdict()));
        }
        let over = self.settled_tournament(id).await?.over;
        Ok(over.map_or_else(|| Arc::new(FormatVerdict::Standings), |over| over.verdict))
    }

    /// Returns how the field of a ladder has changed over time; `None` for other formats, before the start, and if
    /// there are more than 100,000 changes.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn field_history(&self, view: &TournamentView) -> Result<Option<FieldHistory>, ArenaError> {
        let StoredTournament { id, ref settings, state, .. } = view.stored;
        if state == TournamentState::Open || !settings.format.has_open_field() {
            return Ok(None);
        }
        let history = self.inner.store.field_history(id).await?;
        Ok((history.changes.len() <= MAX_SHOWN_CHANGES).then_some(history))
    }

    /// Starts watching a tournament. The receiver holds the newest view of the tournament.
    ///
    /// # Errors
    /// If no tournament has this id, its watcher limit is reached, or the store cannot be read.
    pub async fn watch_tournament(
        &self,
        id: TournamentId,
    ) -> Result<watch::Receiver<TournamentView>, ArenaError> {
        let Some(handle) = self.live_tournament(id) else {
            let over = TournamentView::from_stored(self.tournament_from_store(id).await?);
            return Ok(watch::channel(over).1);
        };
        let limit = self.inner.limits.watchers;
        if handle.watcher_count() >= limit {
            return Err(ArenaError::Full { what: "watchers of this tournament", limit });
        }
        Ok(handle.subscribe())
    }

    /// Starts watching only the state of a tournament. The limit on these watchers equals the limit on sessions.
    ///
    /// # Errors
    /// If no tournament has this id, its watcher limit is reached, or the store cannot be read.
    pub async fn watch_tournament_state(
        &self,
        id: TournamentId,
    ) -> Result<watch::Receiver<TournamentState>, ArenaError> {
        let Some(handle) = self.live_tournament(id) else {
            return Ok(watch::channel(self.tournament_from_store(id).await?.state).1);
        };
        let limit = self.inner.limits.sessions;
        if handle.state_watcher_count() >= limit {
            return Err(ArenaError::Full { what: "watchers of this tournament's state", limit });
        }
        Ok(handle.subscribe_to_state())
    }
}
