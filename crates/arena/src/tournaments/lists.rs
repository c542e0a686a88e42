//! What is shown of tournaments: one, lists of them, standings, and watches.

use crate::arena::Arena;
use crate::error::ArenaError;
use crate::tournaments::tournament_view::TournamentView;
use lastnim_core::game::TournamentId;
use lastnim_store::{FieldHistory, StoredTournament};
use lastnim_tournament::{FormatVerdict, Standing, TournamentState};
use std::ops::Bound;
use std::sync::Arc;
use tokio::sync::watch;

/// The most changes of a field that are shown.
const MAX_CHANGES: usize = 100_000;

impl Arena {
    /// Returns a tournament as it is now.
    ///
    /// # Errors
    /// If nothing has that id, or the store cannot be read.
    pub async fn tournament(&self, id: TournamentId) -> Result<TournamentView, ArenaError> {
        match self.live_tournament(id) {
            Some(handle) => Ok(handle.view()),
            None => Ok(TournamentView::from_stored(self.settled_tournament(id).await?)),
        }
    }

    /// Returns a tournament that nobody plays.
    async fn settled_tournament(&self, id: TournamentId) -> Result<StoredTournament, ArenaError> {
        match self.ended_tournament(id).await? {
            Some(ended) => Ok(ended.stored.clone()),
            None => self.tournament_from_store(id).await,
        }
    }

    /// Returns up to `most` tournaments, the newest first, those before `before`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn list_tournaments(
        &self,
        before: Option<TournamentId>,
        most: usize,
    ) -> Result<Vec<TournamentView>, ArenaError> {
        let stored = self.inner.store.tournaments(before, most).await?;
        let view = |stored: StoredTournament| match self.live_tournament(stored.id) {
            Some(handle) => handle.view(),
            None => TournamentView::from_stored(stored),
        };
        Ok(stored.into_iter().map(view).collect())
    }

    /// Returns the newest of the tournaments in a state in which they are not over, the newest first: those before one, if one is named.
    /// They are live, however many newer ones are over.
    pub fn list_unfinished_tournaments(
        &self,
        state: TournamentState,
        before: Option<TournamentId>,
        most: usize,
    ) -> Vec<TournamentView> {
        let tournaments = self.inner.tournaments.read();
        let end = before.map_or(Bound::Unbounded, Bound::Excluded);
        let handles = tournaments.range((Bound::Unbounded, end)).rev();
        let handles = handles.filter(|(_, handle)| handle.borrow_view().stored.state == state);
        let handles: Vec<_> = handles.take(most).map(|(_, handle)| Arc::clone(handle)).collect();
        drop(tournaments);
        // A state may have changed in between.
        handles.iter().map(|handle| handle.view()).filter(|view| view.stored.state == state).collect()
    }

    /// Returns the standings of a tournament as they are now, by place, with the ratings that were last worked out.
    ///
    /// # Errors
    /// If nothing has that id, or the store cannot be read.
    pub async fn standings(&self, id: TournamentId) -> Result<Arc<Vec<Standing>>, ArenaError> {
        if let Some(handle) = self.live_tournament(id) {
            return Ok(handle.standings());
        }
        match self.ended_tournament(id).await? {
            Some(ended) => self.ended_standings(&ended).await,
            None => Ok(Arc::new(self.inner.store.standings(id).await?)),
        }
    }

    /// Returns what the format of a tournament says besides the standings, as it is now.
    ///
    /// # Errors
    /// If nothing has that id, or the store cannot be read.
    pub async fn format_verdict(&self, id: TournamentId) -> Result<Arc<FormatVerdict>, ArenaError> {
        if let Some(handle) = self.live_tournament(id) {
            return Ok(Arc::new(handle.format_verdict()));
        }
        let over = self.settled_tournament(id).await?.over;
        Ok(over.map_or_else(|| Arc::new(FormatVerdict::Standings), |over| over.verdict))
    }

    /// Returns who was in a ladder when; none in other formats, before the start, and with more than 100,000 changes.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn field_history(&self, view: &TournamentView) -> Result<Option<FieldHistory>, ArenaError> {
        let StoredTournament { id, ref settings, state, .. } = view.stored;
        if state == TournamentState::Open || !settings.format.has_open_field() {
            return Ok(None);
        }
        let history = self.inner.store.field_history(id).await?;
        Ok((history.changes.len() <= MAX_CHANGES).then_some(history))
    }

    /// Begins to watch a tournament: the receiver sees its newest state.
    ///
    /// # Errors
    /// If nothing has that id, or it has as many watchers as it may.
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

    /// Begins to watch the state of a tournament, and nothing else of it: as many may as there may be sessions.
    ///
    /// # Errors
    /// If nothing has that id, or it has as many watchers as it may.
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
