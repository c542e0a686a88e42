//! Tournaments.

use super::arena::Arena;
use super::director::{Director, TournamentHandle, TournamentView};
use super::error::ArenaError;
use crate::game::{BotName, TournamentId};
use crate::referee::Terms;
use crate::store::{Change, StoredTournament};
use crate::tournament::{RoundRobin, RoundRobinError, Settings, Standing, State};
use std::sync::{Arc, PoisonError};
use tokio::sync::watch;

/// What a tournament is made of.
#[derive(Debug, Clone)]
pub struct NewTournament {
    /// What it is.
    pub settings: Settings,
    /// The terms of its matches.
    pub terms: Terms,
}

impl Arena {
    /// Creates a tournament that bots may join.
    ///
    /// # Errors
    /// If there are as many as there may be, and none of them is over.
    pub async fn create_tournament(&self, new: NewTournament) -> Result<TournamentView, ArenaError> {
        self.check_running()?;
        let _held = self.inner.registering.lock().await;
        let limit = self.inner.limits.tournaments;
        if self.inner.store.tournament_count() >= limit {
            self.forget_oldest_tournament().await?;
        }
        let stored = StoredTournament {
            id: self.inner.ids.next_tournament(),
            created_at: self.inner.clock.now(),
            settings: Arc::new(new.settings),
            terms: new.terms,
            field: Arc::default(),
            state: State::Open,
        };
        self.commit(vec![Change::Tournament(stored.clone())]).await?;
        tracing::info!(tournament = %stored.id, title = %stored.settings.title, "tournament created");
        let handle = Arc::new(TournamentHandle::new(stored));
        let view = handle.view();
        self.inner.tournaments.write().unwrap_or_else(PoisonError::into_inner).insert(view.stored.id, handle);
        Ok(view)
    }

    /// Makes room for a new tournament.
    async fn forget_oldest_tournament(&self) -> Result<(), ArenaError> {
        let limit = self.inner.limits.tournaments;
        let oldest = self.inner.store.oldest_ended_tournament();
        let id = oldest.ok_or(ArenaError::Full { what: "tournaments that are not over", limit })?;
        self.commit(vec![Change::TournamentForgotten(id)]).await?;
        self.inner.tournaments.write().unwrap_or_else(PoisonError::into_inner).remove(&id);
        Ok(())
    }

    /// Enters a bot. Joining twice does no harm. The tournament starts if it was waiting for this bot only.
    ///
    /// # Errors
    /// If there is no such tournament or bot, the tournament has started, or with one bot more it could not be played
    /// through.
    pub async fn join_tournament(
        &self,
        id: TournamentId,
        bot: &BotName,
    ) -> Result<TournamentView, ArenaError> {
        let _held = self.inner.registering.lock().await;
        self.stored_bot(bot)?;
        let handle = self.tournament_handle(id)?;
        let mut view = handle.view();
        let stored = &mut view.stored;
        if stored.field.contains(bot) {
            return Ok(view);
        }
        Self::check_state(stored, "bots join before the start")?;
        Self::check_room(stored)?;
        Arc::make_mut(&mut stored.field).push(bot.clone());
        self.commit(vec![Change::Tournament(stored.clone())]).await?;
        handle.show_joined(bot, stored.clone());
        if stored.settings.start_at.is_some_and(|field| stored.field.len() >= field) {
            self.start(&handle, view.stored).await?;
        }
        Ok(handle.view())
    }

    /// Starts a tournament.
    ///
    /// # Errors
    /// If there is none of that id, it has started, or the field cannot be paired.
    pub async fn start_tournament(&self, id: TournamentId) -> Result<TournamentView, ArenaError> {
        self.check_running()?;
        let _held = self.inner.registering.lock().await;
        let handle = self.tournament_handle(id)?;
        let stored = handle.view().stored;
        Self::check_state(&stored, "a tournament starts once")?;
        self.start(&handle, stored).await?;
        Ok(handle.view())
    }

    async fn start(
        &self,
        handle: &Arc<TournamentHandle>,
        mut stored: StoredTournament,
    ) -> Result<(), ArenaError> {
        let id = stored.id;
        let field = stored.field.as_slice();
        let rounds =
            RoundRobin::new(&stored.settings, field).map_err(|error| ArenaError::Field { id, error })?;
        stored.state = State::Running;
        self.commit(vec![Change::Tournament(stored.clone())]).await?;
        tracing::info!(tournament = %id, bots = stored.field.len(), matches = rounds.total(), "tournament starts");
        if let Some(director) = Director::new(self.clone(), Arc::clone(handle), stored, rounds) {
            tokio::spawn(director.run());
        }
        Ok(())
    }

    /// Cancels a tournament: its open matches end without a winner.
    ///
    /// # Errors
    /// If there is none of that id, or it is over, or its last match ends before it is called off.
    pub async fn cancel_tournament(&self, id: TournamentId) -> Result<TournamentView, ArenaError> {
        let handle = self.tournament_handle(id)?;
        let mut watch = handle.subscribe();
        let held = self.inner.registering.lock().await;
        let mut stored = handle.view().stored;
        match stored.state {
            State::Open => {
                stored.state = State::Cancelled;
                self.commit(vec![Change::Tournament(stored.clone())]).await?;
                handle.show(stored);
            }
            State::Running => handle.cancel(),
            state => return Err(Self::nothing_to_cancel(id, state)),
        }
        drop(held);
        tokio::select! {
            over = watch.wait_for(|view| view.stored.state.is_over()) => {
                let view = over.map_err(|_| ArenaError::NoSuchTournament(id))?.clone();
                match view.stored.state {
                    State::Cancelled => Ok(view),
                    state => Err(Self::nothing_to_cancel(id, state)),
                }
            }
            () = self.stopped() => Err(ArenaError::Stopping),
        }
    }

    /// Returns a tournament as it is now.
    ///
    /// # Errors
    /// If there is none of that id.
    pub fn tournament(&self, id: TournamentId) -> Result<TournamentView, ArenaError> {
        Ok(self.tournament_handle(id)?.view())
    }

    /// Returns up to `most` tournaments, the newest first, those before `before`.
    pub fn tournaments(&self, before: Option<TournamentId>, most: usize) -> Vec<TournamentView> {
        let stored = self.inner.store.tournaments(before, most);
        stored.iter().filter_map(|stored| self.tournament(stored.id).ok()).collect()
    }

    /// Returns the standings of a tournament as they are now, by place.
    ///
    /// # Errors
    /// If there is none of that id.
    pub fn standings(&self, id: TournamentId) -> Result<Arc<Vec<Standing>>, ArenaError> {
        Ok(self.tournament_handle(id)?.standings())
    }

    /// Begins to watch a tournament: the receiver sees its newest state.
    ///
    /// # Errors
    /// If there is none of that id, or it has as many watchers as it may.
    pub fn watch_tournament(&self, id: TournamentId) -> Result<watch::Receiver<TournamentView>, ArenaError> {
        let handle = self.tournament_handle(id)?;
        let limit = self.inner.limits.watchers;
        if handle.watchers() >= limit {
            return Err(ArenaError::Full { what: "watchers of this tournament", limit });
        }
        Ok(handle.subscribe())
    }

    pub(super) fn tournament_handle(&self, id: TournamentId) -> Result<Arc<TournamentHandle>, ArenaError> {
        let tournaments = self.inner.tournaments.read().unwrap_or_else(PoisonError::into_inner);
        tournaments.get(&id).cloned().ok_or(ArenaError::NoSuchTournament(id))
    }

    fn nothing_to_cancel(id: TournamentId, state: State) -> ArenaError {
        ArenaError::WrongState { id, state, needed: "there is nothing to cancel" }
    }

    /// Checks that a tournament can be played with one bot more. Whether it has enough of them shows when it starts.
    fn check_room(stored: &StoredTournament) -> Result<(), ArenaError> {
        let (settings, field) = (&stored.settings, stored.field.len() + 1);
        match RoundRobin::matches(field, settings.seats, settings.positions.len()) {
            Err(error @ RoundRobinError::TooManyMatches { .. }) => {
                Err(ArenaError::Field { id: stored.id, error })
            }
            _ => Ok(()),
        }
    }

    fn check_state(stored: &StoredTournament, needed: &'static str) -> Result<(), ArenaError> {
        match stored.state {
            State::Open => Ok(()),
            state => Err(ArenaError::WrongState { id: stored.id, state, needed }),
        }
    }
}
