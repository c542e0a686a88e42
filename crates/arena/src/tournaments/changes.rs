//! Tournaments.

use crate::arena::{Arena, HeldLock};
use crate::environment::Environment;
use crate::error::{ArenaError, FIELD_IS_SETTLED};
use crate::matches::shard::MatchInput;
use crate::tournaments::cpu_times::CpuTask;
use crate::tournaments::director::Director;
use crate::tournaments::tournament_handle::TournamentHandle;
use crate::tournaments::tournament_view::TournamentView;
use futures_core::future::BoxFuture;
use lastnim_core::game::{BotName, TournamentId};
use lastnim_core::referee::Terms;
use lastnim_store::{Change, FinishedTournament, StoredTournament};
use lastnim_tournament::{
    FieldMovement, FormatVerdict, Rulings, Schedule, Settings, TournamentEnd, TournamentState, count_matches,
    plan_schedule,
};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Mutex;

/// What a tournament is made of.
#[derive(Debug, Clone)]
pub struct NewTournament {
    /// What it is.
    pub settings: Settings,
    /// The terms of its matches.
    pub terms: Terms,
}

/// What is wrong with calling off what is over.
const NOTHING_TO_CANCEL: &str = "there is nothing to cancel";
/// When bots may join.
const BOTS_JOIN: &str = "bots join before the start, and a ladder also while it runs";
/// When bots may leave.
const BOTS_LEAVE: &str = "bots leave before the start, and a ladder also while it runs";

/// Returns whether a tournament that starts by itself has the bots that it waits for.
pub(crate) fn is_ready_to_start(stored: &StoredTournament) -> bool {
    stored.settings.start_at.is_some_and(|field| stored.field.len() >= field)
}

/// Returns whether bots may come and go although the tournament has started.
fn allows_changes_while_running(stored: &StoredTournament) -> bool {
    stored.state == TournamentState::Running && stored.settings.format.has_open_field()
}

/// Plans a tournament, off the threads that carry messages: a large sample takes a second.
pub(crate) async fn plan_in_background(
    environment: &Environment,
    handle: &TournamentHandle,
    stored: &StoredTournament,
) -> Result<Box<dyn Schedule>, ArenaError> {
    let (settings, field) = (Arc::clone(&stored.settings), Arc::clone(&stored.field));
    let began = Instant::now();
    let planned = match environment.spawn_work(move || plan_schedule(&settings, &field)).await {
        Ok(planned) => planned.map_err(|error| ArenaError::Field { id: stored.id, error }),
        Err(broken) if broken.is_panic() => resume_unwind(broken.into_panic()),
        Err(_) => Err(ArenaError::Stopping),
    };
    handle.cpu_times.add_time(CpuTask::Planning, began.elapsed());
    planned
}

impl Arena {
    /// Creates a tournament that bots may join.
    ///
    /// # Errors
    /// If there are as many that are not over as there may be.
    pub fn create_tournament(
        &self,
        new: NewTournament,
    ) -> BoxFuture<'static, Result<TournamentView, ArenaError>> {
        self.run_locked(self.inner.tournaments.creating(), move |arena, held| async move {
            arena.create_tournament_locked(held, new).await
        })
    }

    async fn create_tournament_locked(
        &self,
        _held: HeldLock,
        new: NewTournament,
    ) -> Result<TournamentView, ArenaError> {
        self.check_not_stopping()?;
        let limit = self.inner.limits.tournaments;
        if self.open_tournament_count() >= limit {
            return Err(ArenaError::Full { what: "tournaments that are not over", limit });
        }
        let stored = StoredTournament {
            id: self.inner.ids.next_tournament(),
            created_at: self.inner.clock.now(),
            settings: Arc::new(new.settings),
            terms: new.terms,
            field: Arc::default(),
            state: TournamentState::Open,
            over: None,
        };
        self.commit(vec![Change::TournamentCreated(stored.clone())]).await?;
        tracing::info!(tournament = %stored.id, title = %stored.settings.title, "tournament created");
        let handle = Arc::new(TournamentHandle::new(&stored));
        let view = handle.view();
        self.inner.tournaments.insert(view.stored.id, handle);
        Ok(view)
    }

    /// Enters a bot. Joining twice does no harm. The tournament starts if it was waiting for this bot only. A ladder that runs
    /// has the bot from its next round on; one that was suspended returns so.
    ///
    /// # Errors
    /// If there is no such tournament or bot, the tournament has started and is no ladder, or with one bot more it could
    /// not be played through.
    pub fn join_tournament(
        &self,
        id: TournamentId,
        bot: &BotName,
    ) -> BoxFuture<'static, Result<TournamentView, ArenaError>> {
        let bot = bot.clone();
        self.run_locked(&self.tournament_lock(id), move |arena, held| async move {
            arena.join_tournament_locked(held, id, bot).await
        })
    }

    async fn join_tournament_locked(
        &self,
        _held: HeldLock,
        id: TournamentId,
        bot: BotName,
    ) -> Result<TournamentView, ArenaError> {
        self.stored_bot(&bot).await?;
        let view = self.tournament(id).await?;
        if allows_changes_while_running(&view.stored) {
            return self.change_running_field(view, bot, FieldMovement::Enters).await;
        }
        if view.stored.field.contains(&bot) {
            if view.stored.state == TournamentState::Open
                && is_ready_to_start(&view.stored)
                && let Some(handle) = self.live_tournament(id)
            {
                self.plan_and_start_tournament(&handle, view.stored).await?;
                return Ok(handle.view());
            }
            return Ok(view);
        }
        let mut stored = view.stored;
        let handle = self.require_unfinished_tournament(id, BOTS_JOIN).await?;
        Self::check_tournament_state(&stored, BOTS_JOIN)?;
        Self::check_room_for_bot(&stored)?;
        let place = stored.field.len();
        Arc::make_mut(&mut stored.field).push(bot.clone());
        let mut changes = vec![Change::TournamentJoined { id, place, bot: bot.clone() }];
        let schedule = if is_ready_to_start(&stored) {
            Some(plan_in_background(&self.inner.environment, &handle, &stored).await?)
        } else {
            None
        };
        if schedule.is_some() {
            // Both or neither: nobody could join again to start a tournament that is complete.
            changes.push(Change::TournamentState { id, state: TournamentState::Running });
        }
        let names = self.lock_names().await;
        // Again, as it may have been removed meanwhile.
        self.stored_bot(&bot).await?;
        self.commit(changes).await?;
        handle.show_joined(&bot, stored.clone());
        drop(names);
        if let Some(schedule) = schedule {
            self.spawn_director(&handle, stored, schedule);
        }
        Ok(handle.view())
    }

    /// Takes a bot out of a tournament. Leaving twice does no harm. In a ladder that runs, the bot plays the matches of the
    /// round that is being played, and its results stay.
    ///
    /// # Errors
    /// If there is no such tournament or bot, or the tournament has started and is no ladder.
    pub fn leave_tournament(
        &self,
        id: TournamentId,
        bot: &BotName,
    ) -> BoxFuture<'static, Result<TournamentView, ArenaError>> {
        let bot = bot.clone();
        self.run_locked(&self.tournament_lock(id), move |arena, held| async move {
            arena.leave_tournament_locked(held, id, bot).await
        })
    }

    async fn leave_tournament_locked(
        &self,
        _held: HeldLock,
        id: TournamentId,
        bot: BotName,
    ) -> Result<TournamentView, ArenaError> {
        self.stored_bot(&bot).await?;
        let view = self.tournament(id).await?;
        if allows_changes_while_running(&view.stored) {
            return self.change_running_field(view, bot, FieldMovement::Leaves).await;
        }
        let handle = self.require_unfinished_tournament(id, BOTS_LEAVE).await?;
        let mut stored = view.stored.clone();
        Self::check_tournament_state(&stored, BOTS_LEAVE)?;
        if !stored.field.contains(&bot) {
            return Ok(view);
        }
        FieldMovement::Leaves.apply_to_field(&bot, Arc::make_mut(&mut stored.field));
        self.commit(vec![Change::TournamentLeft { id, field: Arc::clone(&stored.field) }]).await?;
        handle.show_left(stored);
        Ok(handle.view())
    }

    /// Lets a bot into a tournament that runs, or out of it.
    async fn change_running_field(
        &self,
        view: TournamentView,
        bot: BotName,
        movement: FieldMovement,
    ) -> Result<TournamentView, ArenaError> {
        let id = view.stored.id;
        if movement == FieldMovement::Enters && !view.stored.field.contains(&bot) {
            Self::check_room_for_bot(&view.stored)?;
        }
        let handle = self.require_unfinished_tournament(id, FIELD_IS_SETTLED).await?;
        match handle.request_field_change(bot, movement).await {
            Some(done) => done.map(|()| handle.view()),
            None if self.is_stopped() => Err(ArenaError::Stopping),
            None => handle.check_not_quarantined().and(Err(ArenaError::WrongState {
                id,
                state: TournamentState::Running,
                needed: FIELD_IS_SETTLED,
            })),
        }
    }

    /// Starts a tournament.
    ///
    /// # Errors
    /// If nothing has that id, it has started, or the field cannot be paired.
    pub fn start_tournament(
        &self,
        id: TournamentId,
    ) -> BoxFuture<'static, Result<TournamentView, ArenaError>> {
        self.run_locked(&self.tournament_lock(id), move |arena, held| async move {
            arena.start_tournament_locked(held, id).await
        })
    }

    async fn start_tournament_locked(
        &self,
        _held: HeldLock,
        id: TournamentId,
    ) -> Result<TournamentView, ArenaError> {
        self.check_not_stopping()?;
        let handle = self.require_unfinished_tournament(id, "a tournament starts once").await?;
        let stored = handle.view().stored;
        Self::check_tournament_state(&stored, "a tournament starts once")?;
        self.plan_and_start_tournament(&handle, stored).await?;
        Ok(handle.view())
    }

    pub(crate) async fn plan_and_start_tournament(
        &self,
        handle: &Arc<TournamentHandle>,
        stored: StoredTournament,
    ) -> Result<(), ArenaError> {
        let schedule = plan_in_background(&self.inner.environment, handle, &stored).await?;
        self.commit(vec![Change::TournamentState { id: stored.id, state: TournamentState::Running }]).await?;
        self.spawn_director(handle, stored, schedule);
        Ok(())
    }

    /// Has a tournament played whose start has been committed.
    fn spawn_director(
        &self,
        handle: &Arc<TournamentHandle>,
        mut stored: StoredTournament,
        schedule: Box<dyn Schedule>,
    ) {
        stored.state = TournamentState::Running;
        tracing::info!(tournament = %stored.id, bots = stored.field.len(), matches = %schedule.total_matches(), "tournament starts");
        if let Some(director) =
            Director::new(self.clone(), Arc::clone(handle), stored, schedule, &[], Rulings::default())
        {
            self.inner.tasks.spawn(director.run());
        }
    }

    /// Cancels a tournament: its open matches end without a winner.
    ///
    /// # Errors
    /// If nothing has that id, or it is over, or its last match ends before it is called off.
    pub fn cancel_tournament(
        &self,
        id: TournamentId,
    ) -> BoxFuture<'static, Result<TournamentView, ArenaError>> {
        self.run_locked(&self.tournament_lock(id), move |arena, held| async move {
            arena.cancel_tournament_locked(held, id).await
        })
    }

    async fn cancel_tournament_locked(
        &self,
        held: HeldLock,
        id: TournamentId,
    ) -> Result<TournamentView, ArenaError> {
        let handle = self.require_live_tournament(id, NOTHING_TO_CANCEL).await?;
        let mut watch = handle.subscribe();
        let TournamentView { stored, played, total, damage, .. } = handle.view();
        self.check_store()?;
        match stored.state {
            // Its director has left it, if it had one.
            TournamentState::Running if damage.is_some() => {
                let (at, verdict) = (self.inner.clock.now(), Arc::new(handle.format_verdict()));
                let over = FinishedTournament { at, played, total, verdict };
                self.end_tournament(&handle, stored, TournamentState::Cancelled, over).await?;
                self.cancel_matches_of(id);
            }
            TournamentState::Open => {
                let (at, verdict) = (self.inner.clock.now(), Arc::new(FormatVerdict::Standings));
                let over = FinishedTournament { at, played: 0, total: 0, verdict };
                self.end_tournament(&handle, stored, TournamentState::Cancelled, over).await?;
            }
            TournamentState::Running => handle.request_cancellation(),
            TournamentState::Finished | TournamentState::Cancelled => {}
        }
        drop(held);
        tokio::select! {
            biased;
            over = watch.wait_for(|view| view.stored.state.is_over()) => {
                let view = over.map_err(|_| ArenaError::NoSuchTournament(id))?.clone();
                match view.stored.state {
                    TournamentState::Cancelled => Ok(view),
                    state => Err(ArenaError::WrongState { id, state, needed: NOTHING_TO_CANCEL }),
                }
            }
            () = self.wait_until_stopped() => Err(ArenaError::Stopping),
        }
    }

    /// Calls off the matches of a tournament that are open.
    fn cancel_matches_of(&self, id: TournamentId) {
        for open in self.inner.matches.read().values() {
            if open.setup.origin.as_ref().is_some_and(|origin| origin.tournament == id) {
                open.handle.send(MatchInput::Cancel);
            }
        }
    }

    /// Writes how a tournament ended, shows it, and holds it no longer.
    pub(crate) async fn end_tournament(
        &self,
        handle: &Arc<TournamentHandle>,
        stored: StoredTournament,
        state: TournamentState,
        over: FinishedTournament,
    ) -> Result<(), ArenaError> {
        let (id, standings) = (stored.id, handle.standings());
        let mut changes =
            vec![Change::TournamentOver { id, state, over: over.clone(), standings: Arc::clone(&standings) }];
        changes.extend(self.final_comparison(handle, id).await);
        // Who has begun to end it waits for the store, however long that takes.
        self.inner.context.commits.commit(changes).await?;
        tracing::info!(tournament = %id, %state, cpu_times = %handle.cpu_times, "tournament over");
        let title = stored.settings.title.to_string();
        handle.show_tournament(StoredTournament { state, over: Some(over), ..stored });
        self.inner.tournaments.remove(id);
        for standing in standings.iter() {
            // Who has no session hears of it from the store when it comes back.
            if let Some(presence) = self.inner.roster.existing_presence(&standing.bot) {
                let (title, standing, bots) = (title.clone(), standing.clone(), standings.len() as u64);
                presence.send_tournament_end(TournamentEnd { id, title, state, standing, bots });
            }
        }
        Ok(())
    }

    /// Returns how many tournaments are not over.
    pub fn open_tournament_count(&self) -> usize {
        self.inner.tournaments.read().len()
    }

    /// Returns the lock that is held while the state or the field of a tournament is checked and changed. One that is over has none: nothing
    /// of it changes.
    pub(crate) fn tournament_lock(&self, id: TournamentId) -> Arc<Mutex<()>> {
        self.live_tournament(id).map(|handle| Arc::clone(&handle.changing)).unwrap_or_default()
    }

    /// Returns the handle of a tournament that is not over.
    pub(crate) fn live_tournament(&self, id: TournamentId) -> Option<Arc<TournamentHandle>> {
        self.inner.tournaments.read().get(&id).cloned()
    }

    /// Returns a tournament that is not over and has a bot in its field, or a line for it in its standings.
    pub(crate) fn unfinished_tournament_of_bot(&self, bot: &BotName) -> Option<TournamentId> {
        let tournaments = self.inner.tournaments.read();
        let has_bot = |handle: &TournamentHandle| {
            handle.view().stored.field.contains(bot) || handle.standings().iter().any(|line| line.bot == *bot)
        };
        tournaments.iter().find(|(_, handle)| has_bot(handle)).map(|(id, _)| *id)
    }

    pub(crate) async fn tournament_from_store(
        &self,
        id: TournamentId,
    ) -> Result<StoredTournament, ArenaError> {
        self.inner.store.tournament(id).await?.ok_or(ArenaError::NoSuchTournament(id))
    }

    /// Returns the handle of a tournament for something that needs one which is not over, and can be carried on.
    pub(crate) async fn require_unfinished_tournament(
        &self,
        id: TournamentId,
        needed: &'static str,
    ) -> Result<Arc<TournamentHandle>, ArenaError> {
        let handle = self.require_live_tournament(id, needed).await?;
        handle.check_not_quarantined()?;
        Ok(handle)
    }

    /// Returns the handle of a tournament for something that needs one which is not over.
    async fn require_live_tournament(
        &self,
        id: TournamentId,
        needed: &'static str,
    ) -> Result<Arc<TournamentHandle>, ArenaError> {
        if let Some(handle) = self.live_tournament(id) {
            return Ok(handle);
        }
        let state = self.tournament_from_store(id).await?.state;
        Err(ArenaError::WrongState { id, state, needed })
    }

    /// Checks that a tournament can be played with one bot more. Whether it has enough of them shows when it starts.
    fn check_room_for_bot(stored: &StoredTournament) -> Result<(), ArenaError> {
        let (settings, field) = (&stored.settings, stored.field.len() + 1);
        match count_matches(&settings.format, settings.seats, settings.positions.count(), field) {
            Err(error) if !error.wants_more_bots() => Err(ArenaError::Field { id: stored.id, error }),
            _ => Ok(()),
        }
    }

    fn check_tournament_state(stored: &StoredTournament, needed: &'static str) -> Result<(), ArenaError> {
        match stored.state {
            TournamentState::Open => Ok(()),
            state => Err(ArenaError::WrongState { id: stored.id, state, needed }),
        }
    }
}
