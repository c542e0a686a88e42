//! Changes to tournaments: creation, joining, leaving, start and end.

use crate::arena::{Arena, HeldLock};
use crate::environment::Environment;
use crate::error::{ArenaError, FIELD_CLOSED};
use crate::matches::shard::MatchInput;
use crate::tournaments::cpu_times::CpuTask;
use crate::tournaments::director::Director;
use crate::tournaments::tournament_handle::TournamentHandle;
use crate::tournaments::tournament_view::TournamentView;
use futures_core::future::BoxFuture;
use lastnim_core::game::{BotName, TournamentId};
use lastnim_core::referee::{Terms, Timestamp};
use lastnim_proto::record_text::Utc;
use lastnim_store::{Change, StoredTournament, TournamentResult};
use lastnim_tournament::{
    FieldMovement, FormatVerdict, Rulings, Schedule, Settings, TournamentEnd, TournamentState, count_matches,
    plan_schedule,
};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Mutex;

/// The definition of a new tournament.
#[derive(Debug, Clone)]
pub struct NewTournament {
    /// The tournament's settings.
    pub settings: Settings,
    /// The terms of the tournament's matches.
    pub terms: Terms,
}

/// The error message for an attempt to cancel a tournament that is already over.
const CANCEL_CONDITION: &str = "there is nothing to cancel";
const JOIN_CONDITION: &str = "bots can join only before a tournament starts, or while a ladder runs";
const LEAVE_CONDITION: &str = "bots can leave only before a tournament starts, or while a ladder runs";

/// Returns whether enough bots have joined for the tournament to start automatically.
pub(crate) fn is_ready_to_start(stored: &StoredTournament) -> bool {
    stored.settings.start_when.is_some_and(|field| stored.field.len() >= field)
}

/// Fails if no bot may enter any more.
fn check_entries_open(stored: &StoredTournament, date: Timestamp) -> Result<(), ArenaError> {
    match stored.settings.entries_close_at {
        Some(close) if date >= close => {
            Err(ArenaError::EntriesClosed { id: stored.id, closed_at: Utc(close.as_micros()) })
        }
        _ => Ok(()),
    }
}

/// Returns whether bots may join and leave after the start.
fn allows_changes_while_running(stored: &StoredTournament) -> bool {
    stored.state == TournamentState::Running && stored.settings.format.has_open_field()
}

/// Plans a tournament on a blocking thread, because planning a large balanced sample can take a second.
pub(crate) async fn plan_in_background(
    environment: &Environment,
    handle: &TournamentHandle,
    stored: &StoredTournament,
) -> Result<Box<dyn Schedule>, ArenaError> {
    let (settings, field) = (Arc::clone(&stored.settings), Arc::clone(&stored.field));
    let began = Instant::now();
    let planned = match environment.spawn_computation(move || plan_schedule(&settings, &field)).await {
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
    /// If the limit on unfinished tournaments is reached, or entries would have closed already.
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
        _guard: HeldLock,
        new: NewTournament,
    ) -> Result<TournamentView, ArenaError> {
        self.check_not_stopping()?;
        let limit = self.inner.limits.tournaments;
        if self.open_tournament_count() >= limit {
            return Err(ArenaError::Full { what: "unfinished tournaments", limit });
        }
        let now = self.inner.environment.date();
        if let Some(close) = new.settings.entries_close_at.filter(|&close| close <= now) {
            let [closes_at, now] = [close, now].map(|time| Utc(time.as_micros()));
            return Err(ArenaError::EntriesInPast { closes_at, now });
        }
        let deals_rows = new.settings.alliance.deal_rule().is_some();
        let stored = StoredTournament {
            deal_secret: deals_rows.then(|| self.new_deal_secret()),
            id: self.inner.ids.next_tournament(),
            created_at: self.inner.clock.now(),
            settings: Arc::new(new.settings),
            terms: new.terms,
            field: Arc::default(),
            state: TournamentState::Open,
            over: None,
            entry_code: None,
        };
        self.commit(vec![Change::TournamentCreated(stored.clone())]).await?;
        tracing::info!(tournament = %stored.id, title = %stored.settings.title, "tournament created");
        let handle = Arc::new(TournamentHandle::new(&stored));
        let view = handle.view();
        self.inner.tournaments.insert(view.stored.id, Arc::clone(&handle));
        self.start_on_time(&handle);
        Ok(view)
    }

    /// Enters a bot into a tournament. Joining twice is harmless. The tournament starts if this was the last bot that
    /// it was waiting for. In a running ladder, the bot plays from the next round on, and joining also ends a
    /// suspension.
    ///
    /// # Errors
    /// If there is no such tournament or bot, the tournament has started and is not a ladder, entries have closed, or the
    /// tournament would be too large with another bot.
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
        _guard: HeldLock,
        id: TournamentId,
        bot: BotName,
    ) -> Result<TournamentView, ArenaError> {
        self.stored_bot(&bot).await?;
        let view = self.tournament(id).await?;
        if !view.stored.state.is_over() && !view.stored.field.contains(&bot) {
            check_entries_open(&view.stored, self.inner.environment.date())?;
        }
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
        let handle = self.require_unfinished_tournament(id, JOIN_CONDITION).await?;
        Self::check_tournament_state(&stored, JOIN_CONDITION)?;
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
            // The last bot's entry and the start are stored together. Otherwise a tournament could have all its bots
            // but never start, because no other bot could join and so start it.
            changes.push(Change::TournamentState { id, state: TournamentState::Running });
        }
        let names = self.lock_names().await;
        // The bot is looked up again, because it may have been removed in the meantime.
        self.stored_bot(&bot).await?;
        self.commit(changes).await?;
        handle.apply_join(&bot, stored.clone());
        drop(names);
        if let Some(schedule) = schedule {
            self.spawn_director(&handle, stored, schedule);
        }
        Ok(handle.view())
    }

    /// Removes a bot from a tournament. Leaving twice is harmless. In a running ladder, the bot finishes the current
    /// round, and its results are kept.
    ///
    /// # Errors
    /// If there is no such tournament or bot, or the tournament has started and is not a ladder.
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
        _guard: HeldLock,
        id: TournamentId,
        bot: BotName,
    ) -> Result<TournamentView, ArenaError> {
        self.stored_bot(&bot).await?;
        let view = self.tournament(id).await?;
        if allows_changes_while_running(&view.stored) {
            return self.change_running_field(view, bot, FieldMovement::Leaves).await;
        }
        let handle = self.require_unfinished_tournament(id, LEAVE_CONDITION).await?;
        let mut stored = view.stored.clone();
        Self::check_tournament_state(&stored, LEAVE_CONDITION)?;
        if !stored.field.contains(&bot) {
            return Ok(view);
        }
        FieldMovement::Leaves.apply_to_field(&bot, Arc::make_mut(&mut stored.field));
        self.commit(vec![Change::TournamentLeft { id, field: Arc::clone(&stored.field) }]).await?;
        handle.apply_departure(stored);
        Ok(handle.view())
    }

    /// Lets a bot join or leave a running tournament.
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
        let handle = self.require_unfinished_tournament(id, FIELD_CLOSED).await?;
        match handle.request_field_change(bot, movement).await {
            Some(done) => done.map(|()| handle.view()),
            None if self.is_stopped() => Err(ArenaError::Stopping),
            None => handle.check_not_quarantined().and(Err(ArenaError::WrongState {
                id,
                state: TournamentState::Running,
                needed: FIELD_CLOSED,
            })),
        }
    }

    /// Starts a tournament.
    ///
    /// # Errors
    /// If no tournament has this id, the tournament has already started, or its bots cannot be paired.
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
        _guard: HeldLock,
        id: TournamentId,
    ) -> Result<TournamentView, ArenaError> {
        self.check_not_stopping()?;
        let handle = self.require_unfinished_tournament(id, "a tournament can start only once").await?;
        let stored = handle.view().stored;
        Self::check_tournament_state(&stored, "a tournament can start only once")?;
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

    /// Spawns the director of a tournament whose start is committed.
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
    /// If no tournament has this id, the tournament is over, or its last match ends before the cancellation takes
    /// effect.
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
        let handle = self.require_live_tournament(id, CANCEL_CONDITION).await?;
        let mut watch = handle.subscribe();
        let TournamentView { stored, played, total, damage, .. } = handle.view();
        self.check_store()?;
        match stored.state {
            // A quarantined tournament has no director that could end it.
            TournamentState::Running if damage.is_some() => {
                let (at, verdict) = (self.inner.clock.now(), Arc::new(handle.format_verdict()));
                let over = TournamentResult { at, played, total, verdict };
                self.end_tournament(&handle, stored, TournamentState::Cancelled, over).await?;
                self.cancel_matches_of(id);
            }
            TournamentState::Open => {
                let (at, verdict) = (self.inner.clock.now(), Arc::new(FormatVerdict::Standings));
                let over = TournamentResult { at, played: 0, total: 0, verdict };
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
                    state => Err(ArenaError::WrongState { id, state, needed: CANCEL_CONDITION }),
                }
            }
            () = self.wait_until_stopped() => Err(ArenaError::Stopping),
        }
    }

    /// Cancels the open matches of a tournament.
    fn cancel_matches_of(&self, id: TournamentId) {
        for open in self.inner.matches.read().values() {
            if open.setup.origin.as_ref().is_some_and(|origin| origin.tournament == id) {
                open.handle.send(MatchInput::Cancel);
            }
        }
    }

    /// Stores and announces the end of a tournament, and removes it from the table of unfinished tournaments.
    pub(crate) async fn end_tournament(
        &self,
        handle: &Arc<TournamentHandle>,
        stored: StoredTournament,
        state: TournamentState,
        over: TournamentResult,
    ) -> Result<(), ArenaError> {
        let (id, standings) = (stored.id, handle.standings_at_end(state));
        let mut changes =
            vec![Change::TournamentOver { id, state, over: over.clone(), standings: Arc::clone(&standings) }];
        changes.extend(self.final_comparison(handle, id).await);
        // This waits for the store for as long as it takes, because the tournament is already ending.
        self.inner.context.commits.commit(changes).await?;
        tracing::info!(tournament = %id, %state, cpu_times = %handle.cpu_times, "tournament over");
        let title = stored.settings.title.to_string();
        handle.set_final_standings(&standings);
        handle.set_tournament(StoredTournament { state, over: Some(over), ..stored });
        self.inner.tournaments.remove(id);
        for standing in standings.iter() {
            // A bot without a session learns of the end from the store when it reconnects.
            if let Some(presence) = self.inner.roster.existing_presence(&standing.bot) {
                let (title, standing, bots) = (title.clone(), standing.clone(), standings.len() as u64);
                presence.send_tournament_end(TournamentEnd { id, title, state, standing, bots });
            }
        }
        Ok(())
    }

    /// Returns the number of unfinished tournaments.
    pub fn open_tournament_count(&self) -> usize {
        self.inner.tournaments.read().len()
    }

    /// Returns the lock that must be held while the state or the field of a tournament is checked and changed. For a
    /// finished tournament, this is a new lock, because such a tournament never changes.
    pub(crate) fn tournament_lock(&self, id: TournamentId) -> Arc<Mutex<()>> {
        self.live_tournament(id).map(|handle| Arc::clone(&handle.change_lock)).unwrap_or_default()
    }

    /// Returns the handle of an unfinished tournament.
    pub(crate) fn live_tournament(&self, id: TournamentId) -> Option<Arc<TournamentHandle>> {
        self.inner.tournaments.read().get(&id).cloned()
    }

    /// Returns an unfinished tournament that has the bot in its field or its standings, if there is one.
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

    /// Returns the handle of a tournament, or an error if the tournament is finished or quarantined.
    pub(crate) async fn require_unfinished_tournament(
        &self,
        id: TournamentId,
        needed: &'static str,
    ) -> Result<Arc<TournamentHandle>, ArenaError> {
        let handle = self.require_live_tournament(id, needed).await?;
        handle.check_not_quarantined()?;
        Ok(handle)
    }

    /// Returns the handle of a tournament, or an error if the tournament is finished.
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

    /// Checks that the tournament would not be too large with another bot. The minimum number of bots is checked only
    /// when the tournament starts.
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
